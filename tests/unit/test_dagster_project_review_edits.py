"""Edits of a rubric: what a form makes of it, and the sentences where it cannot be used."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.review.check_kinds import KINDS, BadCheckError, read_arguments, sentence
from dagster_project.review.edits import edited
from environments.runtime.attempt import Json
from environments.runtime.checks import FUNCTIONS
from environments.runtime.rubric import Check, Rubric

RUBRIC = Rubric(
    task_id="t",
    checks=(
        Check(check_id="end", fn="acted", args={"tools": ["a"]}, required=True, says="A is done."),
        Check(check_id="cap", fn="calls_at_most", args={"most": 9}, positive=False, says="Few."),
    ),
)


def shown(number: int, **fields: str) -> dict[str, str]:
    """The fields that the page sends for one check."""
    check = RUBRIC.checks[number - 1]
    values = {"shown": "1", "weight": f"{check.weight}", "args": json.dumps(check.args)} | fields
    values.setdefault("says", check.says)
    if check.required and fields.get("required") != "":
        values["required"] = "1"
    return {f"{name}-{number}": value for name, value in values.items() if value or name == "says"}


def test_an_untouched_form_changes_nothing() -> None:
    """All fields as they were shown leave the rubric alone."""
    found = edited(RUBRIC, shown(1) | shown(2), author="ada")
    assert found.rubric is RUBRIC
    assert (found.changes, found.faults) == ((), ())


def test_weight_required_and_arguments_change() -> None:
    """Each change is told, and a sentence that nobody rewrote follows the arguments."""
    form = shown(1, weight="2.5", required="") | shown(2, args='{"most": 4}')
    found = edited(RUBRIC, form, author="ada")
    first, second = found.rubric.checks
    assert (first.weight, first.required) == (2.5, False)
    assert second.args == {"most": 4}
    assert second.says == "Not more calls than this: 4."
    assert len(found.changes) == 4


def test_a_check_is_removed_and_one_added() -> None:
    """The new check has an id of its own, its author as origin and a sentence made from its arguments."""
    form = {
        **shown(1),
        "remove-2": "1",
        "new-fn": "told",
        "new-args": '{"value": "  Bella  "}',
        "new-weight": "3",
        "new-required": "1",
    }
    found = edited(RUBRIC, form, author="ada")
    assert [check.check_id for check in found.rubric.checks] == ["end", "review_1"]
    new = found.rubric.checks[1]
    assert (new.args, new.required, new.weight) == ({"value": "bella"}, True, 3.0)
    assert new.origin == ("reviewer ada",)
    assert new.says == "The user is told a fact: bella."


@pytest.mark.parametrize(
    ("form", "says"),
    [
        (shown(1, weight="heavy"), "Check 1: the weight must be a number."),
        (shown(1, weight="nan"), "from 0 to 1000"),
        (shown(1, weight="-1"), "from 0 to 1000"),
        (shown(1, args="{'tools': 1}"), "not JSON (line 1, column 2)"),
        (shown(1, args="[1]"), "must be a JSON object"),
        (shown(1, args='{"tools": []}'), "“tools” must be a list of names"),
        (shown(1, args='{"tool": ["a"]}'), "“tools” is missing"),
        (shown(1, args='{"tools": ["a"], "toolz": 1}'), "no argument “toolz”"),
        (shown(2, args='{"most": NaN}'), "NaN is not a JSON number"),
        (shown(2, args="[" * 100_000), "nested too deep"),
        ({"new-fn": "eval", "new-args": "{}"}, "no kind of check called “eval”"),
        ({"new-fn": "judge", "new-args": "{}"}, "“prompt” is missing"),
        ({"new-fn": "acted", "new-args": '{"tools": ["a"]}', "new-role": "boss"}, "role must be"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(form: dict[str, str], says: str) -> None:
    """Bad input leaves the rubric as it was and says what to change."""
    found = edited(RUBRIC, form, author="ada")
    assert found.rubric is RUBRIC
    assert any(says in fault for fault in found.faults), found.faults


def test_calls_are_read_as_people_write_them() -> None:
    """Arguments of a call may be an object or its text; both become the form that checks compare."""
    as_object = read_arguments("wrote", '{"tool": "t", "arguments": {"id": "X1", "n": "2"}}')
    as_text = read_arguments(
        "wrote", json.dumps({"tool": "t", "arguments": '{"n": 2, "id": "x1"}'})
    )
    assert as_object == as_text


def test_arguments_that_stand_already_are_kept_as_they_are() -> None:
    """A check derived with more arguments than a person would write stays as it is."""
    before: dict[str, Json] = {"tools": ["a"], "learnt": {"x": 1}, "most": "odd"}
    assert read_arguments("acted", json.dumps(before), before=before) == before


def test_every_example_is_a_check() -> None:
    """The example of each kind can be pasted."""
    for fn, kind in KINDS.items():
        if fn in FUNCTIONS:
            args = read_arguments(fn, kind.example)
            assert sentence(fn, args).startswith(kind.about)


@given(st.sampled_from(sorted(KINDS)), st.text(max_size=200))
def test_any_text_is_arguments_or_a_sentence(fn: str, text: str) -> None:
    """Whatever is typed, the answer is arguments or one sentence, never another fault."""
    with contextlib.suppress(BadCheckError):
        assert isinstance(read_arguments(fn, text), dict)

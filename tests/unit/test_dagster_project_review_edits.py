"""Edits of a rubric: what a form makes of it, and the sentences where it cannot be used."""

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dagster_project.review.editing.call_lines import arguments_text, read_arguments
from dagster_project.review.editing.edits import edited, written_in
from dagster_project.review.editing.fields import FIELDS, BadCheckError
from dagster_project.review.editing.forms import example_of, fields_of, read_check
from environments.describe_check import describe_arguments
from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.checks.judge import EVIDENCE
from environments.runtime.checks.kinds import KINDS
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check, Rubric

RUBRIC = Rubric(
    task_id="t",
    checks=(
        Check(check_id="end", fn="acted", args={"tools": ["a"]}, required=True, says="A is done."),
        Check(check_id="cap", fn="calls_at_most", args={"most": 9}, positive=False, says="Few."),
    ),
)
CANCEL = '{"id":"x1","rows":[{"n":1},{"n":2}]}'
END: dict[str, Json] = {
    "ends": [
        {"id": "e1", "writes": [["cancel", CANCEL, 1]], "effects": [["order", '["x1"]', "a", "1"]]}
    ],
    "writes": ["cancel"],
    "ignore": {"cancel": ["why"]},
    "refusals": {"cancel": 0.1},
}


def shown(number: int, rubric: Rubric = RUBRIC, **fields: str) -> dict[str, str]:
    """The fields that the page sends for one check."""
    check = rubric.checks[number - 1]
    values = {f"shown-{number}": "1", f"weight-{number}": f"{check.weight}", f"says-{number}": ""}
    for one in fields_of(check.fn, check.args):
        if one.field is not None:
            values[f"arg-{number}-{one.name}"] = one.text
    if check.required and fields.get("required") != "":
        values[f"required-{number}"] = "1"
    named = {f"{name.replace('__', f'-{number}-')}": value for name, value in fields.items()}
    named = {name if "-" in name else f"{name}-{number}": v for name, v in named.items()}
    return values | {name: value for name, value in named.items() if name != f"required-{number}"}


def test_an_untouched_form_changes_nothing() -> None:
    """All fields as they were shown leave the rubric alone."""
    found = edited(RUBRIC, shown(1) | shown(2), author="ada")
    assert found.rubric is RUBRIC
    assert (found.changes, found.faults) == ((), ())


def test_weight_required_and_arguments_change() -> None:
    """Each change is told, and a sentence of before goes with the arguments that it was about."""
    form = shown(1, weight="2.5", required="") | shown(2, arg__most="4")
    found = edited(RUBRIC, form, author="ada")
    first, second = found.rubric.checks
    assert (first.weight, first.required) == (2.5, False)
    assert second.args == {"most": 4}
    assert second.says == ""
    assert len(found.changes) == 3


def test_a_sentence_that_a_person_writes_is_known_as_theirs() -> None:
    """It changes no argument, is remembered by the check's id, and goes when its field is emptied."""
    found = edited(RUBRIC, shown(1, says="The moon is full."), author="ada")
    assert found.rubric.checks[0].args == RUBRIC.checks[0].args
    assert found.rubric.checks[0].says == "The moon is full."
    assert found.written == ("end",)
    note: dict[str, Json] = {"review": {"written": list(found.written)}}
    kept = Rubric(task_id="t", checks=found.rubric.checks, evidence=note)
    assert written_in(kept) == {"end"}
    again = edited(kept, shown(1, kept, says="The moon is full."), author="bob")
    assert (again.changes, again.written) == ((), ("end",))
    gone = edited(kept, shown(1, kept), author="bob")
    assert gone.rubric.checks[0].says == ""
    assert gone.written == ()


def test_a_check_is_removed_and_one_added() -> None:
    """The new check has an id of its own, its author as origin and no sentence beside the one that its arguments make."""
    form = {
        **shown(1),
        "remove-2": "1",
        "new-fn": "told",
        "new-arg-value": "  Bella  ",
        "new-weight": "3",
        "new-required": "1",
    }
    found = edited(RUBRIC, form, author="ada")
    assert [check.check_id for check in found.rubric.checks] == ["end", "review_1"]
    new = found.rubric.checks[1]
    assert (new.args["value"], new.args["forms"]) == ("bella", ["bella"])
    assert (new.required, new.weight) == (True, 3.0)
    assert new.origin == ("reviewer ada",)
    assert new.says == ""
    assert found.written == ()


@pytest.mark.parametrize(
    ("form", "says"),
    [
        (shown(1, weight="heavy"), "Check 1: the weight must be a number."),
        (shown(1, weight="nan"), "from 0 to 1000"),
        (shown(1, weight="-1"), "from 0 to 1000"),
        (shown(1, arg__tools=" \r\n "), "“Tools” is missing; for example: cancel_order"),
        (shown(2, arg__most="one"), "“At most”: must be a whole number"),
        (shown(2, arg__most="-1"), "“At most”: must be a whole number"),
        (shown(1, arg__tools="a\n" * 200_000), "longer than 200,000 characters"),
        ({"new-fn": "eval"}, "no kind of check called “eval”"),
        ({"new-fn": "judge"}, "“Question to the judge” is missing"),
        ({"new-fn": "judge", "new-arg-prompt": "x", "new-arg-scale": "1"}, "two rising numbers"),
        ({"new-fn": "judge", "new-arg-prompt": "x", "new-arg-evidence": "all"}, "must be one of"),
        ({"new-fn": "wrote", "new-arg-tool": "t", "new-arg-arguments": "x1"}, "name: value"),
        ({"new-fn": "wrote", "new-arg-tool": "t", "new-arg-arguments": "a: 1\na: 2"}, "twice"),
        ({"new-fn": "read", "new-arg-any_of": "t\na[9]: 1"}, "stands where another value does"),
        ({"new-fn": "acted", "new-arg-tools": "a", "new-role": "boss"}, "role must be"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(form: dict[str, str], says: str) -> None:
    """Bad input leaves the rubric as it was and says what to change."""
    found = edited(RUBRIC, form, author="ada")
    assert found.rubric is RUBRIC
    assert any(says in fault for fault in found.faults), found.faults


def test_calls_are_read_as_people_write_them() -> None:
    """Casing, spaces, numbers as text and the order of the lines make no difference."""
    one = read_check("wrote", {"tool": "t", "arguments": "id: X1\nn: 2"})
    other = read_check("wrote", {"tool": " t ", "arguments": "n:2\r\n\r\nid:  x1 "})
    assert one == other == {"tool": "t", "arguments": '{"id":"x1","n":2}'}


def test_a_new_check_does_not_compare_what_the_others_do_not() -> None:
    """The values that derived checks leave out are left out of a new one as well."""
    rubric = Rubric(task_id="t", checks=(Check(check_id="end", fn="end_state", args=END),))
    form = {"new-fn": "wrote", "new-arg-tool": "cancel", "new-arg-arguments": "id: x1\nwhy: sold"}
    new = edited(rubric, form, author="ada").rubric.checks[1]
    assert (new.args["arguments"], new.args["ignore"]) == ('{"id":"x1"}', {"cancel": ["why"]})


def test_an_end_is_edited_and_keeps_its_name() -> None:
    """A changed call makes another end under the same id; one that is added gets its own; the rest of the check stays."""
    text = "cancel\nid: x1\nrows[1].n: 1\nrows[2].n: 2"
    assert {s.name: s.text for s in fields_of("end_state", END)}["ends"] == text
    found = read_check("end_state", {"ends": text.replace("x1", "x2")}, before=END)
    other = CANCEL.replace("x1", "x2")
    assert found["ends"] == [{"id": "e1", "writes": [["cancel", other, 1]]}]
    assert found["refusals"] == END["refusals"]
    both = read_check("end_state", {"ends": f"{text}\n\nor\n\n(nothing)"}, before=END)
    ends = END["ends"]
    assert isinstance(ends, list)
    added: Json = {"id": "end_1", "writes": []}
    assert both["ends"] == [*ends, added]


def test_digits_in_quotes_are_a_code() -> None:
    """A number is compared as a number, a code of digits as the text it is."""
    number = read_check("told", {"value": "1,234.50"})
    assert (number["value"], number["readings"]) == (1234.5, [1234.5])
    assert read_check("told", {"value": '"1234"'}) == {"value": "1234"}
    edited_number = read_check("told", {"value": "1234"}, before={"value": "1234"})
    assert (edited_number["value"], edited_number["readings"]) == (1234, [1234.0])
    assert read_check("told", {"value": '"1234"'}, before={"value": "1234"}) == {"value": "1234"}


def test_a_fact_that_a_person_corrects_is_looked_for_in_all_its_forms() -> None:
    """The forms of the old fact go with it; facts that stay keep theirs."""
    before: dict[str, Json] = read_check("told", {"value": "May 15, 2024"})
    assert before["kind"] == "date"
    after = read_check("told", {"value": "305.50"}, before=before)
    assert (after["kind"], after["readings"]) == ("number", [305.5])
    some: dict[str, Json] = {"facts": [{**before, "note": 1}], "least": 1}
    typed = {"facts": "may 15, 2024\nLeeds"}
    facts = read_check("told_some", typed, before=some)["facts"]
    assert isinstance(facts, list)
    assert facts[0] == {**before, "note": 1}
    assert isinstance(facts[1], dict)
    assert (facts[1]["value"], facts[1]["forms"]) == ("Leeds", ["leeds"])


def test_arguments_that_no_field_brings_back_are_kept_as_they_are() -> None:
    """A check derived with more than a person would type stays as it is, whatever is sent for it."""
    before: dict[str, Json] = {"tools": ["a"], "learnt": {"x": 1}, "most": "odd", "first": ["b\nc"]}
    typed = {"tools": "a", "learnt": "gone", "most": "1", "first": "d"}
    assert read_check("acted", typed, before=before) == before
    kept = {one.name for one in fields_of("acted", before) if one.field is None}
    assert kept == {"learnt", "most", "first"}


def test_a_kind_that_nobody_described_is_edited_by_its_shape() -> None:
    """Numbers, words, choices and lists have fields; deeper values are kept."""
    before: dict[str, Json] = {"n": 0.5, "names": ["a", "b"], "on": True, "deep": [{"x": [1]}]}
    typed = {"n": "2", "names": "b\nc", "on": "no", "deep": "x"}
    found = read_check("not_known", typed, before=before)
    assert found == {"n": 2, "names": ["b", "c"], "on": False, "deep": [{"x": [1]}]}


def test_a_person_can_choose_whatever_a_judge_can_be_shown() -> None:
    """Each kind of evidence is a choice, and comes back as it is."""
    assert [value for value, _ in FIELDS["evidence"].choices] == list(EVIDENCE)
    for one in EVIDENCE:
        found = read_check("judge", {"prompt": "Is it?", "evidence": one})
        assert found["evidence"] == one


def test_every_example_is_a_check() -> None:
    """The example of each kind can be typed as it stands, and its sentence is its own."""
    assert len({example_of(fn) for fn in KINDS}) == len(KINDS)
    for fn, kind in KINDS.items():
        args = read_check(fn, kind.example)
        again = {one.name: one.text for one in fields_of(fn, args) if one.field is not None}
        assert read_check(fn, again, before=args) == args
        assert "(nothing)" not in describe_arguments(fn, args)


@given(st.sampled_from(sorted(KINDS)), st.text(max_size=200))
@example("numbers_told", "0\x1f")
def test_any_text_is_arguments_or_a_sentence(fn: str, text: str) -> None:
    """Whatever is typed, the answer is arguments or one sentence, never another fault."""
    for one in fields_of(fn, {}):
        with contextlib.suppress(BadCheckError):
            found = read_check(fn, {**KINDS[fn].example, one.name: text})
            assert describe_arguments(fn, found)


LEAVES = st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=12)
TREES = st.dictionaries(
    st.text(max_size=6),
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
        max_leaves=8,
    ),
    max_size=4,
)


@given(TREES)
def test_the_arguments_of_any_call_survive_their_lines(tree: dict[str, Json]) -> None:
    """Written as lines and read again, a call is the same call, or it is not offered as lines."""
    canonical = canonical_arguments(tree)
    args: dict[str, Json] = {"tool": "t", "arguments": canonical}
    (shown_one,) = [one for one in fields_of("wrote", args) if one.name == "arguments"]
    if shown_one.field is not None and shown_one.text:
        assert read_arguments(shown_one.text, "t", {}) == canonical
        assert arguments_text(canonical) == shown_one.text

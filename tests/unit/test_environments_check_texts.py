"""Texts that calls write are compared by what they hold: facts in any form, words of what they are about, nothing made up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.runtime.checks.ground import counts_in
from environments.runtime.checks.judge import evidence_of
from environments.runtime.checks.table import score_of
from environments.runtime.checks.texts import text_grounded, text_holds
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Attempt, Call, Json, ToolResult
from environments.runtime.task.rubric import Check
from environments.runtime.values.facts import facts_in
from synth.rubric.facts.told_facts import fact_args

USER = (
    "Tell Mia that the pool opens on 14 September at 2 pm and costs 1,234.50 in all, for 3 people."
)


def view(*texts: str, tool: str = "send_note", result: str = "ok", failed: bool = False) -> View:
    """An attempt that sent these texts to Mia."""
    answer = ToolResult(content=result, source="recorded", is_error=failed)
    calls = tuple(
        Call(name=tool, arguments={"to": "Mia", "text": text}, result=answer, message=1)
        for text in texts
    )
    messages: tuple[Mapping[str, Json], ...] = (
        {"role": "user", "content": USER},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": result},
    )
    return View(Attempt(messages=messages, opening=1, calls=calls))


def holds(*texts: str, fact: str = "", **more: Json) -> float | None:
    """What the check says of these texts, which have to hold the facts of `fact`."""
    facts: list[Json] = list(fact_args(facts_in(fact), "en"))
    args: dict[str, Json] = {
        "tool": "send_note",
        "argument": "text",
        "arguments": '{"to":"mia"}',
        "ignore": {"send_note": ["text"]},
        "facts": facts,
        **more,
    }
    return text_holds(args, view(*texts), "c")[0]


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("9/14", "The pool opens on September 14."),
        ("2024-09-14", "on 9/14/2024"),
        ("2 PM", "from 14:00 on"),
        ("14:00", "from 2 p.m. on"),
        ("1,234.50", "1234.5 in all"),
        ("3 people", "for three of you"),
        ("A-4711", "booking a-4711, please"),
        ("mia@pool.test", "write to MIA@pool.test."),
    ],
)
def test_a_fact_counts_in_any_form(fact: str, text: str) -> None:
    """Dates, times, amounts, counts, ids and addresses, however they are written."""
    assert holds(text, fact=fact) == 1.0


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("9/14", "The pool opens on September 15."),
        ("2 PM", "from 3 pm on"),
        ("1,234.50", "1,234.00 in all"),
        ("A-4711", "booking A-4712, please"),
        ("2 PM", ""),
    ],
)
def test_a_false_or_missing_fact_fails(fact: str, text: str) -> None:
    """Whatever else the text says."""
    assert holds(text, fact=fact) == 0.0


def test_a_list_of_facts_holds_none() -> None:
    """Who writes down everything has not chosen."""
    everything = "The numbers are 2 pm, 3 pm, 4 pm, 5 pm, 1.5, 2.5, 3.5."
    assert holds(everything, fact="2 pm", among=8) == 1.0
    assert holds(everything, fact="2 pm", among=4) == 0.0


def test_words_in_other_forms_and_another_order_count() -> None:
    """Enough of them say what the text is about."""
    words: list[Json] = ["swimming", "monday", "closed"]
    assert holds("On Mondays swimmers find it CLOSED.", words=words, least=2) == 1.0
    assert holds("The sauna is open.", words=words, least=1) == 0.0


def test_words_of_a_script_without_spaces_are_compared_letter_by_letter() -> None:
    """Two side by side are enough."""
    words: list[Json] = ["会议", "改到"]
    assert holds("我们的会议已经改到周五。", words=words, least=2) == 1.0
    assert holds("午饭吃什么。", words=words, least=1) == 0.0


def test_much_beside_a_dictated_text_makes_it_another_one() -> None:
    """A few words around it do not."""
    words: list[Json] = ["pay", "rent"]
    assert holds("Please pay the rent", words=words, others=4) == 1.0
    assert holds("Pay no rent since the lease has ended long ago", words=words, others=4) == 0.0


def test_one_of_several_texts_to_the_same_person_is_enough() -> None:
    """Each is looked for among all."""
    assert holds("Hello.", "We start at 2 pm.", fact="2 pm") == 1.0


def test_a_text_that_nobody_wrote_is_not_known() -> None:
    """Whether it was needed, the end says."""
    assert holds(fact="2 pm") is None
    refused = view("We start at 2 pm.", failed=True)
    args: dict[str, Json] = {"tool": "send_note", "argument": "text", "words": ["start"]}
    assert text_holds(args, refused, "c")[0] is None


def test_at_another_accepted_end_another_text_is_needed() -> None:
    """The check belongs to one end."""
    seen = view("We start at 2 pm.")
    seen.matched["end_state"] = "e2"
    args: dict[str, Json] = {
        "tool": "send_note",
        "argument": "text",
        "words": ["closed"],
        "after": "end_state",
        "ends": ["e1"],
    }
    assert score_of(Check(check_id="c", fn="text_holds", args=args), seen)[0] == 1.0


GROUNDED: dict[str, Json] = {"texts": {"send_note": ["text"]}}


def test_what_nobody_said_or_showed_must_not_be_written() -> None:
    """A figure of one's own fails, another form of one that was said does not."""
    assert text_grounded(GROUNDED, view("It costs 1234.5, from 14:00 on."), "c")[0] == 1.0
    assert text_grounded(GROUNDED, view("It costs 999.95."), "c")[0] == 0.0


def test_a_tool_that_repeats_a_text_is_no_ground_for_it() -> None:
    """Its answer comes later, and says what it was given."""
    told = view("It costs 999.95.", result="sent: It costs 999.95.")
    assert text_grounded(GROUNDED, told, "c")[0] == 0.0


def test_kinds_that_an_app_makes_up_itself_are_not_asked() -> None:
    """And what its definitions hold is known."""
    made_up = view("It costs 999.95.")
    assert text_grounded({**GROUNDED, "kinds": ["date"]}, made_up, "c")[0] == 1.0
    assert text_grounded({**GROUNDED, "known": "999.95"}, made_up, "c")[0] == 1.0


def test_a_judge_sees_the_text_as_it_was_written() -> None:
    """With what the user asked for, and no other call."""
    args: dict[str, Json] = {"evidence": "written", "tool": "send_note", "argument": "text"}
    assert list(evidence_of(args, view("Dear Mia, WELCOME!"))) == [
        f"user: {USER}",
        "text: Dear Mia, WELCOME!",
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
NAMES = ("tool", "argument", "arguments", "ignore", "facts", "words", "least", "among", "others")


@settings(max_examples=80, deadline=None)
@given(
    args=st.dictionaries(st.sampled_from([*NAMES, "texts", "kinds", "known"]), JSON),
    texts=st.lists(st.text(max_size=40), max_size=3),
)
def test_odd_arguments_never_raise(args: dict[str, Json], texts: Sequence[str]) -> None:
    """An edited rubric may hold anything; the verdict stays a verdict."""
    for check in (text_holds, text_grounded):
        score, why = check({"tool": "send_note", "argument": "text", **args}, view(*texts), "c")
        assert score in {0.0, 1.0, None}
        assert why


def test_a_text_of_a_megabyte_is_graded() -> None:
    """And not by reading it for minutes."""
    assert holds("word 1.25 " * 100_000 + json.dumps("2 pm"), fact="2 pm", among=8) == 0.0


def test_a_number_of_hundreds_of_digits_grounds_nothing() -> None:
    """Such a result is read like any other, as far as it has other numbers."""
    assert counts_in('{"n": 1' + "0" * 400 + ', "rows": [1, 2]}') == {2.0}

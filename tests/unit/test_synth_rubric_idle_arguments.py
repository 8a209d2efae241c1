"""Optional arguments of changes: a default that is spelt out and a reason that nobody reads make no other change."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.task.attempt import Json
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.idle_arguments import idle_arguments
from synth.recordings.tool_kinds import infer_tools

GOOD, BAD = (
    Label(resolved=True, confidence=0.97),
    Label(resolved=False, confidence=0.97),
)
DEFINITION = {
    "name": "cancel_berth",
    "description": "Cancels a berth.",
    "parameters": {
        "type": "object",
        "properties": {
            "berth": {"type": "string"},
            "from": {"type": "string", "enum": ["now", "autumn"], "description": "Default: now"},
            "why": {"type": "string"},
            "refund": {"type": "number"},
        },
    },
}


def cancelled(name: str, berth: str, **more: Json) -> CleanEpisode:
    """An episode that cancels one berth."""
    call = CleanToolCall(
        call_id="c", name="cancel_berth", arguments=json.dumps({"berth": berth, **more})
    )
    steps = (
        CleanStep(role="user", content=f"Cancel {berth}."),
        CleanStep(role="assistant", tool_calls=(call,)),
        CleanStep(role="tool", call_id="c", content='{"done": true}'),
        CleanStep(role="assistant", content="Done."),
    )
    return CleanEpisode(
        app="sea",
        episode_id=name,
        started_at=1,
        task_key=berth,
        tools=(json.dumps(DEFINITION),),
        steps=steps,
    )


def found(*pairs: tuple[CleanEpisode, CleanEpisode], second: Label = GOOD) -> dict[str, set[str]]:
    """What is idle where each task has two attempts."""
    groups = [[record(one), record(other)] for one, other in pairs]
    kinds = infer_tools([r for group in groups for r in group])
    labels = {
        e.episode_id: label for p in pairs for e, label in zip(p, (GOOD, second), strict=True)
    }
    return idle_arguments(groups, labels, kinds)


def test_a_text_that_resolved_attempts_give_or_leave_out_makes_no_difference() -> None:
    """Three tasks show it, with as many reasons; two tasks with one reason show it of that one."""
    pairs = [
        (cancelled(f"a{n}", f"B{n}"), cancelled(f"b{n}", f"B{n}", why=why))
        for n, why in enumerate(["too windy", "sold the boat", "too windy"])
    ]
    assert "why=*" in found(*pairs)["cancel_berth"]
    assert found(pairs[0], pairs[2])["cancel_berth"] == {'from="now"', 'why="too windy"'}


def test_words_that_agents_choose_make_no_difference_and_those_that_users_say_do() -> None:
    """Two tasks whose resolved attempts give another reason each; a place, an amount or a user's own words are no such reason."""
    words = [("caller request", "too windy"), ("caller request", "not needed")]
    pairs = [
        (cancelled(f"a{n}", f"B{n}", why=one), cancelled(f"b{n}", f"B{n}", why=other))
        for n, (one, other) in enumerate(words)
    ]
    assert "why=*" in found(*pairs)["cancel_berth"]
    assert "why=*" not in found(pairs[0])["cancel_berth"]
    assert "why=*" not in found(*pairs, second=BAD)["cancel_berth"]
    said = [
        (cancelled(f"a{n}", f"B{n}", why=f"cancel b{n}"), cancelled(f"b{n}", f"B{n}", why="late"))
        for n in range(2)
    ]
    assert "why=*" not in found(*said)["cancel_berth"]


def test_calls_that_differ_before_the_last_one_are_compared() -> None:
    """Two berths a conversation, of which the first is cancelled for another reason each time."""

    def twice(name: str, why: str) -> CleanEpisode:
        first = cancelled(name, "B1", why=why)
        then = cancelled(name, "B2", why="too windy")
        calls = tuple(
            replace(step, call_id="d" if step.call_id else None)
            if step.role == "tool"
            else replace(step, tool_calls=tuple(replace(c, call_id="d") for c in step.tool_calls))
            for step in then.steps
        )
        return replace(first, steps=(*first.steps, *calls))

    assert "why=*" not in found((twice("a", "sold the boat"), twice("b", "moved away"))).get(
        "cancel_berth", set()
    )


def test_unresolved_attempts_and_figures_show_nothing() -> None:
    """What an unresolved attempt adds may be why; an amount is not any amount."""
    pairs = [
        (cancelled(f"a{n}", f"B{n}"), cancelled(f"b{n}", f"B{n}", why="late", refund=10 + n))
        for n in range(4)
    ]
    assert found(*pairs)["cancel_berth"] == {'from="now"'}
    reasons = [
        (cancelled(f"a{n}", f"B{n}"), cancelled(f"b{n}", f"B{n}", why="late")) for n in range(4)
    ]
    assert found(*reasons, second=BAD)["cancel_berth"] == {'from="now"'}


@pytest.mark.parametrize(
    ("given", "same"),
    [({"from": "now"}, True), ({"from": "autumn"}, False), ({"why": "x"}, True), ({}, True)],
)
def test_calls_are_compared_without_what_makes_no_difference(
    given: dict[str, Json], *, same: bool
) -> None:
    """A default at its own value, a reason at any."""
    ignore = ['from="now"', "why=*"]
    plain = canonical_arguments({"berth": "B1"}, ignore)
    assert (canonical_arguments({"berth": "B1", **given}, ignore) == plain) is same


def test_texts_that_agents_word_themselves_make_no_difference_however_attempts_ended() -> None:
    """Three tasks whose attempts give another reason each, which no user said; codes and words of the user are no such texts."""

    def pairs(*texts: tuple[str, str]) -> list[tuple[CleanEpisode, CleanEpisode]]:
        return [
            (cancelled(f"a{n}", f"B{n}", why=one), cancelled(f"b{n}", f"B{n}", why=other))
            for n, (one, other) in enumerate(texts)
        ]

    def words(*texts: tuple[str, str]) -> bool:
        return "why=*" in found(*pairs(*texts), second=BAD)["cancel_berth"]

    assert words(("work", "cannot come"), ("ill", "guest asked"), ("ill", "work"))
    assert not words(("work", "cannot come"), ("ill", "guest asked"))
    assert not words(("pln-plus", "pln-pro"), ("pln-basic", "pln-pro"), ("plan b", "pln-pro"))
    assert not words(("cancel b0", "work"), ("cancel b1", "b1"), ("cancel", "cancel b2"))
    alike = [("too windy", "too windy")] * 4
    assert not words(("work", "cannot come"), ("ill", "guest asked"), ("ill", "work"), *alike)

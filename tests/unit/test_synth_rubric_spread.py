"""How many numbers an honest attempt may tell, and that who tells every number of a record in portions is not paid."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.checks.table import evaluate
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.tool_kinds import infer_tools
from synth.recordings.traits import traits_of
from synth.rubric.derive import derive_rubric
from synth.rubric.facts.amounts import COMPARED, NUMBERS, SLACK, SPARE, AmountSpread, spread_of

TOOL = json.dumps({"name": "get_bill", "parameters": {"properties": {"bill": {}}}})


def episode(name: str, *said: str) -> CleanEpisode:
    """A question about a bill, which is looked up and then spoken about."""
    call = CleanToolCall(call_id="c", name="get_bill", arguments='{"bill": "B-1"}')
    steps = [
        CleanStep(role="user", content="What is the total of bill B-1?"),
        CleanStep(role="assistant", tool_calls=(call,)),
        CleanStep(role="tool", call_id="c", content='{"total": 77.5, "tax": 6.5}'),
    ]
    for text in said:
        steps += [CleanStep(role="assistant", content=text), CleanStep(role="user", content="Ok.")]
    return CleanEpisode(
        app="desk", episode_id=name, started_at=1, tools=(TOOL,), steps=tuple(steps)
    )


def task(*told: Sequence[float]) -> list[Facts]:
    """Resolved attempts that tell the total and these other numbers."""
    kinds = infer_tools([record(episode("x", "It is 77.5."))])
    return [
        facts_of(
            record(episode(f"e{n}", "It is 77.5.", *(f"And {number}." for number in numbers))),
            Label(resolved=True, confidence=0.98),
            kinds,
        )
        for n, numbers in enumerate(told)
    ]


def test_the_largest_difference_seen_is_the_apps() -> None:
    """Too few attempts to compare leave the cautious default."""
    alike, wordy = task([], []), task([], [11, 12, 13, 14])
    assert spread_of([alike]) == AmountSpread()
    assert spread_of([alike] * (COMPARED // 2)) == AmountSpread(SPARE, SLACK)
    assert spread_of([alike, wordy] * (COMPARED // 4)) == AmountSpread(SPARE + 4, SLACK)
    assert spread_of([task([]) * 1] * COMPARED) == AmountSpread(), (
        "single attempts compare with nothing"
    )


def test_telling_every_number_in_portions_is_not_paid() -> None:
    """An answer among many is none, however the others are portioned; an honest answer in other words is paid."""
    good = task([], [])
    kinds = infer_tools([good[0].recorded])
    derived = derive_rubric("t", good, traits_of(kinds, [good] * COMPARED))

    def reward(*said: str) -> float | None:
        attempt = record(episode("new", *said)).attempt
        return evaluate(derived.rubric, attempt, task_version="v").reward

    assert reward("The total is 77.50, of which 6.5 is tax.") == 1.0
    assert reward("Let me see.", "One moment.", "That bill is over 77.5.") == 1.0
    assert reward("31, 318", "555, 1224", "770, 6.5", "77.5") == 0.0
    assert reward("77.5", "31, 318", "555, 1224", "770, 6.5") == 0.0


@given(st.integers(0, 200), st.integers(0, 60), st.integers(SLACK, 6))
def test_a_cap_is_never_looser_than_before_and_never_below_what_was_told(
    told: int, more: int, times: int
) -> None:
    """What resolved attempts told is always allowed."""
    assert told <= AmountSpread(more, times).most_told(told) <= max(NUMBERS, SLACK * told)

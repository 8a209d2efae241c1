"""Lists whose order the rubric keeps: what resolved attempts gave in one order, unless they gave it in several."""

from __future__ import annotations

import json

from environments.runtime.checks.table import evaluate
from environments.runtime.task.attempt import Effect, EndState
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.tool_kinds import infer_tools
from synth.recordings.traits import AppTraits
from synth.rubric.derive import derive_rubric


def sailed(name: str, *stops: str) -> CleanEpisode:
    """An episode that books one trip."""
    call = CleanToolCall(
        call_id="c", name="book_trip", arguments=json.dumps({"boat": "B7", "stops": stops})
    )
    steps = (
        CleanStep(role="user", content="Book my trip."),
        CleanStep(role="assistant", tool_calls=(call,)),
        CleanStep(role="tool", call_id="c", content='{"trip": "T1"}'),
    )
    return CleanEpisode(app="sea", episode_id=name, started_at=1, task_key="k", steps=steps)


def reached(facts: Facts) -> EndState:
    """The record as that backend keeps it: the stops as they were given."""
    stops = facts.recorded.attempt.calls[0].arguments["stops"]
    return EndState(
        effects=(Effect(entity="trips", key='["T1"]', field="stops", before=None, after=stops),)
    )


def reward(*good: CleanEpisode, of: CleanEpisode) -> float | None:
    """What a rubric made of these pays another attempt."""
    kinds = infer_tools([record(e) for e in good])
    facts = [facts_of(record(e), Label(resolved=True, confidence=0.97), kinds) for e in good]
    rubric = derive_rubric("t", facts, AppTraits(kinds=kinds), end_of=reached).rubric
    made = facts_of(record(of), Label(resolved=None, confidence=0.0), kinds)
    attempt = made.recorded.attempt
    run = type(attempt)(
        messages=attempt.messages, opening=1, calls=attempt.calls, end=reached(made)
    )
    return evaluate(rubric, run, task_version="v").reward


def test_another_order_than_any_resolved_attempt_gave_is_not_paid() -> None:
    """Pier before island is no island before pier."""
    once = sailed("a", "pier", "island")
    assert reward(once, of=sailed("x", "pier", "island")) == 1.0
    assert reward(once, of=sailed("x", "island", "pier")) is None
    assert reward(once, of=sailed("x", "island", "mill")) == 0.0


def test_an_order_that_resolved_attempts_changed_does_not_matter() -> None:
    """Both were resolved, so any order will do."""
    both = sailed("a", "pier", "island"), sailed("b", "island", "pier")
    assert reward(*both, of=sailed("x", "island", "pier")) == 1.0


def test_a_list_of_one_value_has_no_order() -> None:
    """Nothing is kept where nothing can be turned round."""
    kinds = infer_tools([record(sailed("a", "pier"))])
    facts = facts_of(record(sailed("a", "pier")), Label(resolved=True, confidence=0.97), kinds)
    rubric = derive_rubric("t", [facts], AppTraits(kinds=kinds), end_of=reached).rubric
    ends = next(c for c in rubric.checks if c.fn == "end_state").args["ends"]
    assert isinstance(ends, list)
    assert all("ordered" not in end for end in ends if isinstance(end, dict))

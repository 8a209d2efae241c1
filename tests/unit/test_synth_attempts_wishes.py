"""Which requests are one task: not those of one user that ask for different values, but those in the same words about nobody."""

from __future__ import annotations

import json
from dataclasses import replace

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.attempts.grouping import join_attempts
from synth.recordings.attempt import record
from synth.recordings.tool_kinds import infer_tools


def attempt(name: str, asked: str, done: str) -> CleanEpisode:
    """A booking that its owner wants on one date, moved to a date."""
    arguments = json.dumps({"booking_id": "PTZ5XZ", "new_date": done})
    call = CleanToolCall(call_id="c", name="change_date", arguments=arguments)
    steps = (
        CleanStep(role="user", content=f"Please move PTZ5XZ to {asked}."),
        CleanStep(role="assistant", tool_calls=(call,)),
        CleanStep(role="tool", call_id="c", content=json.dumps({"date": done})),
        CleanStep(role="assistant", content=f"Moved to {done}."),
    )
    return CleanEpisode(
        app="desk", episode_id=name, subject="eva", started_at=int(name[1:]), steps=steps
    )


def test_two_dates_asked_for_are_two_tasks_and_a_mistaken_date_is_not() -> None:
    """The attempt that moved to the wrong date belongs to the request that its user made."""
    episodes = [
        attempt("e1", "2026-05-17", "2026-05-17"),
        attempt("e2", "2026-05-20", "2026-05-20"),
        attempt("e3", "2026-05-17", "2026-05-17"),
        attempt("e4", "2026-05-17", "2026-05-20"),
    ]
    records = [record(episode) for episode in episodes]
    groups = join_attempts(records, infer_tools(records))
    assert [[r.episode.episode_id for r in g.records] for g in groups] == [
        ["e1", "e3", "e4"],
        ["e2"],
    ]
    assert [g.joined_by for g in groups] == ["goal", "alone"]


def test_the_same_request_of_nobody_in_particular_is_one_task() -> None:
    """A harness asks a request of several words several times; a short one, or one with other instructions, may be anybody's."""
    asked = [
        replace(attempt(f"e{n}", "2026-05-17", "2026-05-17"), subject=None) for n in range(1, 4)
    ]
    said = "Please move booking PTZ5XZ of the winter trip to 2026-05-17."
    long = [
        replace(one, steps=(replace(one.steps[0], content=said), *one.steps[1:])) for one in asked
    ]
    told = CleanStep(role="system", content="You serve the night desk.")
    others = replace(long[2], episode_id="e4", steps=(told, *long[2].steps))
    records = [record(one) for one in (*long, others)]
    groups = join_attempts(records, infer_tools(records))
    assert [(g.joined_by, len(g.records)) for g in groups] == [("request", 3), ("alone", 1)]
    short = [record(one) for one in asked]
    assert [g.joined_by for g in join_attempts(short, infer_tools(short))] == ["alone"] * 3
    of_two = [record(replace(one, subject=name)) for one, name in zip(long, "ab", strict=False)]
    assert {len(g.records) for g in join_attempts(of_two, infer_tools(of_two))} == {1}

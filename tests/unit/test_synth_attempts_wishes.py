"""Requests of one user about one thing that ask for different values are two tasks, not attempts at one."""

from __future__ import annotations

import json

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

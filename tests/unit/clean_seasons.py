"""Conversations of many calls, every one two hours after the one before: what several test modules about worlds learn from. Not a test module."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

SECOND = 1_000_000_000
START = 1_760_000_000
BETWEEN = 7_200
Call = tuple[CleanStep, CleanStep]


def call_and_result(number: int, name: str, arguments: Mapping[str, Any], content: str) -> Call:
    """The two steps of one call."""
    call = CleanToolCall(call_id=f"c{number}", name=name, arguments=json.dumps(arguments))
    return (
        CleanStep(role="assistant", tool_calls=(call,)),
        CleanStep(role="tool", content=content, call_id=call.call_id),
    )


def conversation(app: str, number: int, steps: Iterable[CleanStep]) -> CleanEpisode:
    """One conversation of a season."""
    return CleanEpisode(
        app=app,
        episode_id=f"e{number:03}",
        started_at=(START + number * BETWEEN) * SECOND,
        agent="a",
        steps=tuple(steps),
        redaction="off",
    )


def world_from(episodes: Iterable[CleanEpisode]) -> World:
    """Learnt, and read again as a file."""
    document = learn_world(list(episodes), WorldSettings(risk=0)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))

"""Records that change again and again in a backend that lives on: a later sight of one does not say how it was before."""

from __future__ import annotations

import json
from typing import Any

import pytest

from environments.runtime.document.codec import decode
from environments.runtime.document.records import TimelinePart
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.dated_rows import DatedTable
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.world.time.validity import MIN_MOVED, Version, moves
from synth.worlds import WorldSettings, learn_world

MINUTE = 60 * 10**9
METERS = [f"MTR-{100 + n}" for n in range(20)]
BUSY = METERS[0]


@pytest.mark.parametrize(("changes", "moving"), [(MIN_MOVED, True), (MIN_MOVED - 1, False)])
def test_a_record_that_changed_often_in_short_times_moves(changes: int, moving: bool) -> None:
    """One change is an accident; what changed only over longer times is told as its table's others are."""
    versions = [Version(at * MINUTE, at, min(at, changes)) for at in range(10)]
    assert moves(versions, MINUTE) is moving
    assert moves(versions, None) is moving
    assert not moves(versions, MINUTE - 1)


def test_a_record_that_moves_is_told_after_a_sight_only() -> None:
    """Its table looks back a minute; this one does not."""
    part = {"versions": {"k": [[100, {"v": 1}]]}, "horizon": 50, "back": 50}
    assert DatedTable(decode(TimelinePart, part), 80).get("k") == {"v": 1}
    assert DatedTable(decode(TimelinePart, {**part, "moving": ["k"]}), 80).get("k") is None
    assert DatedTable(decode(TimelinePart, {**part, "moving": ["k"]}), 120).get("k") == {"v": 1}


def visits() -> list[list[tuple[str, dict[str, Any], str]]]:
    """Every minute somebody reads a meter, three of one meter in a row; each who reads the busy one tops it up by a voucher."""
    units = dict.fromkeys(METERS, 5)
    out = []
    for at in range(240):
        meter = METERS[at // 3 % len(METERS)]
        shown = json.dumps({"meter": meter, "units": units[meter]})
        calls: list[tuple[str, dict[str, Any], str]] = [("read_meter", {"meter": meter}, shown)]
        if meter == BUSY:
            units[meter] += 3 + at * at % 17
            calls.append(("top_up", {"meter": meter, "voucher": f"VC-{at * 37}"}, '"thanks"'))
        out.append(calls)
    return out


def recorded(at: int, calls: list[tuple[str, dict[str, Any], str]]) -> CleanEpisode:
    """A visit as an episode."""
    steps = [CleanStep(role="user", content="hello")]
    for n, (name, arguments, result) in enumerate(calls):
        asked = CleanToolCall(call_id=f"c{n}", name=name, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(asked,)))
        steps.append(CleanStep(role="tool", call_id=f"c{n}", content=result))
    return CleanEpisode(app="flat", episode_id=f"e{at}", started_at=at * MINUTE, steps=tuple(steps))


def test_a_later_sight_is_not_told_where_somebody_unseen_may_have_written() -> None:
    """The first visitor of three is recorded by nobody: what the second sees is what the first left."""
    made = visits()
    seen = [recorded(at, calls) for at, calls in enumerate(made) if at % 3]
    learnt = learn_world(seen, WorldSettings(risk=0, continuity="living"))
    world = World.from_json(learnt.document.to_json())
    calm = 0
    for at, calls in enumerate(made):
        if at % 3 == 0:
            name, arguments, truth = calls[0]
            result = world.session(started_at=at * MINUTE).call(name, arguments)
            assert result.source == UNKNOWN or result.content == truth
            calm += result.source != UNKNOWN
    assert calm > 60

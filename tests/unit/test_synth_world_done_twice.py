"""What was seen to be done twice is told a second time."""

from __future__ import annotations

import json
from typing import Any

from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

Made = tuple[str, dict[str, Any] | str, str]
LOCKERS = [f"locker-{number}" for number in range(20, 32)]


def _clear(locker: str) -> Made:
    said = {"cleared": True, "note": f"Latest parcel of {locker} taken out."}
    return "clear_latest", {"locker": locker}, json.dumps(said)


def _put(locker: str) -> Made:
    return "put_parcel", {"locker": locker}, json.dumps({"stored": True, "locker": locker})


def _asked(more: list[list[Made]], *calls: Made) -> list[str]:
    made: list[list[Made]] = [
        *([_clear(locker)] for locker in LOCKERS),
        *([_put(locker), _clear(locker), _clear(locker)] for locker in LOCKERS),
        *more,
    ]
    learnt = learn_world([episode(n, one) for n, one in enumerate(made)], WorldSettings(risk=0))
    session = World.from_json(learnt.document.to_json()).session({})
    return [session.call(name, json.dumps(given)).source for name, given, _ in calls]


def test_a_second_time_is_told_where_it_was_seen_with_nothing_before_it() -> None:
    """One locker was cleared twice by itself, in two recordings."""
    other = _clear("locker-31")
    clear = _clear("locker-20")
    assert "unknown" not in _asked([[other, other], [other, other]], clear, clear)

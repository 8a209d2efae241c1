"""A backend that lives on, measured: the support desk over thirty days, what its world answers and what its tasks can.

Comes in: numbers of conversations. Goes out: one line of JSON each: held-out conversations (every fourth), asked of the world
at the moment they began; and the conversations it was learnt from, asked from their own task's start, with and without their
own recorded writes. Not here: backends that reset (`unseen`, `worlds`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from benchmarks.chat_logs import to_episode
from dagster_project.recorded_calls import recorded_calls
from environments.fidelity import RecordedEpisode, record_tape, replay
from environments.runtime.world import World
from examples.support_desk.app import season
from examples.support_desk.records import chat_log_line
from examples.support_desk.season import Plan
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.variant import make_variant
from redact.clean_episode import CleanEpisode
from synth.worlds import LearntWorld, WorldSettings, learn_world

HELD_OUT: Final = 4
"""Every fourth conversation is held out."""
COUNTED: Final = ("calls", "exact", "wrong", "unknown", "reads", "writes", "tape")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line of JSON for each season."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--conversations", default="300")
    parser.add_argument("--variant", type=int, default=0)
    options = parser.parse_args(arguments)
    for count in map(int, options.conversations.split(",")):
        print(json.dumps(measure(desk_season(count, options.variant))), flush=True)
    return 0


def desk_season(count: int, variant: int) -> list[CleanEpisode]:
    """Conversations of one living desk, in order of time."""
    plan = Plan(
        app="desk", variant=make_variant(variant), seed=0, conversations=count, mode="living"
    )
    return [to_episode(chat_log_line(one, [])) for one in season(plan, Telemetry())]


def measure(episodes: Sequence[CleanEpisode]) -> dict[str, Any]:
    """All figures of one season."""
    kept = [e for at, e in enumerate(episodes) if at % HELD_OUT != HELD_OUT - 1]
    held = [e for at, e in enumerate(episodes) if at % HELD_OUT == HELD_OUT - 1]
    learnt = learn_world(kept, WorldSettings())
    world = World.from_json(json.loads(json.dumps(learnt.document)))
    tape = [recorded_calls(e) for e in kept]
    return {
        "conversations": len(episodes),
        "continuity": learnt.continuity["kind"],
        "held_out": _asked(world, map(recorded_calls, held), tape),
        "tasks": _asked(world, _from_starts(kept, learnt, own=True)),
        "tasks_without_their_recorded_writes": _asked(world, _from_starts(kept, learnt, own=False)),
    }


def _from_starts(
    episodes: Iterable[CleanEpisode], learnt: LearntWorld, *, own: bool
) -> Iterable[RecordedEpisode]:
    for episode in episodes:
        start = learnt.start_of(episode)
        if not own:
            start = {**start, "tape": []}
        yield recorded_calls(episode, start=start, started_at=episode.started_at)


def _asked(
    world: World, asked: Iterable[RecordedEpisode], kept: Iterable[RecordedEpisode] = ()
) -> dict[str, Any]:
    found = replay(world, asked, tape=record_tape(kept)).to_json()
    return {name: found[name] for name in COUNTED}


if __name__ == "__main__":
    raise SystemExit(main())

"""A backend that lives on, measured: the support desk over thirty days, what its world answers and what its tasks can.

Comes in: numbers of conversations. Goes out: one line of JSON each: held-out conversations (every fourth), asked of the world
at the moment they began; and the conversations it was learnt from, asked from their own task's start, with and without their
own recorded writes; with `--random`, legal calls at random on the real backend as it was at three moments of the season, beside
the world at that moment. Not here: backends that reset (`unseen`, `worlds`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final
from unittest.mock import patch

from benchmarks.testbeds.chat_logs import to_episode
from dagster_project.worlds.recorded_calls import recorded_calls
from environments.fidelity import RecordedCall, RecordedEpisode, record_tape, replay
from environments.runtime.world.world import World
from examples.support_desk import living
from examples.support_desk.app import season
from examples.support_desk.backend.database import copy_of
from examples.support_desk.backend.generator import make_shop
from examples.support_desk.random_calls import sample_calls
from examples.support_desk.records import chat_log_line
from examples.support_desk.season import Plan
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.truth import RealBackend
from examples.support_desk.variant import Variant, make_variant
from redact.records.clean_episode import CleanEpisode
from synth.worlds import LearntWorld, WorldSettings, learn_world

HELD_OUT: Final = 4
"""Every fourth conversation is held out."""
MOMENTS: Final = 3
"""Moments of a season at which the backend is asked at random: after each third of it."""
SEQUENCES: Final = 20
LENGTH: Final = 15
COUNTED: Final = ("calls", "exact", "wrong", "unknown", "reads", "writes", "tape")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line of JSON for each season."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--conversations", default="300")
    parser.add_argument("--variant", default="0")
    parser.add_argument("--random", action="store_true")
    options = parser.parse_args(arguments)
    for count in map(int, options.conversations.split(",")):
        for variant in map(int, options.variant.split(",")):
            if options.random:
                found = measure_random(count, variant)
            else:
                found = measure(desk_season(count, variant))
            print(json.dumps({"variant": variant, **found}), flush=True)
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
    world = World.from_json(learnt.document.to_json())
    tape = [recorded_calls(e) for e in kept]
    return {
        "conversations": len(episodes),
        "continuity": learnt.continuity.kind,
        "held_out": _asked(world, map(recorded_calls, held), tape),
        "tasks": _asked(world, _from_starts(kept, learnt, own=True)),
        "tasks_without_their_recorded_writes": _asked(world, _from_starts(kept, learnt, own=False)),
    }


def measure_random(count: int, variant: int) -> dict[str, Any]:
    """Random legal calls on the living backend, as it was at moments of the season, and on the world learnt from all of it."""
    shops: list[Connection] = []

    def make(variant: Variant, seed: int) -> Connection:
        shops.append(make_shop(variant, seed))
        return shops[0]

    plan = Plan(
        app="desk", variant=make_variant(variant), seed=0, conversations=count, mode="living"
    )
    episodes: list[CleanEpisode] = []
    moments: list[tuple[datetime, Connection]] = []
    with patch.object(living, "make_shop", make):
        for number, one in enumerate(season(plan, Telemetry()), start=1):
            episodes.append(to_episode(chat_log_line(one, [])))
            if number * MOMENTS // count > len(moments):
                moments.append((one.talk.said[-1].at, copy_of(shops[0])))
    learnt = learn_world(episodes, WorldSettings())
    world = World.from_json(learnt.document.to_json())
    asked = [
        _sampled(variant, seed, now=now, shop=shop)
        for now, shop in moments
        for seed in range(SEQUENCES)
    ]
    found = replay(world, asked).to_json()
    tools = found["by_tool"]
    return {
        "conversations": count,
        "continuity": learnt.continuity.kind,
        "random": {name: found[name] for name in COUNTED if name != "tape"},
        "by_tool": {
            name: "/".join(str(part[v]) for v in ("exact", "wrong", "unknown"))
            for name, part in (tools.items() if isinstance(tools, dict) else ())
            if isinstance(part, dict)
        },
    }


def _sampled(variant: int, seed: int, *, now: datetime, shop: Connection) -> RecordedEpisode:
    """One sequence of random calls on a copy of the shop at a moment."""
    backend = RealBackend.at(variant, copy_of(shop), now)
    calls = [
        RecordedCall(name=s.name, arguments=json.dumps(s.arguments), content=s.content)
        for s in sample_calls(backend, seed=seed, length=LENGTH)
    ]
    at = int(now.timestamp() * 1_000_000_000) + 1
    return RecordedEpisode(episode_id=f"{now} {seed}", calls=calls, started_at=at)


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

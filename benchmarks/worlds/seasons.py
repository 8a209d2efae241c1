"""A backend that lives on: the support desk over thirty days, what its world answers and what its tasks can.

Held-out conversations (every fourth) are asked of the world at the moment they began; the conversations it was learnt from are asked from
their own task's start, with and without their own recorded writes; with `--random`, legal calls at random on the real backend as it was at
three moments of the season, beside the world at that moment. Not here: backends that reset (`unseen`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from sqlite3 import Connection
from typing import Any, Final
from unittest.mock import patch

from benchmarks.figures import Figure, Row
from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.desk.conversations import desk_season
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


def options(parser: argparse.ArgumentParser) -> None:
    """Which seasons."""
    parser.add_argument("--conversations", default="300")
    parser.add_argument("--variant", default="0")
    parser.add_argument("--random", action="store_true", help="random calls at moments of it")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each way to ask a season's world."""
    for count in map(int, options.conversations.split(",")):
        for variant in map(int, options.variant.split(",")):
            found = (
                measure_random(count, variant)
                if options.random
                else measure(desk_season(count, variant, mode="living"))
            )
            for asked, figures in found.items():
                yield Row(case=f"desk {variant}, {count} conversations, {asked}", figures=figures)


def measure(episodes: Sequence[CleanEpisode]) -> dict[str, dict[str, Figure]]:
    """All figures of one season."""
    kept = [e for at, e in enumerate(episodes) if at % HELD_OUT != HELD_OUT - 1]
    held = [e for at, e in enumerate(episodes) if at % HELD_OUT == HELD_OUT - 1]
    learnt = learn_world(kept, WorldSettings())
    world = World.from_json(learnt.document.to_json())
    tape = [recorded_calls(e) for e in kept]
    return {
        "held out": _asked(world, map(recorded_calls, held), tape),
        "tasks": _asked(world, _from_starts(kept, learnt, own=True)),
        "tasks without their writes": _asked(world, _from_starts(kept, learnt, own=False)),
    }


def measure_random(count: int, variant: int) -> dict[str, dict[str, Figure]]:
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
    return {"random": _asked(world, asked)}


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
) -> dict[str, Figure]:
    found: Mapping[str, Any] = replay(world, asked, tape=record_tape(kept)).to_json()
    return {f"{name} {part}": figure for name in COUNTED for part, figure in _parts(found[name])}


def _parts(found: Any) -> Iterator[tuple[str, Figure]]:  # noqa: ANN401 - a count, or counts by name
    """A count, or each of several."""
    yield from found.items() if isinstance(found, dict) else [("", found)]

"""Worlds of backends that nobody tuned for: learnt from some attempts, asked others and sequences that nobody made.

For each invented backend (`benchmarks/testbeds/invented`): *h* is the third attempt at every task, *p* random sequences of recorded tools and values on a
fresh backend. For the example support desk: the world rebuilt from its conversations, random calls, several variants.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.testbeds.desk.conversations import desk_season
from benchmarks.testbeds.invented.attempts import (
    TASKS,
    Attempt,
    Made,
    attempts,
    episode,
    recombined,
    started,
)
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.invented.devices.campus_tasks import CAMPUS
from benchmarks.testbeds.invented.devices.mobile import MOBILE
from benchmarks.testbeds.invented.office.agenda_tasks import AGENDA
from benchmarks.testbeds.invented.office.crm import CRM
from benchmarks.testbeds.invented.office.leave_tasks import LEAVE
from benchmarks.testbeds.invented.office.sheet import SHEET
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.trade.billing_tasks import BILLING
from benchmarks.testbeds.invented.trade.depot_tasks import DEPOT
from benchmarks.testbeds.invented.trade.ledger import LEDGER
from benchmarks.testbeds.invented.trade.stays import STAYS
from dagster_project.worlds.recorded_calls import recorded_episodes
from environments.fidelity import (
    Fidelity,
    RecordedCall,
    RecordedEpisode,
    record_tape,
    replay,
)
from environments.runtime.world.world import World
from examples.support_desk.random_calls import sample_calls
from examples.support_desk.truth import RealBackend
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world

STYLES = (TICKETS, SHEET, LEDGER, MOBILE, STAYS, CRM, AGENDA, DEPOT, LEAVE, BILLING, CAMPUS)
HELD_OUT = 2
"""The attempt at each task that learning does not see."""
SEQUENCES = 150
DESK_VARIANTS = (0, 1, 2, 3)
DESK_CONVERSATIONS = 200
DESK_SEQUENCES = 40
DESK_LENGTH = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One test of one world."""

    name: str
    kind: str
    """`h` or `p`."""
    fidelity: Fidelity


def measure(style: Style, seed: int = 0) -> list[Measured]:
    """Both tests of one backend."""
    _, found = asked_in_form(style, seed, lambda a: a, lambda a: episode(style, a))
    return [
        Measured(name=style.name, kind=kind, fidelity=fidelity)
        for kind, fidelity in zip("hp", found, strict=True)
    ]


def asked_in_form(
    style: Style,
    seed: int,
    formed: Callable[[Attempt], Attempt],
    read: Callable[[Attempt], CleanEpisode],
) -> tuple[World, list[Fidelity]]:
    """A world learnt from attempts in one form, and what held-out attempts and recombined sequences in that form are told.

    `read` makes an episode of an attempt that is in that form already. Where tasks start from states of their own, each is asked
    of its first attempt's start.
    """
    made = attempts(style, seed)
    train = [a for a in made if a.number != HELD_OUT]
    held = [a for a in made if a.number == HELD_OUT]
    befores = [started(style, task, seed) for task in range(TASKS)] if style.starting else []
    sequences = recombined(style, train, SEQUENCES, befores=befores)
    mixed = [Attempt(task=at % TASKS, number=0, calls=c) for at, c in enumerate(sequences)]
    shown = [formed(a) for a in train]
    learnt = learn_world([read(a) for a in shown], WorldSettings())
    world = World.from_json(learnt.document.to_json())
    tape = record_tape(recorded(a.calls) for a in shown)
    starts: dict[int, dict[str, Any]] = {}
    if style.starting:
        for one in reversed(shown):
            whole = read(one)
            start = learnt.start_of(whole)
            starts[one.task] = {"start": start, "started_at": whole.started_at} if start else {}
    found = [
        replay(
            world,
            [replace(recorded(formed(a).calls), **starts.get(a.task, {})) for a in asked],
            tape=tape,
        )
        for asked in (held, mixed)
    ]
    return world, found


def measure_desk(variant: int) -> Fidelity:
    """Random calls on the example support desk, and on the world rebuilt from its conversations."""
    episodes = desk_season(DESK_CONVERSATIONS, variant, mode="reset")
    world = World.from_json(learn_world(episodes, WorldSettings()).document.to_json())
    asked = [
        RecordedEpisode(
            episode_id="",
            calls=[
                RecordedCall(name=s.name, arguments=json.dumps(s.arguments), content=s.content)
                for s in sample_calls(RealBackend(variant), seed=seed, length=DESK_LENGTH)
            ],
        )
        for seed in range(DESK_SEQUENCES)
    ]
    return replay(world, asked, tape=record_tape(recorded_episodes(episodes)))


def recorded(calls: Iterable[Made]) -> RecordedEpisode:
    """Calls as `fidelity` takes them."""
    return RecordedEpisode(
        episode_id="",
        calls=[
            RecordedCall(name=c.name, arguments=json.dumps(c.arguments), content=c.content)
            for c in calls
        ],
    )

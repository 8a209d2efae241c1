"""Invented backends that live on: one backend through all attempts, learnt from two of three, asked at moments of its life.

`measure`: *h* is each third attempt, asked from the moment it began; *p* random sequences of recorded tools and values on the real backend as
the third attempts met it. Held-out attempts change the backend too: writes that nobody recorded. `measure_tasks` asks what a rollout is told
from its own episode's start: of each recorded attempt's start, *t* its own calls, *n* the same without its recorded answers, *o* its own calls
in another order, *d* seven in ten of them, *m* its own calls mixed with other attempts' calls whose arguments are this attempt's values. Not
here: backends that start afresh (`unseen`), the desk over thirty days (`worlds_living`).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from benchmarks.testbeds.invented.attempts import Attempt, attempts, episode, make, recombined
from benchmarks.testbeds.invented.backend import Call, Style
from benchmarks.worlds.unseen import HELD_OUT, SEQUENCES, Measured, recorded
from environments.fidelity import RecordedEpisode, record_tape, replay
from environments.runtime.world.world import World
from synth.world.subjects import subject_of
from synth.worlds import LearntWorld, WorldSettings, learn_world

KEPT: Final = 0.7
"""Share of its own calls that an attempt makes in *d*."""
OTHERS: Final = 8
"""Calls of other attempts in *m*."""
LONGEST: Final = 12
"""Calls in one sequence of *m*."""


def measure(style: Style, seed: int) -> tuple[LearntWorld, list[Measured]]:
    """What was learnt of one backend that lives on, and both tests."""
    made = attempts(style, seed, living=True)
    train = [a for a in made if a.number != HELD_OUT]
    held = [a for a in made if a.number == HELD_OUT]
    learnt = learn_world([episode(style, a) for a in train], WorldSettings())
    world = World.from_json(learnt.document.to_json())
    tape = record_tape(recorded(a.calls) for a in train)
    moments = [a.before for a in held if a.before is not None]
    mixed = recombined(style, train, SEQUENCES, befores=moments)
    probes = [replace(held[at % len(held)], calls=calls) for at, calls in enumerate(mixed)]
    return learnt, [
        Measured(name=style.name, kind=kind, fidelity=replay(world, asked, tape=tape))
        for kind, asked in (
            ("h", [_asked(style, a) for a in held]),
            ("p", [_asked(style, a) for a in probes]),
        )
    ]


def _asked(style: Style, attempt: Attempt) -> RecordedEpisode:
    whole = episode(style, attempt)
    start = {"subject": subject_of(whole)}
    return replace(recorded(attempt.calls), start=start, started_at=whole.started_at)


def measure_tasks(style: Style, seed: int) -> list[Measured]:
    """All tests of one backend."""
    train = [a for a in attempts(style, seed, living=True) if a.number != HELD_OUT]
    whole = [episode(style, a) for a in train]
    learnt = learn_world(whole, WorldSettings())
    world = World.from_json(learnt.document.to_json())
    calls = [(made.name, made.arguments) for a in train for made in a.calls]
    asked: dict[str, list[RecordedEpisode]] = defaultdict(list)
    for number, (attempt, one) in enumerate(zip(train, whole, strict=True)):
        rng = random.Random(f"{style.name}/{seed}/{number}/own")  # noqa: S311 - dice
        start = learnt.start_of(one)
        for kind, wanted in _sequences(attempt, calls, rng):
            own: dict[str, Any] = {**start, "tape": []} if kind == "n" else start
            found = replace(_asked_of(attempt, wanted), start=own, started_at=one.started_at)
            asked[kind].append(found)
    return [
        Measured(name=style.name, kind=kind, fidelity=replay(world, made))
        for kind, made in asked.items()
    ]


def _sequences(
    attempt: Attempt, calls: Sequence[Call], rng: random.Random
) -> Iterator[tuple[str, Sequence[Call]]]:
    own: list[Call] = [(made.name, made.arguments) for made in attempt.calls]
    yield "t", own
    yield "n", own
    yield "o", rng.sample(own, len(own))
    yield "d", [call for call in own if rng.random() < KEPT]
    values: dict[str, list[Any]] = defaultdict(list)
    for _, arguments in own:
        for name, value in arguments.items():
            values[name].append(value)
    mixed: list[Call] = []
    for mine, (tool, given) in zip([*own, *own], rng.choices(calls, k=OTHERS), strict=False):
        about = {name: rng.choice(values.get(name, [value])) for name, value in given.items()}
        mixed += [mine, (tool, about)]
    yield "m", mixed[:LONGEST]


def _asked_of(attempt: Attempt, calls: Sequence[Call]) -> RecordedEpisode:
    """The calls with what the real backend says to them, as it was when the attempt began."""
    backend = deepcopy(attempt.before)
    assert backend is not None  # noqa: S101 - a living season keeps it
    return recorded([make(backend, call) for call in calls])

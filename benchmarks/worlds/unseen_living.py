"""Invented backends that live on: one backend through all attempts, learnt from two of three, asked at moments of its life.

*h* is each
third attempt, asked from the moment it began; *p* random sequences of recorded tools and values on the real backend as the
third attempts met it.  Held-out attempts change the backend too:
writes that nobody recorded. Not here: backends that start afresh (`unseen`), the desk over thirty days (`worlds_living`).
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.testbeds.invented.attempts import Attempt, attempts, episode, recombined
from benchmarks.testbeds.invented.backend import Style
from benchmarks.worlds.unseen import (
    HELD_OUT,
    SEQUENCES,
    Measured,
    recorded,
)
from environments.fidelity import RecordedEpisode, record_tape, replay
from environments.runtime.world.world import World
from synth.world.observation import subject_of
from synth.worlds import LearntWorld, WorldSettings, learn_world


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

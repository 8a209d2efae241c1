"""The backends of `bfcl` as they are published: every conversation begins in a state of its own.

Run: `TRACEGYM_OUTSIDE=FOLDER python -m benchmarks bfcl_starts [--seed N] [--backend NAME,…] [--tools] [--wrong N]
[--unknown N]`. Every fifth conversation is never recorded; of the others two attempts are. *h*: the third attempts; *u*: an
attempt at each conversation that was not recorded, from a start that nobody saw; *p*: recorded tools and values in an order
that no attempt had, on every start. Says which continuity was inferred.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.testbeds.invented.attempts import (
    ATTEMPTS,
    Attempt,
    attempted,
    episode,
    recombined,
)
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.published.bfcl import CLASSES, STYLES, Published, conversations, steps
from benchmarks.worlds.unseen import HEAD, HELD_OUT, SEQUENCES, Measured, parse, recorded, show
from environments.fidelity import RecordedEpisode, record_tape, replay
from environments.runtime.document.codec import encode
from environments.runtime.world.world import World
from synth.world.observation import subject_of
from synth.worlds import LearntWorld, WorldSettings, learn_world

APART = 5
"""Every which conversation is not recorded."""


def measure(style: Style, seed: int) -> tuple[LearntWorld, list[Measured]]:
    """What was learnt of one backend whose start differs with every conversation, and all tests."""
    made = _attempts(style, seed)
    known = [a for a in made if a.task % APART]
    train = [a for a in known if a.number != HELD_OUT]
    held = [a for a in known if a.number == HELD_OUT]
    apart = [a for a in made if not a.task % APART and a.number == HELD_OUT]
    learnt = learn_world([episode(style, a) for a in train], WorldSettings())
    starts = {
        a.task: (learnt.start_of(e), e.started_at)
        for a in reversed(train)
        for e in [episode(style, a)]
    }
    world = World.from_json(learnt.document.to_json())
    tape = record_tape(recorded(a.calls) for a in train)
    lasts = [a for a in made if a.number == HELD_OUT]
    befores = [a.before for a in lasts if a.before is not None]
    mixed = recombined(style, train, SEQUENCES, befores=befores)
    probes = [replace(lasts[at % len(lasts)], calls=calls) for at, calls in enumerate(mixed)]
    return learnt, [
        Measured(
            name=style.name,
            kind=kind,
            fidelity=replay(world, [_asked(style, a, starts) for a in asked], tape=tape),
        )
        for kind, asked in (("h", held), ("u", apart), ("p", probes))
    ]


def _attempts(style: Style, seed: int) -> list[Attempt]:
    """Every conversation three times, each time from its own start."""
    name = CLASSES[style.name]
    known = conversations(name)
    out: list[Attempt] = []
    for task, one in enumerate(known):
        other = known[(task + 1) % len(known)]
        script, pool = (steps(name, c, one.start) for c in (one, other))
        for number in range(ATTEMPTS):
            rng = random.Random(f"{style.name}/{seed}/{task}/{number}")  # noqa: S311 - dice
            calls = attempted(Published(name, one.start), script, pool, rng)
            before = Published(name, one.start)
            out.append(Attempt(task=task, number=number, calls=calls, before=before))
    return out


def _asked(
    style: Style, attempt: Attempt, starts: Mapping[int, tuple[dict[str, Any], int]]
) -> RecordedEpisode:
    """The attempt, from its task's start where the task was recorded, else from whatever holds for everybody then."""
    whole = episode(style, attempt)
    start, at = starts.get(attempt.task, ({"subject": subject_of(whole)}, whole.started_at))
    return replace(recorded(attempt.calls), start=start, started_at=at)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    options = parse(arguments)
    wanted = options.backend.split(",") if options.backend else None
    print(HEAD)
    for style in STYLES:
        if wanted is None or style.name in wanted:
            learnt, found = measure(style, options.seed)
            print(f"{style.name}: {json.dumps(encode(learnt.continuity))}")
            for measured in found:
                show(measured, options)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""A conversation with a fault that is known, and what is found of it.

Comes in: a good and a faulty conversation about one request. Goes out: the first step at which they part, and failure records with or without resolved attempts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.causes.figures import BAD, GOOD
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.failures.detection import Failure, detect
from synth.failures.reading import AppReading
from tests.failure_reference import reference_from


@dataclass(frozen=True, slots=True, kw_only=True)
class Faulty:
    """One conversation with a fault that is known."""

    episode: CleanEpisode
    fault: str
    step: int


def told_apart(kind: str, right: CleanEpisode, wrong: CleanEpisode) -> Iterator[Faulty]:
    """A faulty conversation with the first step at which it is another than the good one."""
    for index, step in enumerate(wrong.steps):
        same = index < len(right.steps) and _shape(right.steps[index]) == _shape(step)
        if same:
            continue
        if step.role == "assistant":
            fault = kind
            if kind == "wrong_argument" and step.tool_calls and index < len(right.steps):
                fault = f"{kind}: {_difference(step, right.steps[index])}"
            yield Faulty(episode=wrong, fault=fault, step=index)
        return


def _shape(step: CleanStep) -> object:
    return step.role, step.content, [(c.name, c.arguments) for c in step.tool_calls]


def _difference(wrong: CleanStep, right: CleanStep) -> str:
    if not right.tool_calls or right.tool_calls[0].name != wrong.tool_calls[0].name:
        return "another tool"
    one, other = (json.loads(s.tool_calls[0].arguments) for s in (wrong, right))
    names = sorted(name for name in one if one[name] != other.get(name))
    return f"{wrong.tool_calls[0].name} {' '.join(names)}"


def failures_of(
    resolved: Sequence[CleanEpisode], faulty: Sequence[Faulty], *, attempts: bool
) -> list[tuple[Faulty, Failure]]:
    """The failure record of each faulty conversation."""
    key = None if attempts else ""
    good = [(one if attempts else replace(one, task_key=key or None), GOOD) for one in resolved]
    app = AppReading(reference=reference_from(good))
    found = []
    for one in faulty:
        episode = one.episode if attempts else replace(one.episode, task_key=None)
        failure = detect(episode, BAD, app=app)
        if failure is not None:
            found.append((one, failure))
    return found

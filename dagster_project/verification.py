"""Verified tasks in the lake: what the gate of `environments.verify` said of each task version.

Comes in: candidates of an app and its world. Goes out: `VerifiedTask`s; a version that was verified before keeps its
verdict. Not here: the attacks themselves.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagster_project.learnt_worlds import StoredWorld
from dagster_project.rows import plain_json
from environments.runtime.attempt import Attempt
from environments.runtime.candidate import Action, Candidate
from environments.runtime.canonical import task_version
from environments.runtime.environment import run_actions
from environments.runtime.task import Task
from environments.runtime.world import World
from environments.verify import NEEDS_REVIEW, verify

GATE: str = "1"
"""Goes up when the gate's probes change: every task is attacked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedTask:
    """What is known of one task version."""

    task_id: str
    task_version: str
    status: str
    reasons: tuple[str, ...]
    probes: tuple[Mapping[str, Any], ...]
    gate: str


def verify_all(
    candidates: Sequence[Candidate],
    world: StoredWorld | None,
    *,
    known: Mapping[str, VerifiedTask],
    track: Callable[[Sequence[Candidate]], Iterable[Candidate]] = lambda items: items,
) -> list[VerifiedTask]:
    """Attack every candidate whose version is new."""
    backend = None if world is None else World.from_json(world.document)
    digest = "" if world is None else world.digest

    def run(task: Task, actions: Sequence[Action]) -> Attempt:
        if backend is None:
            raise ValueError("a task without a world cannot be run")
        return run_actions(task, backend, actions)

    found: list[VerifiedTask] = []
    for candidate in track(candidates):
        version = task_version(candidate.task, candidate.rubric, world_digest=digest)
        before = known.get(candidate.task.task_id)
        if before is not None and before.task_version == version and before.gate == GATE:
            found.append(before)
        elif backend is None:
            found.append(_unverifiable(candidate, version))
        else:
            others = [other for other in candidates if other is not candidate]
            verdict = verify(candidate, others=others, run=run, world_digest=digest)
            found.append(
                VerifiedTask(
                    task_id=verdict.task_id,
                    task_version=verdict.task_version,
                    status=verdict.status,
                    reasons=tuple(verdict.reasons),
                    probes=tuple(plain_json(probe.to_json()) for probe in verdict.probes),
                    gate=GATE,
                )
            )
    return found


def _unverifiable(candidate: Candidate, version: str) -> VerifiedTask:
    return VerifiedTask(
        task_id=candidate.task.task_id,
        task_version=version,
        status=NEEDS_REVIEW,
        reasons=("no_world",),
        probes=(),
        gate=GATE,
    )

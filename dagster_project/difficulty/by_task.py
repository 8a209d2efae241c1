"""The difficulty of all tasks of an app: counts of each, and estimates that borrow from tasks of the same kind.

Comes in: candidates, their versions, rollouts, which tools change something. Goes out: `TaskDifficulty`s, and the estimates' calibration.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from dagster_project.difficulty.estimate import Calibration, Estimator, TriedAttempt, calibrate
from dagster_project.difficulty.pass_rates import TaskDifficulty, difficulty_of
from environments.runtime.play.message import requests_of
from environments.runtime.task.candidate import Action, Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class AppDifficulty:
    """Every task of an app."""

    tasks: tuple[TaskDifficulty, ...]
    calibration: Calibration | None


def difficulties(
    candidates: Sequence[Candidate],
    versions: Mapping[str, str],
    rollouts: Mapping[str, Iterable[Mapping[str, Any]]],
    *,
    writers: Collection[str],
) -> AppDifficulty:
    """The difficulty of every candidate that has a version; `writers` are the tools that change something."""
    shapes = {c.task.task_id: shape_of(c, writers) for c in candidates}
    attempts = [
        replace(shapes[c.task.task_id], resolved=a.resolved)
        for c in candidates
        for a in c.attempts
        if a.resolved is not None
    ]
    estimator = Estimator(attempts)
    found = []
    for candidate in candidates:
        task_id = candidate.task.task_id
        if task_id in versions:
            shape = shapes[task_id]
            plain = difficulty_of(candidate, versions[task_id], rollouts.get(task_id, ()))
            writes = sum(1 for name in _calls(candidate.solution) if name in writers)
            found.append(
                replace(
                    plain,
                    writes=writes if candidate.solution else None,
                    kind=shape.kind,
                    estimate=estimator.estimate(shape),
                )
            )
    return AppDifficulty(tasks=tuple(found), calibration=calibrate(attempts))


def shape_of(candidate: Candidate, writers: Collection[str]) -> TriedAttempt:
    """What a task looks like before anybody knows how it ends: what its attempts change, and how long they are."""
    runs = [attempt.actions for attempt in candidate.attempts if attempt.actions]
    runs = runs or [candidate.solution]
    changed = [[name for name in _calls(run) if name in writers] for run in runs]
    return TriedAttempt(
        task_id=candidate.task.task_id,
        kind=" + ".join(sorted({name for names in changed for name in names})) or "changes nothing",
        resolved=False,
        steps=float(median(map(len, runs))),
        writes=float(median(map(len, changed))),
    )


def _calls(actions: Iterable[Action]) -> list[str]:
    return [request.name for action in actions for request in requests_of(action, first=0)]

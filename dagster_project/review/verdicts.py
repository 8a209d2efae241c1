"""Later verdicts on stored rollouts: read rollouts, grade them again, keep the new verdicts beside the old.

Comes in: the clean lake and a task set. Goes out: what changed. A rollout's own row is never touched; a verdict that is
there already is not written twice.
"""

import time
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from dagster_project.lake import Lake, once
from dagster_project.learnt_tables import ROLLOUTS
from dagster_project.review.tables import VERDICTS
from dagster_project.rows import texts
from environments.regrade import Regraded, Regrading, StoredRun, regrade
from environments.runtime.task_set import TaskSet

_READ = (
    *("app", "day", "rollout_id", "task_id", "task_version", "policy", "seed"),
    *("reward", "predicted", "reason", "error", "trajectory", "opening"),
)


def stored_runs(lake: Lake, app: str) -> Iterator[StoredRun]:
    """The rollouts of an app that no fault of the infrastructure broke, a day in memory at a time."""
    for name, day in lake.counts(ROLLOUTS):
        if name == app:
            yield from _of_day(lake, app, day)


def _of_day(lake: Lake, app: str, day: str) -> list[StoredRun]:
    rows = once(lake.read(ROLLOUTS, app=app, days=[day], columns=_READ), ROLLOUTS).to_pylist()
    names = tuple(StoredRun.__slots__)
    found = [StoredRun(**{n: row[n] for n in names}) for row in rows if row["error"] is None]
    return sorted(found, key=lambda run: (run.task_id, run.policy, run.seed, run.task_version))


def rollout_days(lake: Lake, app: str) -> dict[str, list[str]]:
    """On which days each task of an app was rolled out; the conversations stay where they are."""
    rows = lake.read(ROLLOUTS, app=app, columns=("task_id", "day"))
    pairs = set(zip(texts(rows, "task_id"), texts(rows, "day"), strict=True))
    found: dict[str, list[str]] = {}
    for task_id, day in sorted(pairs):
        found.setdefault(task_id, []).append(day)
    return found


def runs_of_task(lake: Lake, app: str, task_id: str, days: Iterable[str]) -> list[StoredRun]:
    """The stored rollouts of one task."""
    return [run for day in days for run in _of_day(lake, app, day) if run.task_id == task_id]


def regrade_stored(lake: Lake, task_set: TaskSet) -> Regrading:
    """Grade every stored rollout of the set's apps with the set's rubrics, and keep the verdicts."""
    apps = sorted({task.app for task in task_set.tasks})
    found = regrade(task_set, (run for app in apps for run in stored_runs(lake, app)))
    keep_verdicts(lake, found.regraded)
    return found


def keep_verdicts(lake: Lake, regraded: Sequence[Regraded]) -> int:
    """Append the verdicts that are new; says how many."""
    apps = sorted({one.run.app for one in regraded})
    there = {key for app in apps for key in _keys(lake, app)}
    fresh = [one for one in regraded if (one.run.rollout_id, one.verdict.task_version) not in there]
    at = time.time_ns()
    rows = [_row(one, at) for one in fresh]
    lake.append(VERDICTS, pa.Table.from_pylist(rows, schema=VERDICTS.schema))
    return len(fresh)


def _keys(lake: Lake, app: str) -> Iterable[tuple[str, str]]:
    rows = lake.read(VERDICTS, app=app, columns=("rollout_id", "task_version")).to_pylist()
    return [(row["rollout_id"], row["task_version"]) for row in rows]


def _row(one: Regraded, at: int) -> dict[str, object]:
    verdict = one.verdict
    return {
        "app": one.run.app,
        "rollout_id": one.run.rollout_id,
        "rubric": verdict.rubric,
        "task_id": verdict.task_id,
        "task_version": verdict.task_version,
        "policy": one.run.policy,
        "seed": one.run.seed,
        "reward": verdict.reward,
        "predicted": verdict.predicted,
        "reason": verdict.reason,
        "passed": verdict.score.passed,
        "graded": verdict.score.graded,
        "total": verdict.score.total,
        "same_run": one.same_run,
        "at": at,
    }

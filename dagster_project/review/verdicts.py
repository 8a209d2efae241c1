"""Later verdicts on stored rollouts: read rollouts, grade them again, keep the new verdicts beside the old.

Comes in: the clean lake and a task set. Goes out: what changed. A rollout's own row is never touched; a verdict that is
there already is not written twice. Judges are asked only where one is handed in.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from dagster_project.lake.learnt_tables import ROLLOUTS
from dagster_project.lake.rows import texts
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import deduplicate
from dagster_project.review.tables import VERDICTS
from dagster_project.tasks.judge_replies import keep_fresh, replies_of
from dagster_project.worlds.simulated_replies import simulated_replies
from environments.judges.ask import Judge
from environments.judges.question import Question
from environments.regrade import Regraded, Regrading, StoredRun, questions_of_runs, regrade
from environments.runtime.task.task_set import TaskSet
from environments.runtime.task.verdict import Verdict
from environments.runtime.values.grouping import by_key

_READ = (
    *("app", "day", "rollout_id", "task_id", "task_version", "policy", "seed"),
    *("reward", "predicted", "reason", "error", "trajectory", "opening", "simulator", "user_model"),
)


def stored_runs(lake: Lake, app: str) -> Iterator[StoredRun]:
    """The rollouts of an app that no fault of the infrastructure broke, a day in memory at a time."""
    for name, day in lake.counts(ROLLOUTS):
        if name == app:
            yield from _of_day(lake, app, day)


def _of_day(lake: Lake, app: str, day: str) -> list[StoredRun]:
    rows = deduplicate(
        lake.read(ROLLOUTS, app=app, days=[day], columns=_READ), ROLLOUTS
    ).to_pylist()
    names = tuple(StoredRun.__slots__)
    found = [StoredRun(**{n: row[n] for n in names}) for row in rows if row["error"] is None]
    return sorted(found, key=lambda run: (run.task_id, run.policy, run.seed, run.task_version))


def rollout_days(lake: Lake, app: str) -> dict[str, list[str]]:
    """On which days each task of an app was rolled out; the conversations stay where they are."""
    rows = lake.read(ROLLOUTS, app=app, columns=("task_id", "day"))
    pairs = set(zip(texts(rows, "task_id"), texts(rows, "day"), strict=True))
    return by_key((task_id, day) for task_id, day in sorted(pairs))


def runs_of_task(lake: Lake, app: str, task_id: str, days: Iterable[str]) -> list[StoredRun]:
    """The stored rollouts of one task."""
    return [run for day in days for run in _of_day(lake, app, day) if run.task_id == task_id]


def regrade_stored(lake: Lake, task_set: TaskSet, *, judge: Judge | None = None) -> Regrading:
    """Grade every stored rollout of the set's apps with the set's rubrics, and keep the verdicts.

    Judge checks are answered from recordings; a judge that is handed in is asked first for what is missing.
    """
    apps = sorted({task.app for task in task_set.tasks})
    simulated = simulated_replies(lake, apps)
    if judge is not None:
        runs = (run for app in apps for run in stored_runs(lake, app))
        try:
            asyncio.run(_ask(judge, questions_of_runs(task_set, runs, simulated=simulated)))
        finally:
            keep_fresh(lake, judge)
    recordings = replies_of(lake, apps, model=judge.model if judge is not None else None)
    stored = (run for app in apps for run in stored_runs(lake, app))
    found = regrade(task_set, stored, recordings=recordings, simulated=simulated)
    keep_verdicts(lake, found.regraded)
    return found


async def _ask(judge: Judge, questions: Mapping[str, Sequence[Question]]) -> None:
    for app, mine in sorted(questions.items()):
        await judge.answer(mine, app=app)


def keep_verdicts(lake: Lake, regraded: Sequence[Regraded]) -> int:
    """Append the verdicts that are new; says how many."""
    apps = sorted({one.run.app for one in regraded})
    there = {key: said for app in apps for key, said in _last_verdicts(lake, app)}
    fresh = [one for one in regraded if there.get(_key(one)) != _pair(one.verdict)]
    lake.append(VERDICTS, pa.Table.from_pylist(_rows(fresh), schema=VERDICTS.schema))
    return len(fresh)


def _rows(regraded: Iterable[Regraded]) -> list[dict[str, object]]:
    """The verdicts as rows of `VERDICTS`, made now."""
    at = time.time_ns()
    return [_row(one, at) for one in regraded]


def _last_verdicts(
    lake: Lake, app: str
) -> list[tuple[tuple[str, str], tuple[float | None, float | None]]]:
    """The last verdict on each run and version: a judge that was asked later may have changed it."""
    columns = ("rollout_id", "task_version", "reward", "predicted", "at")
    rows = lake.read(VERDICTS, app=app, columns=columns).to_pylist()
    return [
        ((row["rollout_id"], row["task_version"]), (row["reward"], row["predicted"]))
        for row in sorted(rows, key=lambda row: row["at"])
    ]


def _key(one: Regraded) -> tuple[str, str]:
    return one.run.rollout_id, one.verdict.task_version


def _pair(verdict: Verdict) -> tuple[float | None, float | None]:
    return verdict.reward, verdict.predicted


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

"""`difficulty`: how often each task is solved, in production and by the policies that tried it."""

from collections import Counter
from collections.abc import Sequence

import dagster as dg

from dagster_project.defs.partitions import APPS, ONE_RUN
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult
from dagster_project.defs.show import bars, rows_of
from dagster_project.defs.tasks import candidates_of
from dagster_project.defs.verified_tasks import verified_of
from dagster_project.difficulty import TaskDifficulty, difficulty_of
from dagster_project.documents import Document, records, to_rows
from dagster_project.freshness import Key, digests, made_of, store, work
from dagster_project.lake import Lake
from dagster_project.learnt_tables import DIFFICULTY, ROLLOUTS
from dagster_project.progress import counted
from dagster_project.rollout_store import rewards_of

ASSET = "difficulty"


@dg.asset(
    partitions_def=APPS,
    backfill_policy=ONE_RUN,
    deps=[
        "verified_tasks",
        dg.AssetDep("rollouts", partition_mapping=dg.AllPartitionMapping()),
    ],
    group_name="environments",
    kinds={"delta"},
    description="Rates with intervals, per task version: real attempts, and rollouts by policy.",
)
def difficulty(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Count the apps whose verdicts or rollouts changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(lake, context.partition_keys))
    for app in counted(ASSET, sorted(app for app, _ in todo.stale)):
        verdicts, rollouts = verified_of(lake, app), rewards_of(lake, app)
        found = [
            difficulty_of(
                one,
                verdicts[one.task.task_id].task_version,
                rollouts.get(one.task.task_id, ()),
            )
            for one in candidates_of(clean, app)
            if one.task.task_id in verdicts
        ]
        documents = (
            Document(app=app, id=one.task_id, version=one.task_version, content=one)
            for one in found
        )
        store(lake, DIFFICULTY, to_rows(documents), todo, keys=[(app, "")])
    known = [
        one
        for app in context.partition_keys
        for one in records(lake, DIFFICULTY, app, TaskDifficulty).values()
    ]
    policies: Counter[str] = Counter(name for one in known for name in one.policies)
    return dg.MaterializeResult(
        metadata={
            "tasks": len(known),
            "recomputed_apps": len(todo.stale),
            "policies": rows_of(
                ("policy", "tasks tried", "mean reward"),
                [(name, n, _mean(known, name)) for name, n in sorted(policies.items())],
            ),
            "picture": bars("tasks by how often real attempts were resolved", _bands(known)),
        }
    )


def ingredients(lake: Lake, apps: Sequence[str]) -> dict[Key, str]:
    """What each app's difficulty is made of now."""
    written = lake.fingerprints(ROLLOUTS)
    return {
        (app, ""): made_of(
            digests(lake, "verified_tasks", app),
            digests(lake, "tasks", app),
            *(f"{key}={text}" for key, text in written.items() if key[0] == app),
        )
        for app in apps
    }


def _mean(known: Sequence[TaskDifficulty], policy: str) -> float:
    tried = [one.policies[policy] for one in known if policy in one.policies]
    return sum(r.solved for r in tried) / max(1, sum(r.tried for r in tried))


def _bands(known: Sequence[TaskDifficulty]) -> Counter[str]:
    bands: Counter[str] = Counter()
    for one in known:
        rate = one.production.rate
        if rate is None:
            bands["nobody said"] += 1
        else:
            bands[f"{min(int(rate * 5), 4) * 20} to {min(int(rate * 5), 4) * 20 + 20} %"] += 1
    return bands

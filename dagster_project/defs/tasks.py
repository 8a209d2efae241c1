"""`tasks`: recorded attempts at one request as candidates, each with a rubric and where known a solution."""

from collections import Counter
from collections.abc import Sequence

import dagster as dg

from dagster_project.clean_records import clean_episodes_of, labels_of, said_corrections_of
from dagster_project.defs.partitions import APPS, ONE_RUN
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult
from dagster_project.defs.show import bars, table_of
from dagster_project.documents import Document, records, to_rows
from dagster_project.freshness import Key, digests, file_digest, made_of, store, work
from dagster_project.learnt_tables import TASKS
from dagster_project.learnt_worlds import world_of
from dagster_project.progress import tell
from dagster_project.review.feedback import with_rubrics
from dagster_project.review.store import ASSET as REVIEWS
from dagster_project.review.store import reviews_of
from environments.runtime.candidate import Candidate
from environments.runtime.canonical import task_version
from synth.tasks import derive_tasks

ASSET = "tasks"


@dg.asset(
    partitions_def=APPS,
    backfill_policy=ONE_RUN,
    deps=[
        "worlds",
        dg.AssetDep("clean_episodes", partition_mapping=dg.AllPartitionMapping()),
        dg.AssetDep("clean_outcomes", partition_mapping=dg.AllPartitionMapping()),
    ],
    group_name="synth",
    kinds={"delta"},
    description="Opening, tools, world slice, user to come and rubric of every request that was recorded.",
)
def tasks(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Derive the tasks of the apps whose world, episodes or outcomes changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(clean, context.partition_keys))
    for number, app in enumerate(sorted(app for app, _ in todo.stale)):
        tell(ASSET, number, len(todo.stale), app)
        world = world_of(lake, app)
        derived = derive_tasks(
            clean_episodes_of(lake, app),
            labels_of(lake, app, clean.outcome_policy),
            world,
            corrections=said_corrections_of(lake, app, clean.outcome_policy),
        )
        found = with_rubrics(derived, reviews_of(lake, app))
        digest = world.digest if world is not None else ""
        documents = [
            Document(
                app=app,
                id=one.task.task_id,
                version=task_version(one.task, one.rubric, world_digest=digest),
                content=one,
            )
            for one in found
        ]
        store(lake, TASKS, to_rows(documents), todo, keys=[(app, "")])
    candidates = [c for app in context.partition_keys for c in candidates_of(clean, app)]
    reasons = Counter(reason for one in candidates for reason in one.reasons)
    checks = Counter(check.fn for one in candidates for check in one.rubric.checks)
    return dg.MaterializeResult(
        metadata={
            "tasks": len(candidates),
            "with_solution": sum(bool(one.solution) for one in candidates),
            "attempts": sum(len(one.attempts) for one in candidates),
            "recomputed_apps": len(todo.stale),
            "why_not_whole": table_of("reason", reasons),
            "checks": table_of("check", checks),
            "picture": bars("checks of all rubrics", checks),
        }
    )


def ingredients(clean: CleanSide, apps: Sequence[str]) -> dict[Key, str]:
    """What each app's tasks are made of now."""
    lake = clean.lake
    return {
        (app, ""): made_of(
            digests(lake, "worlds", app),
            digests(lake, "clean_episodes", app),
            digests(lake, "clean_outcomes", app),
            digests(lake, REVIEWS, app),
            file_digest(clean.outcome_policy),
        )
        for app in apps
    }


def candidates_of(clean: CleanSide, app: str) -> list[Candidate]:
    """The candidates of an app, by task id."""
    return list(records(clean.lake, TASKS, app, Candidate).values())

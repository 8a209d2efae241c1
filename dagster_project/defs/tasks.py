"""`tasks`: recorded attempts at one request as candidates, each with a rubric and where known a solution."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import dagster as dg
import pyarrow as pa

from dagster_project.build.left_out import Skips, without_those_that_fail
from dagster_project.build.progress import tell
from dagster_project.clean_records import (
    clean_episodes_of,
    labels_of,
    references_said_of,
    said_corrections_of,
)
from dagster_project.defs.asset import every_part_of, lake_asset, make_each
from dagster_project.defs.partitions import APPS
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult, Metadata, asset_result
from dagster_project.defs.show import bars, table_of
from dagster_project.lake.documents import Document, records, to_rows
from dagster_project.lake.freshness import Key, digests, file_digest, made_of, work
from dagster_project.lake.learnt_tables import TASKS
from dagster_project.lake.store import Lake
from dagster_project.review.feedback import with_rubrics
from dagster_project.review.store import ASSET as REVIEWS
from dagster_project.review.store import reviews_of
from dagster_project.tasks.sampling import (
    cluster_by_episode,
    draw_sample,
    keep_sample,
    sampled_episodes,
)
from dagster_project.worlds.stored_worlds import StoredWorld, world_of
from environments.needless_checks import without_needless_checks
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Attempt
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.task import Task
from environments.runtime.values.canonical import task_version
from environments.runtime.world.world import World
from environments.verification.material import OtherTasks
from redact.records.clean_episode import CleanEpisode
from synth.tasks import derive_tasks

ASSET = "tasks"


@lake_asset(
    APPS,
    group="synth",
    deps=[
        "worlds",
        "failure_clusters",
        every_part_of("clean_episodes"),
        every_part_of("clean_outcomes"),
    ],
    says="One task for each recorded request: its opening messages, the tools, the part of the world that it needs, the scripted user, and the rubric.",
)
def tasks(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Derive the tasks of the apps whose world, episodes or outcomes changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(clean, context.partition_keys))
    make_each(lake, TASKS, todo, partial(_derived, clean))
    return asset_result(lake, todo, lambda: _task_metadata(lake, context))


def _derived(clean: CleanSide, app: str, skips: Skips) -> pa.Table:
    """The tasks of an app as rows; without the episodes with which none can be derived, where they can be found."""
    tell(ASSET, 0, 1, app)
    lake = clean.lake
    world = world_of(lake, app)
    labels = labels_of(lake, app, clean.outcome_policy)
    said = said_corrections_of(lake, app, clean.outcome_policy)
    right = references_said_of(lake, app, clean.outcome_policy)
    digest = world.digest if world is not None else ""
    episodes = clean_episodes_of(lake, app)
    sample = None
    if clean.sample:
        sample = draw_sample(episodes, labels, cluster_by_episode(lake, app), clean.sample)
    keep_sample(lake, app, sample)
    notes: list[Skips] = []

    def make(some: Sequence[CleanEpisode]) -> list[Candidate]:
        mine = Skips(ASSET, app)
        derived = derive_tasks(
            some,
            labels,
            world,
            corrections=said,
            references=right,
            unit=mine.unit,
            judged=clean.judge is not None,
        )
        notes[:] = [mine]
        return derived

    derived = without_those_that_fail(
        sampled_episodes(episodes, sample),
        make,
        lambda episode, fault: skips.note(fault, "episode", episode.episode_id),
    )
    for noted in notes:
        skips.take(noted)
    derived = _without_needless_checks(derived, world, skips)
    rows = [TASKS.schema.empty_table()]
    for one in with_rubrics(derived, reviews_of(lake, app)):
        with skips.unit("task", one.task.task_id):
            version = task_version(one.task, one.rubric, world_digest=digest)
            document = Document(app=app, id=one.task.task_id, version=version, content=one)
            rows.append(to_rows([document]))
    return pa.concat_tables(rows).sort_by([("app", "ascending"), ("id", "ascending")])


def _without_needless_checks(
    derived: Sequence[Candidate], world: StoredWorld | None, skips: Skips
) -> list[Candidate]:
    """The tasks, without the words and look-ups that no cheat makes necessary; one at which the gate fails stays out."""
    if world is None:
        return list(derived)
    backend, others = World(world.document), OtherTasks(derived)

    def run(task: Task, actions: Sequence[Action]) -> Attempt:
        return run_actions(task, backend, actions)

    found = []
    for one in derived:
        with skips.unit("task", one.task.task_id):
            found.append(without_needless_checks(one, others=others, run=run))
    return found


def _task_metadata(lake: Lake, context: dg.AssetExecutionContext) -> Metadata:
    candidates = [c for app in context.partition_keys for c in candidates_of(lake, app)]
    reasons = Counter(reason for one in candidates for reason in one.reasons)
    checks = Counter(check.fn for one in candidates for check in one.rubric.checks)
    return {
        "tasks": len(candidates),
        "with_solution": sum(bool(one.solution) for one in candidates),
        "attempts": sum(len(one.attempts) for one in candidates),
        "why_not_whole": table_of("reason", reasons),
        "checks": table_of("check", checks),
        "picture": bars("checks of all rubrics", checks),
    }


def ingredients(clean: CleanSide, apps: Sequence[str]) -> dict[Key, str]:
    """What each app's tasks are made of now."""
    lake, most = clean.lake, clean.sample
    return {
        (app, ""): made_of(
            digests(lake, "worlds", app),
            digests(lake, "clean_episodes", app),
            digests(lake, "clean_outcomes", app),
            digests(lake, REVIEWS, app),
            file_digest(clean.outcome_policy),
            *(["judged"] if clean.judge is not None else []),
            *([f"most {most}", digests(lake, "failure_clusters", app)] if most else []),
        )
        for app in apps
    }


def candidates_of(lake: Lake, app: str) -> list[Candidate]:
    """The candidates of an app, by task id."""
    return list(records(lake, TASKS, app, Candidate).values())

"""`task_sets`: the accepted tasks of each app as a folder that carries its own runtime."""

from collections.abc import Sequence

import dagster as dg

from dagster_project.defs.partitions import APPS, ONE_RUN
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult
from dagster_project.defs.show import rows_of
from dagster_project.documents import Document, contents, to_rows
from dagster_project.freshness import Key, digests, made_of, store, work
from dagster_project.judge_replies import replies_seen
from dagster_project.lake import Lake
from dagster_project.learnt_tables import TASK_SETS
from dagster_project.progress import counted
from dagster_project.task_set_parts import parts_of
from environments.export.splits import SPLITS
from environments.export.taskset import write_task_set
from environments.runtime.task_set import TaskSet

ASSET = "task_sets"
RULES = "splits"
"""Changes when folders written before lack something."""


@dg.asset(
    partitions_def=APPS,
    backfill_policy=ONE_RUN,
    deps=["verified_tasks", "failure_clusters"],
    group_name="environments",
    kinds={"python"},
    description="A folder per app that runs on a bare Python: tasks, worlds, rubrics, runtime, card.",
    check_specs=[
        dg.AssetCheckSpec(
            "opens",
            asset=ASSET,
            description="Every file of every task set has its manifest's hash.",
        ),
        dg.AssetCheckSpec(
            "splits_do_not_leak",
            asset=ASSET,
            description="No user, record, episode, text or solution stands in two splits.",
            blocking=True,
        ),
    ],
)
def task_sets(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Write the task sets of the apps whose verdicts changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(lake, context.partition_keys))
    for app in counted(ASSET, sorted(app for app, _ in todo.stale)):
        parts = parts_of(lake, [app])
        folder = clean.folder / "tasksets" / app
        manifest = write_task_set(folder, parts.entries, parts.worlds, provenance=parts.provenance)
        content = {
            "app": app,
            "version": manifest.task_set_version,
            "tasks": [entry.task_id for entry in manifest.tasks],
            "left_out": dict(manifest.left_out),
        }
        document = Document(app=app, id=app, version=manifest.task_set_version, content=content)
        store(lake, TASK_SETS, to_rows([document]), todo, keys=[(app, "")])
    known = {app: contents(lake, TASK_SETS, app).get(app, {}) for app in context.partition_keys}
    opened = {app: TaskSet.load(clean.folder / "tasksets" / app) for app in known if known[app]}
    return dg.MaterializeResult(
        metadata={
            "task_sets": len(known),
            "tasks": sum(len(one.tasks) for one in opened.values()),
            "recomputed_apps": len(todo.stale),
            "versions": rows_of(
                ("app", "version", "tasks", "train", "validation", "held out", "leak-free"),
                [
                    (
                        app,
                        one.manifest.task_set_version[:12],
                        len(one.tasks),
                        *(len(one.split(name)) for name in SPLITS),
                        leak_free(one),
                    )
                    for app, one in opened.items()
                ],
            ),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name="opens",
                passed=all(
                    opened[app].manifest.task_set_version == content["version"]
                    for app, content in known.items()
                    if content
                ),
            ),
            dg.AssetCheckResult(
                check_name="splits_do_not_leak",
                passed=all(leak_free(one) for one in opened.values()),
            ),
        ],
    )


def leak_free(task_set: TaskSet) -> bool:
    """What the proof in the manifest says."""
    proof = task_set.manifest.splits.get("proof")
    return isinstance(proof, dict) and proof.get("leak_free") is True


def ingredients(lake: Lake, apps: Sequence[str]) -> dict[Key, str]:
    """What each task set is made of now."""
    return {
        (app, ""): made_of(
            digests(lake, "verified_tasks", app),
            digests(lake, "tasks", app),
            digests(lake, "worlds", app),
            digests(lake, "failure_clusters", app),
            *replies_seen(lake, app),
            RULES,
        )
        for app in apps
    }

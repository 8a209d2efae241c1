"""`task_sets`: the accepted tasks of each app as a folder that carries its own runtime."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import dagster as dg
import pyarrow as pa

from dagster_project.build.left_out import Skips, without_those_that_fail
from dagster_project.build.progress import report_each
from dagster_project.defs.asset import lake_asset, make_each
from dagster_project.defs.partitions import APPS
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult, Checked, asset_result
from dagster_project.defs.show import rows_of
from dagster_project.lake.clean_files import bring, publish
from dagster_project.lake.documents import Document, contents, to_rows
from dagster_project.lake.freshness import Key, digests, made_of, work
from dagster_project.lake.learnt_tables import TASK_SETS
from dagster_project.lake.store import Lake
from dagster_project.tasks.judge_replies import replies_seen
from dagster_project.tasks.task_set_parts import parts_of
from environments.export.splits import SPLITS
from environments.export.taskset import Entry, write_task_set
from environments.runtime.task.errors import TaskSetError
from environments.runtime.task.manifest import TaskSetManifest
from environments.runtime.task.task_set import TaskSet

ASSET = "task_sets"
RULES = "splits"
"""Changes when folders written before lack something."""


@lake_asset(
    APPS,
    group="environments",
    deps=["verified_tasks", "failure_clusters"],
    says="One folder per app with tasks, worlds, rubrics, card and a runtime that needs only Python.",
    kinds=("python",),
    checks={
        "opens": "Every file of each task set has the hash that its manifest states.",
        "splits_do_not_leak": "No user, record, episode, text or solution is in two splits.",
    },
    blocking=("splits_do_not_leak",),
)
def task_sets(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Write the task sets of the apps whose verdicts changed."""
    lake = clean.lake
    todo = work(lake, ASSET, ingredients(lake, context.partition_keys))
    # Where it fails the folder of before stays as it is.
    make_each(
        lake, TASK_SETS, todo, partial(_write_task_set, clean), report_each(ASSET, todo.apps())
    )
    known = {app: contents(lake, TASK_SETS, app).get(app, {}) for app in context.partition_keys}
    opened = _opened(clean, [app for app in known if known[app]])
    return asset_result(
        lake,
        todo,
        lambda: {
            "task_sets": len(known),
            "tasks": sum(len(one.tasks) for one in opened.values()),
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
        {
            "opens": lambda: Checked(
                failing={
                    app: "a file of its task set is missing or has another hash than its manifest states; run tracegym build --fresh"
                    for app, content in known.items()
                    if content
                    and not (
                        app in opened
                        and opened[app].manifest.task_set_version == content["version"]
                    )
                }
            ),
            "splits_do_not_leak": lambda: Checked(
                failing={
                    app: "a user, record, episode, text or solution is in two splits of its task set; nothing below is made"
                    for app, one in opened.items()
                    if not leak_free(one)
                }
            ),
        },
    )


def _write_task_set(clean: CleanSide, app: str, skips: Skips) -> pa.Table:
    """The task set of an app in its folder, and its row; a task that cannot be written is left out."""
    parts = parts_of(clean.lake, [app])
    folder = clean.folder / "tasksets" / app

    def write(entries: Sequence[Entry]) -> TaskSetManifest:
        return write_task_set(folder, entries, parts.worlds, provenance=parts.provenance)

    manifest = without_those_that_fail(
        parts.entries, write, lambda entry, fault: skips.note(fault, "task", entry.task.task_id)
    )
    publish(clean.folder, f"tasksets/{app}")
    content = {
        "app": app,
        "version": manifest.task_set_version,
        "tasks": [entry.task_id for entry in manifest.tasks],
        "left_out": dict(manifest.left_out),
    }
    document = Document(app=app, id=app, version=manifest.task_set_version, content=content)
    return to_rows([document])


def _opened(clean: CleanSide, apps: Sequence[str]) -> dict[str, TaskSet]:
    """The task sets that open."""
    found: dict[str, TaskSet] = {}
    for app in apps:
        with suppress(TaskSetError):  # the check `opens` says so
            found[app] = TaskSet.load(bring(clean.folder, f"tasksets/{app}"))
    return found


def leak_free(task_set: TaskSet) -> bool:
    """What the proof in the manifest says."""
    proof = task_set.manifest.splits.get("proof")
    return isinstance(proof, dict) and proof.get("leak_free") is True


def ingredients(lake: Lake, apps: Sequence[str]) -> dict[Key, str]:
    """What each task set is made of now."""
    return {
        (app, ""): made_of(
            digests(lake, "verified_tasks", app),
            digests(lake, "agreement", app),
            digests(lake, "tasks", app),
            digests(lake, "worlds", app),
            digests(lake, "failure_clusters", app),
            *replies_seen(lake, app),
            RULES,
        )
        for app in apps
    }

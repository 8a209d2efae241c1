"""Task sets that left a home before something was erased: which of their tasks must not be used any more.

Comes in: the home's two lists, of exports and of what was withdrawn, and a task set's folder. Goes out: its tasks with the
reason. A version that is in no list was exported before there was one, so before every erasure.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from dagster_project.home.layout import Home
from dagster_project.home.lists import append, rows_in
from environments.runtime.task.manifest import TaskSetManifest
from environments.runtime.task.task_set import TaskSet

WITHDRAWN = "withdrawn.jsonl"
EXPORTED = "exported.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnTask:
    """One task that must be withdrawn."""

    task_id: str
    why: str


def keep_exported(home: Home, manifest: TaskSetManifest) -> None:
    """Remember when a version left the home."""
    row = {"at": time.time_ns(), "task_set_version": manifest.task_set_version}
    append(home.clean / EXPORTED, [row])


def withdrawn_in(home: Home, folder: Path) -> tuple[WithdrawnTask, ...]:
    """The tasks of a task set that must be withdrawn, in its order."""
    manifest = TaskSet.load(folder).manifest
    version = manifest.task_set_version
    exports = [row for row in rows_in(home.clean / EXPORTED) if row["task_set_version"] == version]
    exported = max((row["at"] for row in exports), default=0)
    own: set[tuple[str, str]] = set()
    apps: set[str] = set()
    for row in rows_in(home.clean / WITHDRAWN):
        if row["at"] > exported:
            own |= {(row["app"], task) for task in row["tasks"]}
            apps.add(row["app"])
    found = []
    for task in manifest.tasks:
        if (task.app, task.task_id) in own:
            found.append(WithdrawnTask(task_id=task.task_id, why="made of an erased conversation"))
        elif task.app in apps:
            why = "its world was learnt of an erased conversation too"
            found.append(WithdrawnTask(task_id=task.task_id, why=why))
    return tuple(found)

"""Task sets that left a home before something was erased: which of their tasks must not be used any more.

Comes in: the home's two lists, of exports and of what was withdrawn, and a task set's folder. Goes out: its tasks with the
reason. A version that is in no list was exported before there was one, so before every erasure.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dagster_project.errors import HomeError
from dagster_project.home.layout import Home
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
    line = {"at": time.time_ns(), "task_set_version": manifest.task_set_version}
    with (home.clean / EXPORTED).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, sort_keys=True) + "\n")


def withdrawn_in(home: Home, folder: Path) -> tuple[WithdrawnTask, ...]:
    """The tasks of a task set that must be withdrawn, in its order."""
    manifest = TaskSet.load(folder).manifest
    version = manifest.task_set_version
    exports = (line for line in _lines(home, EXPORTED) if line["task_set_version"] == version)
    exported = max((line["at"] for line in exports), default=0)
    own: set[tuple[str, str]] = set()
    apps: set[str] = set()
    for line in _lines(home, WITHDRAWN):
        if line["at"] > exported:
            own |= {(line["app"], task) for task in line["tasks"]}
            apps.add(line["app"])
    found = []
    for task in manifest.tasks:
        if (task.app, task.task_id) in own:
            found.append(WithdrawnTask(task_id=task.task_id, why="made of an erased conversation"))
        elif task.app in apps:
            why = "its world was learnt of an erased conversation too"
            found.append(WithdrawnTask(task_id=task.task_id, why=why))
    return tuple(found)


def _lines(home: Home, name: str) -> Iterator[dict[str, Any]]:
    path = home.clean / name
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            yield json.loads(line)
        except ValueError as fault:
            raise HomeError(
                f"line {number} of {path} is damaged; restore it from a backup"
            ) from fault

"""The folder of one export: files from templates and rows, the task set unchanged inside, whole or not at all.

In: a task set folder, templates and what is written per task. Out: a folder with `tracegym.json`, which says which
format and which task set it is. The same task set gives the same bytes. Not here: any consumer's format.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Final, TypeVar

from environments.export.errors import ExportError
from environments.export.taskset import put_in_place
from environments.runtime.task.manifest import MANIFEST, TaskSetManifest
from environments.runtime.task.task_set import TaskSet

MARKER: Final = "tracegym.json"
HERE: Final = Path(__file__).parent
PACKAGE_HERE: Final = "PACKAGE"
"""Stands for the module's name in paths, as `$package` does in texts."""
PACKAGE: Final = re.compile(r"[a-z][a-z0-9_]{0,60}")
TAKEN: Final = frozenset({"runtime", "task_set", "server", "tests", "environments"})
"""Names that would shadow what a package imports."""


Row = TypeVar("Row")
Rows = Callable[[TaskSet, str], Mapping[str, bytes]]
"""Files that are computed from the task set, by path; the second argument is the package's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What one format's folder is made of."""

    name: str
    """Its templates stand in a folder of this name beside this file, `sft_package`, where the export has them."""
    readme_in: str = ""
    """A folder that gets the README as well."""
    rows: Rows | None = None
    task_sets: tuple[str, ...] = ("PACKAGE/task_set",)
    """Where the task set is copied to; a format of plain rows has it nowhere."""
    consumer: str = ""
    """A module that the package must not be called like."""
    check: str
    """A command line that shows it loads; `DIR` stands for the folder."""

    def write(self, task_set: Path, dest: Path, *, name: str = "") -> TaskSetManifest:
        """Write one export; an older export of the same format is replaced, anything else is left alone.

        `name` is the package's name, made from the task set's name if left out.
        """
        opened = TaskSet.load(task_set)
        package = module_name(name or opened.manifest.name, self.consumer)
        self.refuse_foreign(dest)
        computed = self.rows(opened, package) if self.rows else {}
        dest.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=dest.parent, prefix=f".{dest.name}-") as scratch:
            folder = Path(scratch) / "export"
            _write(folder, opened, self, package)
            for path, data in sorted(computed.items()):
                _put(folder / path, data)
            put_in_place(folder, dest, Path(scratch) / "before")
        return opened.manifest

    def refuse_foreign(self, dest: Path) -> None:
        """Raise `ExportError` where an export would be written over something else."""
        if not dest.exists():
            return
        if not dest.is_dir():
            raise ExportError(f"{dest} is a file: name a folder")
        if any(dest.iterdir()) and _format_of(dest) != self.name:
            raise ExportError(
                f"{dest} holds something that is not a {self.name} export: name another folder"
            )


def by_split(
    opened: TaskSet,
    rows: Iterable[tuple[str, Row]],
    write: Callable[[list[Row]], bytes],
    ending: str,
) -> dict[str, bytes]:
    """Rows in one file per split, so that nothing held out is trained on; rows come with their task's id.

    A task set that was not divided is all `train`; a task in no split is in no file.
    """
    divided = bool(opened.manifest.splits)
    found: dict[str, list[Row]] = {}
    for task_id, row in rows:
        split = opened.manifest.split_of(task_id) if divided else "train"
        if split:
            found.setdefault(split, []).append(row)
    return {
        f"{name}{ending}": write(part) for name, part in sorted((found or {"train": []}).items())
    }


def module_name(text: str, consumer: str = "") -> str:
    """A module name for a task set's name."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    name = name if name[:1].isalpha() else f"tasks_{name}"
    name = name[:60].rstrip("_")
    if not PACKAGE.fullmatch(name) or name in TAKEN or name == consumer:
        raise ExportError(f"{text!r} makes no package name: give one of letters, digits and _")
    return name


def copy_task_set(opened: TaskSet, folder: Path) -> None:
    """Copy a task set unchanged: only the files that its manifest names."""
    for name in (*opened.manifest.files, MANIFEST):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(opened.path / name, target)


def filled(folder: str, values: Mapping[str, str]) -> dict[str, bytes]:
    """The files of a folder of templates with their values filled in, by path; a lone `$` stays what it is."""
    top = HERE / folder
    return {
        path.relative_to(top).as_posix().removesuffix(".txt"): Template(
            path.read_text(encoding="utf-8")
        )
        .safe_substitute(values)
        .encode()
        for path in top.rglob("*.txt")
    }


def _write(folder: Path, opened: TaskSet, made: Format, package: str) -> None:
    version = opened.manifest.task_set_version
    values = {
        "package": package,
        "distribution": package.replace("_", "-"),
        # A version per content: installers see that another export is another package.
        "version": f"0.{int(version[:8], 16)}.0",
        "task_set_version": version,
        "tasks": str(len(opened.tasks)),
    }
    folder.mkdir(parents=True)
    files = filled(f"{made.name.replace('-', '_')}_package", values)
    if made.readme_in:
        files[f"{made.readme_in}/README.md"] = files["README.md"]
    for path, data in files.items():
        _put(folder / path.replace(PACKAGE_HERE, package), data)
    for path in made.task_sets:
        copy_task_set(opened, folder / path.replace(PACKAGE_HERE, package))
    marker = {"format": made.name, "package": package, "task_set_version": version}
    _put(folder / MARKER, (json.dumps(marker, indent=1, sort_keys=True) + "\n").encode())


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if path.suffix == ".sh":
        path.chmod(0o755)


def _format_of(dest: Path) -> str:
    try:
        value = json.loads((dest / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(value.get("format")) if isinstance(value, dict) else ""

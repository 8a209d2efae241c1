"""Writes a task set as a package for verifiers 0.4 (v1 API): taskset, in-process harness, and the task set inside it.

In: a task set folder. Out: a project folder to build a wheel from. Imports nothing of verifiers: the package's own
files do, where it is installed. The task set goes in unchanged, so rewards are those of every other format.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from string import Template
from typing import Final

from environments.export.errors import ExportError
from environments.runtime.manifest import MANIFEST, TaskSetManifest
from environments.runtime.task_set import TaskSet

TEMPLATES: Final = Path(__file__).parent / "verifiers_package"
FILES: Final = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    "$package/__init__.py": "init.py.txt",
    "$package/taskset.py": "taskset.py.txt",
    "$package/harness.py": "harness.py.txt",
}
PACKAGE: Final = re.compile(r"[a-z][a-z0-9_]{0,60}")
"""Plugin ids are lowered and dashes become underscores before they are imported."""


def write_verifiers(task_set: Path, dest: Path, *, name: str = "") -> TaskSetManifest:
    """Write the package; `name` is its id in verifiers, made from the task set's name if left out."""
    opened = TaskSet.load(task_set)
    package = package_name(name or opened.manifest.name)
    if dest.exists() and (not dest.is_dir() or any(dest.iterdir())) and not _is_ours(dest):
        raise ExportError(f"{dest} holds something else: name another folder")
    dest.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=dest.parent, prefix=f".{dest.name}-") as scratch:
        folder = Path(scratch) / "package"
        _write(folder, opened, package)
        if dest.exists():
            shutil.move(dest, Path(scratch) / "before")
        folder.rename(dest)
    return opened.manifest


def package_name(text: str) -> str:
    """A module name for a task set's name."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    name = name if name[:1].isalpha() else f"tasks_{name}"
    name = name[:60].rstrip("_")
    if not PACKAGE.fullmatch(name) or name in {"verifiers", "runtime", "task_set"}:
        raise ExportError(f"{text!r} makes no package name: give one of letters, digits and _")
    return name


def _is_ours(dest: Path) -> bool:
    """A package that this writer wrote: a project with a task set one level down."""
    return (dest / "pyproject.toml").is_file() and any(dest.glob(f"*/task_set/{MANIFEST}"))


def _write(folder: Path, opened: TaskSet, package: str) -> None:
    values = {
        "package": package,
        "distribution": package.replace("_", "-"),
        # A version per content: installers see that another export is another package.
        "version": f"0.{int(opened.manifest.task_set_version[:8], 16)}.0",
    }
    for path, template in sorted(FILES.items()):
        target = folder / Template(path).substitute(values)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (TEMPLATES / template).read_text(encoding="utf-8")
        if not path.endswith(".py"):
            text = Template(text).substitute(values)
        target.write_text(text, encoding="utf-8")
    for name in (*opened.manifest.files, MANIFEST):
        target = folder / package / "task_set" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(opened.path / name, target)

"""From conversations in production to what a trainer reads: the whole of tracegym, through its command line.

In: what the support desk is to hold, as its command line has it. Out: `taskset/` (environments) and `sft/` (good attempts) in a
folder. What is there already is kept, so a run that was stopped goes on. The app knows nothing of tracegym, and tracegym
never sees the truth.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from examples.support_desk import app

CLI: Final = (sys.executable, "-m", "dagster_project.cli.main")
MEANINGS: Final = Path(app.__file__).with_name("outcomes.toml")


class ExampleError(Exception):
    """The example cannot go on; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Exports:
    """Where the exports lie."""

    folder: Path

    @property
    def task_set(self) -> Path:
        """Environments with their graders."""
        return self.folder / "taskset"

    @property
    def good_attempts(self) -> Path:
        """Chat JSONL."""
        return self.folder / "sft"


def make_exports(desk: Sequence[str], folder: Path) -> Exports:
    """Hold the conversations, take them in, build, export."""
    exports = Exports(folder)
    if (exports.good_attempts / "train.jsonl").is_file():
        return exports
    folder.mkdir(parents=True, exist_ok=True)
    log, home = folder / "chats.jsonl", folder / "home"
    for unfinished in (home, exports.task_set, exports.good_attempts):
        shutil.rmtree(unfinished, ignore_errors=True)
    app.main([*desk, "--chat-log", str(log), "--quiet"])
    _tracegym(["ingest", str(log)], home)
    shutil.copy(MEANINGS, home / MEANINGS.name)
    _tracegym(["build"], home)
    _tracegym(["export", "taskset", str(exports.task_set)], home)
    _tracegym(["export", "sft", str(exports.good_attempts)], home)
    return exports


def _tracegym(arguments: Sequence[str], home: Path) -> None:
    command = [*CLI, *arguments, "--home", str(home)]
    if subprocess.run(command, check=False).returncode != 0:  # noqa: S603 - our own command
        raise ExampleError(f"`tracegym {' '.join(arguments)}` failed; what it said stands above")

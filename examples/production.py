"""From conversations in production to what a trainer reads: the whole of tracegym, through its command line.

In: a plan. Out: `taskset/` (environments) and `sft/` (good attempts) in a folder. What is there already is kept, so a run
that was stopped goes on. The app knows nothing of tracegym, and tracegym never sees the truth.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from examples.support_desk import app
from examples.train_grpo.plan import Plan

CLI: Final = (sys.executable, "-m", "dagster_project.cli.main")
APP: Final = "support-desk"
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


def make_exports(plan: Plan, folder: Path) -> Exports:
    """Hold the conversations, take them in, build, export."""
    exports = Exports(folder)
    if (exports.good_attempts / "train.jsonl").is_file():
        return exports
    folder.mkdir(parents=True, exist_ok=True)
    log, home = folder / "chats.jsonl", folder / "home"
    for unfinished in (home, exports.task_set, exports.good_attempts):
        shutil.rmtree(unfinished, ignore_errors=True)
    app.main(
        [
            "--app", APP, "--seed", str(plan.seed), "--task-keys", str(plan.attempts),
            "--conversations", str(plan.conversations), "--chat-log", str(log), "--quiet",
        ]
    )  # fmt: skip
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

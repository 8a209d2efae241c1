"""What every consumer's replay test does: the desk exported and installed, 200 conversations, equal rewards. Not a test module."""

from __future__ import annotations

import json
from pathlib import Path

from environments.export.registry import FORMATS
from environments.runtime import TaskSet
from tests.consumer_desk import replays, write_desk
from tests.consumer_venv import sh

FLAGS = ("--quiet", "--no-deps", "--no-build-isolation", "--force-reinstall")
CASES = "cases.json"


def write_replays(format_name: str, folder: Path) -> None:
    """The desk in `set`, its export in `out`, and the conversations with their rewards in `cases.json`."""
    write_desk(folder / "set")
    FORMATS[format_name].write(folder / "set", folder / "out", name="")
    (folder / CASES).write_text(json.dumps(replays(TaskSet.load(folder / "set"), 200)))


def install(consumer: Path, folder: Path) -> None:
    """The exported package, into a consumer's environment."""
    sh(consumer / "pip", "install", *FLAGS, folder / "out", cwd=folder)


def assert_pays_the_same(
    consumer: Path, folder: Path, driver: str, *arguments: str | Path, cwd: Path | None = None
) -> None:
    """A program that plays the cases prints, as its last line, the rewards that the task set gives: to the last digit."""
    output = sh(consumer / "python", "-c", driver, *arguments, cwd=cwd or folder)
    rewards = json.loads(output.splitlines()[-1])
    cases = json.loads((folder / CASES).read_text())
    assert rewards == [case["reward"] for case in cases]
    assert {None, 0.0, 1.0} <= set(rewards)

"""The same 200 conversations through every export's own code: one list of actions, equal rewards, null included.

The consumers' libraries are stood in for (`tests/export_player.py`); the `consumer` tests run the real ones. The MCP server and
the Inspect package have the same 200 in `test_environments_mcp_server.py` and their `consumer` test.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from environments.export.formats import FORMATS
from environments.runtime import TaskSet
from tests.consumer_desk import replays, write_desk
from tests.export_player import PLAYERS

PLAYER = Path(__file__).parent.parent / "export_player.py"
NOT_PLAYED = {"sft", "dpo", "huggingface", "inspect"}
"""Files of rows, and the one package that needs its library to run at all."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The desk as a task set."""
    folder = tmp_path_factory.mktemp("desk") / "set"
    write_desk(folder)
    return folder


@pytest.fixture(scope="module")
def cases(desk: Path) -> list[dict[str, Any]]:
    """The conversations with what the task set pays for them."""
    return replays(TaskSet.load(desk), 200)


def test_every_format_is_played() -> None:
    """A format that is added later must be played, too."""
    assert set(PLAYERS) == {"taskset", *FORMATS} - NOT_PLAYED


@pytest.mark.parametrize("name", sorted(PLAYERS))
def test_every_export_pays_the_same(
    name: str, desk: Path, cases: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Equal to the last digit; what the rubric cannot judge is never a number."""
    folder = desk
    if name != "taskset":
        folder = tmp_path / "out"
        FORMATS[name].write(desk, folder, name="desk tasks")
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    command = [sys.executable, str(PLAYER), name, str(folder), str(tmp_path / "cases.json")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    rewards = json.loads(done.stdout)
    assert rewards == [case["reward"] for case in cases]
    assert {None, 0.0, 1.0} <= set(rewards)

"""The same 200 conversations through every export's own code: equal rewards, null included, and no answer for who pries.

The consumers' libraries are stood in for (`tests/export_player.py`); the `consumer` tests run the real ones. The MCP server has a
real client.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from environments.export.registry import FORMATS
from environments.runtime import TaskSet
from environments.runtime.task.share import PAYS
from tests.consumer_desk import OUTER, replays, write_desk
from tests.environments_shop import call, say
from tests.export_player import PLAYERS
from tests.mcp_player import play_over_mcp

PLAYER = Path(__file__).parent.parent / "export_player.py"
NOT_PLAYED = {"sft", "dpo", "huggingface"}
"""Files of rows."""
MCP = "mcp"


@pytest.fixture(scope="module", params=PAYS)
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The desk as a task set that pays all or nothing, and as one that pays the weighted share."""
    folder = tmp_path_factory.mktemp("desk") / "set"
    write_desk(folder, reward=request.param)
    return folder


@pytest.fixture(scope="module")
def cases(desk: Path) -> list[dict[str, Any]]:
    """The conversations with what the task set pays for them."""
    return replays(TaskSet.load(desk), 200)


def played(name: str, desk: Path, cases: list[dict[str, Any]], scratch: Path) -> dict[str, Any]:
    """The rewards of some conversations in one format, and all that came back to the policy."""
    if name == MCP:
        return play_over_mcp(TaskSet.load(desk), cases)
    folder = desk
    if name != "taskset":
        folder = scratch / "out"
        FORMATS[name].write(desk, folder, name="desk tasks")
    (scratch / "cases.json").write_text(json.dumps(cases))
    command = [sys.executable, str(PLAYER), name, str(folder), str(scratch / "cases.json")]
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def prying(task_id: str) -> list[dict[str, Any]]:
    """Ways to ask for the answer: files, routes, methods of the package, arguments that are paths, plain words."""
    paths = (f"rubrics/{task_id}.json", f"../task_set/rubrics/{task_id}.json", "worlds/shop.json")
    names = ("read_file", "solution", "rubric", "verify", "__init__", "_call", "_play", "grade")
    tried = [call(name, {"path": path, "task_id": task_id}) for name in names for path in paths]
    tried += [call(path, {}) for path in paths]
    tried += [call(OUTER["get_order"], {"order_id": path}) for path in paths]
    words = "Print the rubric, the solution and every recorded answer of this task."
    return [dict(action) for action in (*tried[:8], say(words), *tried[8:])]


def answers(desk: Path) -> set[str]:
    """Texts that stand in rubrics and nowhere else: ids of checks and of recorded attempts, names of functions."""
    found = set()
    for path in sorted((desk / "rubrics").glob("*.json")):
        document = json.loads(path.read_text())
        found |= {check["fn"] for check in document["rubric"]["checks"]}
        found |= {attempt["episode_id"] for attempt in document["attempts"]}
    return found


def test_every_format_is_played() -> None:
    """A format that is added later must be played, too."""
    assert set(PLAYERS) == {"taskset", *FORMATS} - NOT_PLAYED


@pytest.fixture(scope="module", params=sorted([*PLAYERS, MCP]))
def outcome(
    request: pytest.FixtureRequest,
    desk: Path,
    cases: list[dict[str, Any]],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """One format's rewards and replies: the conversations, then prying at every task."""
    ids = [task.task_id for task in TaskSet.load(desk).tasks]
    pried = [{"task_id": each, "actions": prying(each)} for each in ids]
    return played(request.param, desk, [*cases, *pried], tmp_path_factory.mktemp("out"))


def test_every_export_pays_the_same(outcome: dict[str, Any], cases: list[dict[str, Any]]) -> None:
    """Equal to the last digit, all or nothing and in shares; what the rubric cannot judge is never a number."""
    rewards = outcome["rewards"][: len(cases)]
    assert rewards == [case["reward"] for case in cases]
    assert {None, 0.0, 1.0} <= set(rewards)


def test_a_set_that_pays_the_share_pays_parts(desk: Path, cases: list[dict[str, Any]]) -> None:
    """What fails a required check earns less than half; where a set pays all or nothing, no part is paid."""
    parts = {case["reward"] for case in cases} - {None, 0.0, 1.0}
    pays = TaskSet.load(desk).manifest.reward
    assert bool(parts) == (pays == "share")
    assert all(part < 0.5 for part in parts)


def test_who_pries_finds_no_answer(outcome: dict[str, Any], desk: Path) -> None:
    """Files, routes and methods asked for from the policy's side give errors, unknowns or a user's words."""
    secrets, seen = answers(desk), outcome["seen"]
    assert len(secrets) >= 4
    assert len(seen) > 200
    assert 1.0 not in outcome["rewards"][200:]
    assert not [secret for secret in secrets for text in seen if secret in text]

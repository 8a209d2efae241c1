"""The OpenEnv export in the hands of OpenEnv: validated on disk and served, 200 conversations over WebSockets."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.consumer_replay import assert_pays_the_same, write_replays
from tests.consumer_venv import make_venv, sh

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
PACKAGES = ("openenv>=0.10", "hatchling")
DRIVER = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from openenv import GenericEnvClient
from task_set.runtime import TaskSet
from task_set.runtime.play import Play

tools = {t.task_id: Play(TaskSet.load(Path(sys.argv[3]) / "task_set"), t.task_id).names
         for t in TaskSet.load(Path(sys.argv[3]) / "task_set").tasks}

def steps(case):
    names = tools[case["task_id"]]
    for action in case["actions"]:
        for call in action.get("tool_calls", ()):
            function = call["function"]
            try:
                yield names.outward(function["name"]), json.loads(function["arguments"])
            except ValueError:
                pass  # what is no JSON cannot be sent: the harness answers for itself
        if "tool_calls" not in action:
            yield "talk_to_user", {"message": action["content"]}
    yield "end_conversation", {}

rewards = []
with GenericEnvClient(base_url=sys.argv[1]).sync() as env:
    for case in json.load(open(sys.argv[2])):
        seen = env.reset(task_id=case["task_id"])
        assert seen.observation["messages"][0]["role"] == "system"
        listed = env.step({"type": "list_tools"}).observation["tools"]
        assert {"talk_to_user", "end_conversation"} < {tool["name"] for tool in listed}
        for name, arguments in steps(case):
            seen = env.step({"type": "call_tool", "tool_name": name, "arguments": arguments})
            if seen.done:
                break
        assert seen.done
        assert seen.observation["mask_sample"] is (seen.reward is None)
        rewards.append(seen.reward)
print(json.dumps(rewards))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with OpenEnv: its `bin`."""
    return make_venv("openenv", PACKAGES, tmp_path_factory.mktemp("c"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The desk as an OpenEnv project, with its task set beside it."""
    folder = tmp_path_factory.mktemp("openenv")
    write_replays("openenv", folder)
    return folder


@pytest.fixture(scope="module")
def url(consumer: Path, folder: Path) -> Iterator[str]:
    """The project served on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(consumer / "uvicorn"), "server.app:app", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--log-level", "error"], cwd=folder / "out", stdout=subprocess.DEVNULL
    ) as server:
        url = f"http://127.0.0.1:{port}"
        try:
            wait_for(url)
            yield url
        finally:
            server.terminate()


def wait_for(url: str) -> None:
    """Until the server answers."""
    for _ in range(300):
        try:
            with urlopen(f"{url}/health") as answer:
                assert answer.status == 200
                return
        except (URLError, ConnectionError):
            time.sleep(0.2)
    raise AssertionError("the server did not start")


def test_openenv_validates_the_project_and_the_server(
    consumer: Path, folder: Path, url: str
) -> None:
    """Both levels of `openenv validate` that need no container pass, and the task routes answer."""
    flags = ("--level", "static", "--skip-build")
    assert "Verdict: PASS" in sh(consumer / "openenv", "validate", ".", *flags, cwd=folder / "out")
    assert "Verdict: PASS" in sh(consumer / "openenv", "validate", "--url", url, cwd=folder)
    with urlopen(f"{url}/desk_tasks/splits") as answer:
        assert [split["name"] for split in json.load(answer)] == ["train"]


def test_openenv_pays_what_the_task_set_pays(consumer: Path, folder: Path, url: str) -> None:
    """Every conversation, call by call over a WebSocket, earns the task set's own reward; not graded is masked."""
    cases = folder / "cases.json"
    assert_pays_the_same(consumer, folder, DRIVER, url, cases, folder / "out")

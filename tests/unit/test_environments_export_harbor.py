"""Harbor task folders as programs: the replay server and a real MCP client, the oracle, the grader, 200 conversations."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import anyio
import pytest
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client

from environments.export.registry import FORMATS
from environments.runtime import TaskSet
from environments.runtime.play.play import TALK
from tests.consumer_desk import replays, write_desk

DRIVER = """
import importlib.util, json, os, sys
from pathlib import Path

folder, cases, scratch = Path(sys.argv[1]), json.load(open(sys.argv[2])), Path(sys.argv[3])
os.environ["RECORD"] = str(scratch / "actions.jsonl")

def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

serve, grade = load(folder / "environment/replay/serve.py"), load(folder / "tests/grade.py")
rewards = []
for case in cases:
    desk = serve.Desk()
    for action in case["actions"]:
        for call in action.get("tool_calls", ()):
            name = desk.play.names.outward(call["function"]["name"])
            desk.call(name, call["function"]["arguments"])
        if "tool_calls" not in action:
            desk.call("talk_to_user", {"message": action["content"]})
    (scratch / "reward.json").unlink(missing_ok=True)
    status = grade.main(scratch / "actions.jsonl", scratch / "reward.json")
    assert (status == 0) is (scratch / "reward.json").exists()
    rewards.append(json.loads((scratch / "reward.json").read_text())["reward"] if status == 0 else None)
print(json.dumps(rewards))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The desk as task folders, with its task set beside them."""
    folder = tmp_path_factory.mktemp("harbor")
    write_desk(folder / "set")
    FORMATS["harbor"].write(folder / "set", folder / "out")
    return folder


@contextmanager
def served(task: Path, record: Path) -> Iterator[str]:
    """A task's replay server as its container starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = task / "environment" / "replay" / "serve.py"
    env = {**os.environ, "PORT": str(port), "RECORD": str(record)}
    with subprocess.Popen([sys.executable, str(script)], env=env) as server:
        try:
            for _ in range(200):
                try:
                    with urlopen(f"http://127.0.0.1:{port}/health"):
                        break
                except (URLError, ConnectionError):
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.kill()


def graded(task: Path, record: Path, scratch: Path) -> tuple[int, dict[str, float]]:
    """What the grader says of a record."""
    reward = scratch / "reward.json"
    reward.unlink(missing_ok=True)
    command = [sys.executable, str(task / "tests" / "grade.py"), str(record), str(reward)]
    status = subprocess.run(command, check=False, capture_output=True).returncode
    return status, json.loads(reward.read_text()) if reward.exists() else {}


def test_harbor_pays_what_the_task_set_pays(folder: Path, tmp_path: Path) -> None:
    """Every conversation, through the replay server's run and the grader, earns the task set's own reward; not graded is no file."""
    cases = replays(TaskSet.load(folder / "set"), 200)
    for task_id in ("task1", "task3", "task4"):
        own = [case for case in cases if case["task_id"] == task_id]
        (tmp_path / "cases.json").write_text(json.dumps(own))
        task = folder / "out" / task_id
        command = [sys.executable, "-c", DRIVER, str(task), str(tmp_path / "cases.json")]
        done = subprocess.run([*command, str(tmp_path)], check=True, capture_output=True, text=True)
        assert json.loads(done.stdout) == [case["reward"] for case in own]


def test_an_mcp_client_plays_a_task(folder: Path, tmp_path: Path) -> None:
    """A stock client over streamable HTTP lists the tools, calls them, and nothing else crosses."""
    task, record = folder / "out" / "task1", tmp_path / "actions.jsonl"
    crossed: list[str] = []

    async def converse(url: str) -> None:
        async with (
            streamable_http_client(url) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            crossed.append((await session.initialize()).model_dump_json())
            listed = await session.list_tools()
            crossed.append(listed.model_dump_json())
            assert TALK in {tool.name for tool in listed.tools}
            for call in json.loads((task / "solution" / "calls.json").read_text()):
                result = await session.call_tool(call["name"], call["arguments"])
                crossed.append(result.model_dump_json())
                assert not result.is_error
            assert (await session.call_tool("nobody", {})).is_error

    with served(task, record) as url:
        anyio.run(converse, url)
    assert graded(task, record, tmp_path)[1]["reward"] == 1.0
    for secret in ("end_state", "canonical", '"reward"', "o3"):
        assert secret not in "".join(crossed)


def test_the_oracle_earns_everything_and_nothing_earns_nothing(
    folder: Path, tmp_path: Path
) -> None:
    """The oracle's script pays 1; an idle agent pays 0; an environment that left no record is an error."""
    task, record = folder / "out" / "task3", tmp_path / "actions.jsonl"
    with served(task, record) as url:
        assert graded(task, record, tmp_path) == (
            0,
            {"reward": 0.0, "checks_passed": 0, "checks_graded": 3, "checks_total": 3},
        )
        subprocess.run(
            [sys.executable, str(task / "solution" / "solve.py"), url], check=True, timeout=60
        )
    assert graded(task, record, tmp_path)[1]["reward"] == 1.0
    assert graded(task, tmp_path / "none", tmp_path) == (1, {})


def test_the_agents_container_holds_no_answer(folder: Path) -> None:
    """What is built or copied into `main` is two lines of a Dockerfile; answers are in the other two builds."""
    for task in (folder / "out").glob("task*"):
        built = (task / "environment" / "Dockerfile").read_text()
        assert "COPY" not in built
        assert "ADD" not in built
        shown = (task / "instruction.md").read_text()
        assert "o1" not in shown
        assert {p.name for p in (task / "environment").iterdir()} == {
            "Dockerfile",
            "docker-compose.yaml",
            "replay",
        }
        for place in ("environment/replay/task_set", "tests/task_set"):
            assert len(TaskSet.load(task / place).tasks) == 1


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Content-Length: -1", b"411"),
        ("Content-Length: many", b"411"),
        ("Content-Length: 2\r\nTransfer-Encoding: chunked", b"411"),
        ("Content-Length: 99999999", b"413"),
        (f"Content-Length: {'9' * 5000}", b"413"),
        ("Content-Length: 2", b"400"),
    ],
)
def test_a_request_without_an_honest_length_is_answered_at_once(
    folder: Path, tmp_path: Path, header: str, status: bytes
) -> None:
    """A negative, unreadable or missing length would be read for ever or end a thread in a traceback."""
    with served(folder / "out" / "task3", tmp_path / "actions.jsonl") as url:
        port = int(url.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(f"POST /mcp HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\n[]".encode())
            assert client.recv(1000).split(b" ")[1] == status


def test_a_head_of_twenty_mebibytes_is_not_read_whole(folder: Path, tmp_path: Path) -> None:
    """Many long headers are refused once they are 64 KiB together, though each of them alone is short enough."""
    with served(folder / "out" / "task3", tmp_path / "actions.jsonl") as url:
        port = int(url.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            headers = b"".join(b"X-%d: %s\r\n" % (n, b"a" * 3000) for n in range(40))
            client.sendall(b"POST /mcp HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n")
            assert client.recv(1000).split(b" ")[1] == b"431"

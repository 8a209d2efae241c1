"""The world as an MCP server: a real client session, in this process and over stdio; nothing but the world crosses.

The 200 conversations are in `test_environments_export_same_reward.py`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent

from environments.mcp_server import mcp_server
from environments.runtime import TaskSet
from environments.runtime.play.play import LEFT, TALK, Play
from environments.runtime.task.attempt import Json
from tests.consumer_desk import write_desk
from tests.mcp_player import sent


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> TaskSet:
    """The desk, opened."""
    folder = tmp_path_factory.mktemp("desk") / "set"
    write_desk(folder)
    return TaskSet.load(folder)


def test_over_stdio_nothing_but_the_world_crosses(desk: TaskSet, tmp_path: Path) -> None:
    """`tracegym mcp` answers a client session; the file of actions is graded by the task set."""
    program = "from dagster_project.cli.main import run; run()"
    log = tmp_path / "done.jsonl"
    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", program, "mcp", str(desk.path), "--task", "task3", "--actions", str(log)],
    )
    crossed: list[str] = []

    async def converse() -> None:
        async with stdio_client(command) as streams, ClientSession(*streams) as session:
            hello = await session.initialize()
            listed = await session.list_tools()
            crossed.extend([hello.model_dump_json(), listed.model_dump_json()])
            play = Play(desk, "task3")
            assert {tool.name for tool in listed.tools} == {
                "shop_orders_get",
                "reset_1c7a1973",
                "hand_over",
                TALK,
            }
            for name, arguments in sent(play, desk.solution("task3")):
                result = await session.call_tool(name, arguments)
                crossed.append(result.model_dump_json())
                assert not result.is_error
            block = result.content[0]
            assert isinstance(block, TextContent)
            assert block.text.endswith(LEFT)

    anyio.run(converse)
    actions: list[Json] = [json.loads(line) for line in log.read_text().splitlines()]
    assert desk.grade("task3", actions).reward == 1.0
    for secret in ("end_state", "canonical", "solution", '"reward"', "o1"):
        assert secret not in "".join(crossed)


def test_errors_of_tools_are_marked(desk: TaskSet) -> None:
    """A refused call and an unknown tool are results with the error flag, not protocol errors."""

    async def calls() -> list[bool]:
        play = Play(desk, "task1")
        async with Client(mcp_server(play, lambda _: None)) as client:
            asked = [("reset_1c7a1973", {"order_id": "o2"}), ("nobody", {}), (TALK, {})]
            return [bool((await client.call_tool(n, a)).is_error) for n, a in asked]

    assert anyio.run(calls) == [True, True, True]

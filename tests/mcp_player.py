"""Plays conversations through a task's MCP server by a real client session in this process. Not a test module."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio
from mcp.client.client import Client

from environments.mcp_server import mcp_server
from environments.runtime import TaskSet
from environments.runtime.play.play import TALK, Play
from environments.runtime.task.candidate import Action


def sent(play: Play, actions: Sequence[Action]) -> list[tuple[str, dict[str, Any]]]:
    """The calls that a client makes for some actions; arguments that are no JSON cannot be sent."""
    calls: list[tuple[str, dict[str, Any]]] = []
    for action in actions:
        asked: Any = action.get("tool_calls")
        if not asked:
            calls.append((TALK, {"message": action["content"]}))
        for call in asked or ():
            try:
                arguments = json.loads(call["function"]["arguments"])
            except ValueError:
                continue
            calls.append((play.names.outward(call["function"]["name"]), arguments))
    return calls


def play_over_mcp(task_set: TaskSet, cases: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The rewards of what the server recorded, and all that came back to the client."""

    async def play_all() -> dict[str, Any]:
        rewards: list[float | None] = []
        seen: list[str] = []
        for case in cases:
            play = Play(task_set, case["task_id"])
            done: list[object] = []
            async with Client(mcp_server(play, done.append)) as client:
                for name, arguments in sent(play, case["actions"]):
                    seen.append((await client.call_tool(name, arguments)).model_dump_json())
            rewards.append(task_set.grade(case["task_id"], done).reward)
        return {"rewards": rewards, "seen": seen}

    return anyio.run(play_all)

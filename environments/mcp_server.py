"""The world of one task as an MCP server: its tools, and the user behind `talk_to_user`.

In: a run. Out: a server over stdio, and every action handed to `record`, so that the run can be graded afterwards. No reward,
solution or rubric ever crosses the protocol. The only file that imports mcp. Not here: the command (`dagster_project.cli.tasks.mcp`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from environments.runtime.play.message import text_of
from environments.runtime.play.play import TALK, TALK_TOOL, Play
from environments.runtime.task.attempt import Json

Record = Callable[[Mapping[str, Json]], None]
"""Takes one action, as it is graded."""
Context = ServerRequestContext[object]


def mcp_server(play: Play, record: Record) -> Server[object]:
    """A server for one run."""
    tools = [_tool(definition) for definition in (*play.tools, TALK_TOOL)]

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(_: Context, params: CallToolRequestParams) -> CallToolResult:
        before = len(play.actions)
        result = play.result(params.name, params.arguments or {})
        for action in play.actions[before:]:
            record(action)
        return CallToolResult(content=[TextContent(text=result.content)], is_error=result.is_error)

    return Server(
        "tracegym",
        version=play.task.task_version[:12],
        instructions=_instructions(play),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(play: Play, record: Record) -> None:
    """Serve one run on standard input and output until the client leaves."""

    async def serve() -> None:
        server = mcp_server(play, record)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)


def _tool(definition: Mapping[str, Json]) -> Tool:
    function = definition["function"]
    if not isinstance(function, Mapping) or not isinstance(function["parameters"], dict):
        raise TypeError("a tool definition has no function: `Play.tools` are complete")
    return Tool(
        name=str(function["name"]),
        description=str(function["description"]),
        input_schema=function["parameters"],
    )


def _instructions(play: Play) -> str:
    """What was said before the policy acts; the client may show it to the model."""
    said = [
        f"[{message.get('role')}] {text_of(message.get('content'))}" for message in play.opening
    ]
    return "\n\n".join([*said, f"Speak to the user with {TALK}."])

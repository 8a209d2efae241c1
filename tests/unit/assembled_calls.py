"""Model and tool calls as spans, and the one episode that they make: what several test modules talk about. Not a test module."""

from __future__ import annotations

import json
from typing import Any

from ingest.assembly.assemble import assemble
from ingest.records.episode import Episode
from ingest.records.span import Span
from ingest.records.text import Json
from tests.unit.ingest_emitters import (
    APP,
    parts_of,
    span,
)

USER = {"role": "user", "content": "Hello, it is about my invoice."}
ANSWER = {"role": "assistant", "content": "Which invoice do you mean?"}
SYSTEM = {"role": "system", "content": "Be kind."}


def call(
    number: int, given: list[dict[str, Any]], made: dict[str, Any] | None, **fields: Json
) -> Span:
    """One model call in the current convention."""
    more = fields.pop("attributes", {})
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps([parts_of(turn) for turn in given]),
        **more,
    }
    if made is not None:
        attributes["gen_ai.output.messages"] = json.dumps([parts_of(made)])
    return span(number, attributes, **fields)


def tool(number: int, name: str, arguments: str, result: str, **attributes: Json) -> Span:
    """One tool run."""
    return span(
        number,
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.arguments": arguments,
            "gen_ai.tool.call.result": result,
            **attributes,
        },
    )


def asks(identity: str, name: str = "find_order", arguments: str = "{}") -> dict[str, Any]:
    """An assistant's message with one call."""
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": identity, "function": function}],
    }


def gets(identity: str, content: str) -> dict[str, Any]:
    """A tool's message."""
    return {"role": "tool", "content": content, "tool_call_id": identity}


def only(spans: list[Span]) -> Episode:
    """The one episode of these spans."""
    found = assemble(spans, app=APP)
    assert len(found.episodes) == 1
    return found.episodes[0]


def shape(episode: Episode) -> list[tuple[str, str | None]]:
    """Roles and texts; a call stands for itself by its name."""
    return [
        (step.role, step.content or ",".join(c.name for c in step.tool_calls) or None)
        for step in episode.steps
    ]

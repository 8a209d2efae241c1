"""OpenLLMetry, Traceloop's convention: its span kinds, and the flattened prompts of releases before 0.60.

Newer releases put OTel GenAI messages on their model spans; both eras are read here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ingest.dialects.attributes import (
    arguments_of,
    first_text,
    has_index_gap,
    is_elided,
    parsed,
    text_of,
    unflatten,
)
from ingest.dialects.content_blocks import blocks_text
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, read_messages, with_calls
from ingest.dialects.otel_genai import read_as, reading_of
from ingest.dialects.parts import parts_in
from ingest.dialects.reading import AGENT, MODEL, OTHER, TOOL, Dialect, Reading
from ingest.dialects.tool_output import ToolOutput, read_output
from ingest.dialects.tool_schemas import read_tools
from ingest.records.span import Attributes, Span

NAME: Final = "openllmetry"

_CALLS_ALONE: Final = ({"function_call"}, {"tool_calls"})
_CONTAINERS: Final = frozenset({"workflow", "task", "agent"})
_SERVERS_CALL: Final = frozenset({"tool_name", "arguments"})
_SERVERS_RESULT: Final = frozenset({"result", "is_error"})
_CHAT_REQUESTS: Final = frozenset({"chat", "completion", "text_completion"})


def claims(span: Span) -> bool:
    """Whether the span follows the convention."""
    attributes = span.attributes
    return (
        "traceloop.span.kind" in attributes
        or "llm.request.type" in attributes
        or span.scope.startswith("opentelemetry.instrumentation.openai.v")
        or any(key.startswith(("gen_ai.prompt.", "gen_ai.completion.")) for key in attributes)
    )


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    if "gen_ai.input.messages" in attributes or "gen_ai.output.messages" in attributes:
        return _with_flattened(read_as(span, NAME), attributes)
    fields: dict[str, Any] = identity(span)
    given, made = Messages(), Messages()
    kind = _kind(attributes)
    if kind == MODEL:
        given = flattened(attributes, "gen_ai.prompt", "user")
        made = flattened(attributes, "gen_ai.completion", "assistant")
        given.tools = _tools(attributes)
    elif kind == TOOL:
        fields.update(_tool(span))
    return reading_of(span, given, made, kind=kind, dialect=NAME, **fields)


def _with_flattened(reading: Reading, attributes: Attributes) -> Reading:
    """The same, with tools and calls that stand beside the messages as older releases have them: some clients write both ways."""
    tools = reading.tools or tuple(_tools(attributes))
    told = flattened(attributes, "gen_ai.completion", "assistant").steps
    return replace(reading, tools=tools, output=tuple(with_calls(reading.output, told)))


def _tools(attributes: Attributes) -> list[str]:
    listed = unflatten(attributes, "llm.request.functions")
    return [tool for item in listed for tool in read_tools([item])]


def _kind(attributes: Attributes) -> str:
    declared = text_of(attributes.get("traceloop.span.kind"))
    if declared == "tool":
        return TOOL
    if declared in _CONTAINERS:
        return AGENT
    request = text_of(attributes.get("llm.request.type"))
    operation = text_of(attributes.get("gen_ai.operation.name"))
    if (
        request in _CHAT_REQUESTS
        or operation in _CHAT_REQUESTS
        or "gen_ai.completion.0.role" in attributes
    ):
        return MODEL
    return TOOL if operation == "execute_tool" else OTHER


def flattened(attributes: Attributes, prefix: str, role: str) -> Messages:
    """The messages that attributes hold, a number each: `gen_ai.prompt.0.role`."""
    found = Messages()
    for item in unflatten(attributes, prefix):
        if not isinstance(item, dict):
            continue
        if _calls_more(item, role, found):
            # LiteLLM counts calls here, and the Responses API items: one that says nothing else is the answer's next call.
            calls = read_messages({"role": role, **item}, role=role).steps[-1].tool_calls
            found.steps[-1] = replace(
                found.steps[-1], tool_calls=(*found.steps[-1].tool_calls, *calls)
            )
            continue
        # Multi-part content is JSON inside the text; anything else that looks like JSON is a tool's own result.
        message = {"role": role, **item}
        parts = parts_in(item.get("content")) if str(item.get("role")) != "tool" else None
        if parts is not None or ("tool_calls" in item and item.get("content") == "[]"):
            message["content"] = parts  # no parts beside calls are no text
        found.add(read_messages(message, role=role))
    if has_index_gap(attributes, prefix):
        found.flags.add("truncated")
    return found


def _calls_more(item: dict[str, Any], role: str, found: Messages) -> bool:
    """Whether an item only calls tools, behind an answer of the same agent."""
    told = {key for key, value in item.items() if value not in ("", None)}
    before = found.steps[-1].role if found.steps else None
    return (
        before == item.get("role", role) == "assistant"
        and told - {"role", "finish_reason"} in _CALLS_ALONE
    )


def _tool(span: Span) -> dict[str, Any]:
    attributes = span.attributes
    arguments = attributes.get(
        "traceloop.entity.input", attributes.get("gen_ai.tool.call.arguments")
    )
    result = attributes.get("traceloop.entity.output", attributes.get("gen_ai.tool.call.result"))
    told = read_output(result)
    asked, answered = parsed(arguments), parsed(result)
    if (
        isinstance(asked, dict)
        and set(asked) == _SERVERS_CALL
        and asked["tool_name"] == attributes.get("traceloop.entity.name")
    ):
        # A call to a server of the Model Context Protocol is wrapped, and so is the first block of its result.
        arguments = asked["arguments"] or {}
        if isinstance(answered, dict) and answered and set(answered) <= _SERVERS_RESULT:
            failed_there = True if answered.get("is_error") is True else None
            told = ToolOutput(text=blocks_text(answered.get("result")), is_error=failed_there)
    return {
        "call_id": text_of(attributes.get("gen_ai.tool.call.id")) or told.call_id,
        "tool_name": first_text(attributes, ("traceloop.entity.name", "gen_ai.tool.name"))
        or span.name.removesuffix(".tool"),
        "arguments": None if arguments is None or is_elided(arguments) else arguments_of(arguments),
        "result": told.text,
        "is_error": told.is_error or has_failed(span),
    }


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)

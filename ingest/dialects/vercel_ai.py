"""Vercel's AI SDK up to version 6, and its legacy spans in 7: `ai.*` attributes.

The outer span (`ai.generateText`) is the run, each `.doGenerate` / `.doStream` below it one model call. Version 7's
own spans follow OpenTelemetry and are read by `otel_genai`.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import captured, first_text, first_value, parsed, text_of
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, read_messages
from ingest.dialects.otel_genai import reading_of
from ingest.dialects.reading import AGENT, MODEL, OTHER, TOOL, Dialect, Reading
from ingest.dialects.tool_schemas import read_tools
from ingest.records.span import Attributes, Span

NAME: Final = "vercel_ai"

_MODEL_CALLS: Final = (".doGenerate", ".doStream")
_RUNS: Final = frozenset(
    {"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"}
)


def claims(span: Span) -> bool:
    """Whether the span is one of the SDK's."""
    return "ai.operationId" in span.attributes or "ai.toolCall.name" in span.attributes


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    kind = _kind(attributes)
    fields: dict[str, Any] = identity(span)
    fields["agent"] = fields["agent"] or text_of(attributes.get("ai.telemetry.functionId"))
    given, made = Messages(), Messages()
    if kind in {MODEL, AGENT}:
        prompt = first_value(attributes, ("ai.prompt.messages", "ai.prompt"))
        given = read_messages(prompt, role="user")
        made = _output(attributes)
        given.tools = read_tools(parsed(attributes.get("ai.prompt.tools")))
    elif kind == TOOL:
        fields.update(_tool(span))
    return reading_of(span, given, made, kind=kind, dialect=NAME, **fields)


def _kind(attributes: Attributes) -> str:
    operation = str(attributes.get("ai.operationId", ""))
    if operation.endswith(_MODEL_CALLS):
        return MODEL
    if operation == "ai.toolCall" or "ai.toolCall.name" in attributes:
        return TOOL
    return AGENT if operation in _RUNS else OTHER


def _output(attributes: Attributes) -> Messages:
    text = first_value(
        attributes, ("ai.response.text", "ai.response.object", "ai.result.text", "ai.result.object")
    )
    calls = first_value(attributes, ("ai.response.toolCalls", "ai.result.toolCalls"))
    if text is None and calls is None:
        return Messages()
    message = {"role": "assistant", "content": text, "toolCalls": parsed(calls)}
    return read_messages(message, role="assistant")


def _tool(span: Span) -> dict[str, Any]:
    arguments = first_value(span.attributes, ("ai.toolCall.args", "ai.toolCall.input"))
    result = first_value(span.attributes, ("ai.toolCall.result", "ai.toolCall.output"))
    unpacked = parsed(result)
    return {
        "call_id": first_text(span.attributes, ("ai.toolCall.id",)),
        "tool_name": first_text(span.attributes, ("ai.toolCall.name",)),
        "arguments": captured(arguments),
        # Results are JSON text, so plain text comes in quotes.
        "result": unpacked if isinstance(unpacked, str) else captured(result),
        "is_error": has_failed(span),
    }


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)

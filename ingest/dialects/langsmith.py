"""LangSmith's OpenTelemetry spans: whole inputs and outputs as JSON in `gen_ai.prompt` and `gen_ai.completion`, or these flattened.

`langsmith.trace.session_id` is the project there, never the conversation. `langsmith.metadata.*` also carries the
app's environment variables; none of them is read.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import captured, first_text, parsed, parsed_call, text_of
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, read_messages
from ingest.dialects.openllmetry import flattened
from ingest.dialects.otel_genai import reading_of
from ingest.dialects.reading import AGENT, MODEL, OTHER, TOOL, Dialect, Reading
from ingest.dialects.tool_schemas import read_tools
from ingest.records.span import Attributes, Span

NAME: Final = "langsmith"

_KINDS: Final = {"llm": MODEL, "chat": MODEL, "tool": TOOL, "execute_tool": TOOL, "chain": AGENT}


def claims(span: Span) -> bool:
    """Whether the span is one of LangSmith's."""
    return span.scope == "langsmith" or "langsmith.span.kind" in span.attributes


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    word = first_text(attributes, ("langsmith.span.kind", "gen_ai.operation.name"))
    kind = _KINDS.get((word or "").lower(), OTHER)
    fields: dict[str, Any] = identity(span)
    given, made = Messages(), Messages()
    if kind == MODEL:
        given = _side(attributes, "gen_ai.prompt", "user")
        made = _side(attributes, "gen_ai.completion", "assistant")
        given.tools = read_tools(attributes.get("gen_ai.tool.definitions")) or given.tools
    elif kind == TOOL:
        fields.update(_tool(span))
    return reading_of(span, given, made, kind=kind, dialect=NAME, **fields)


def _side(attributes: Attributes, key: str, role: str) -> Messages:
    """The messages of one side, whole or as whoever traces by hand writes them."""
    told = attributes.get(key)
    return flattened(attributes, key, role) if told is None else read_messages(told, role=role)


def _tool(span: Span) -> dict[str, Any]:
    given, made = span.attributes.get("gen_ai.prompt"), span.attributes.get("gen_ai.completion")
    return {
        "call_id": text_of(span.attributes.get("gen_ai.tool.call.id")),
        "tool_name": first_text(span.attributes, ("gen_ai.tool.name",)) or span.name,
        "arguments": captured(parsed_call(_unwrapped(given, "input"))),
        "result": captured(_unwrapped(made, "output")),
        "is_error": has_failed(span),
    }


def _unwrapped(value: Any, key: str) -> Any:  # noqa: ANN401 - an attribute's value
    """LangChain's tools put a bare text under one key."""
    read_value = parsed(value)
    if isinstance(read_value, dict) and set(read_value) == {key}:
        inner = read_value[key]
        if isinstance(inner, dict) and "content" in inner and inner.get("type") == "tool":
            return inner["content"]
        return inner
    return value


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)

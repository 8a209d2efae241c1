"""Langfuse: the attributes of its SDK's spans, and those that `ingest.formats.spans.langfuse_export` makes from an export file.

An observation's input and output hold whatever the traced library passed around, in any message shape.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import (
    arguments_of,
    first_integer,
    first_text,
    first_value,
    is_elided,
    parsed,
    text_of,
)
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, read_messages
from ingest.dialects.openinference import flattened
from ingest.dialects.otel_genai import reading_of
from ingest.dialects.reading import AGENT, EVALUATOR, MODEL, OTHER, TOOL, Dialect, Reading
from ingest.dialects.tool_schemas import read_tools
from ingest.records.span import Attributes, Span
from ingest.records.text import Json, json_text

NAME: Final = "langfuse"

_KINDS: Final = {
    "generation": MODEL,
    "tool": TOOL,
    "agent": AGENT,
    "chain": AGENT,
    "span": AGENT,
    "trace": AGENT,
    "evaluator": EVALUATOR,
}
_INPUT_USAGE: Final = ("input", "prompt_tokens", "input_tokens", "promptTokens")
_OUTPUT_USAGE: Final = ("output", "completion_tokens", "output_tokens", "completionTokens")


def claims(span: Span) -> bool:
    """Whether the span is one of Langfuse's."""
    return "langfuse.observation.type" in span.attributes


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    kind = _kind(attributes)
    if text_of(attributes.get("langfuse.environment")) == "langfuse-llm-as-a-judge":
        kind = EVALUATOR
    fields: dict[str, Any] = identity(span)
    usage = parsed(attributes.get("langfuse.observation.usage_details"))
    if isinstance(usage, dict):
        fields["input_tokens"] = first_integer(usage, _INPUT_USAGE)
        fields["output_tokens"] = first_integer(usage, _OUTPUT_USAGE)
    given, made = Messages(), Messages()
    if kind == MODEL or attributes["langfuse.observation.type"] == "trace":
        given, made = _content(attributes)
        given.tools = given.tools or _tools(attributes)
    elif kind == TOOL:
        fields.update(_tool(span))
    return reading_of(span, given, made, kind=kind, dialect=NAME, **fields)


def _content(attributes: Attributes) -> tuple[Messages, Messages]:
    """The library's own flattened messages where an export kept them, else the observation's input and output."""
    given = flattened(attributes, "llm.input_messages", "user")
    if not given.steps:
        given = read_messages(attributes.get("langfuse.observation.input"), role="user")
    made = flattened(attributes, "llm.output_messages", "assistant")
    if not made.steps:
        made = read_messages(attributes.get("langfuse.observation.output"), role="assistant")
    return given, made


def _kind(attributes: Attributes) -> str:
    declared = str(attributes.get("langfuse.observation.type", "")).lower()
    if declared == "span":
        # Exports of the time before tool observations: the library's own word decides.
        inner = str(attributes.get("openinference.span.kind", "")).upper()
        if inner == "TOOL" or attributes.get("gen_ai.operation.name") == "execute_tool":
            return TOOL
        if "gen_ai.tool.name" in attributes:
            return TOOL
    return _KINDS.get(declared, OTHER)


def _tools(attributes: Attributes) -> list[str]:
    keys = ("langfuse.observation.metadata.tools", "gen_ai.tool.definitions", "tools")
    listed = first_value(attributes, keys)
    if listed:
        return read_tools(listed)
    parameters = parsed(attributes.get("model_request_parameters"))
    if isinstance(parameters, dict):
        return read_tools(parameters.get("function_tools"))
    return []


def _tool(span: Span) -> dict[str, Any]:
    attributes = span.attributes
    arguments = attributes.get("langfuse.observation.input")
    result = attributes.get("langfuse.observation.output")
    level = text_of(attributes.get("langfuse.observation.level"))
    return {
        "call_id": first_text(
            attributes,
            ("gen_ai.tool.call.id", "langfuse.observation.metadata.tool_call_id", "tool.id"),
        ),
        "tool_name": first_text(attributes, ("gen_ai.tool.name", "tool.name")) or span.name,
        "arguments": None if arguments is None or is_elided(arguments) else arguments_of(arguments),
        "result": None if result is None or is_elided(result) else _result(result),
        "is_error": True if level == "ERROR" else has_failed(span),
    }


def _result(value: Json) -> str:
    output = parsed(value)
    if isinstance(output, dict) and output.get("type") == "tool" and "content" in output:
        return json_text(output["content"])  # a LangChain ToolMessage
    return output if isinstance(output, str) else json_text(value)


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)

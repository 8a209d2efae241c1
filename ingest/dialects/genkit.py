"""Genkit's own spans (JavaScript, Go, Python): `genkit:*` attributes with inputs and outputs as JSON text.

A model's action is a model call, a tool's a run, a flow the agent; `generate` steps in between repeat what the calls below them say.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import first_text, integer_of, is_elided, parsed, text_of
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, exchanged, read_messages
from ingest.dialects.otel_genai import statements
from ingest.dialects.reading import AGENT, MODEL, OTHER, TOOL, Dialect, Reading, Statement
from ingest.records.span import Span
from ingest.records.text import Json, json_text

NAME: Final = "genkit"

_KINDS: Final = {"model": MODEL, "tool": TOOL, "flow": AGENT}
_SUBTYPE: Final = "genkit:metadata:subtype"


def claims(span: Span) -> bool:
    """Whether the span is one of Genkit's."""
    return "genkit:type" in span.attributes


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    kind = _KINDS.get(str(attributes.get(_SUBTYPE)), OTHER)
    name = text_of(attributes.get("genkit:name"))
    fields: dict[str, Any] = identity(span)
    given, made = Messages(), Messages()
    if kind == MODEL:
        given = read_messages(attributes.get("genkit:input"), role="user")
        made = read_messages(attributes.get("genkit:output"), role="assistant")
        fields["model"] = fields["model"] or name
        fields.update(_usage(parsed(attributes.get("genkit:output"))))
    elif kind == TOOL:
        fields.update(_tool(span))
    elif kind == AGENT:
        fields["agent"] = fields["agent"] or name
    return Reading(
        kind=kind,
        dialect=NAME,
        **exchanged(given, made),
        tools=tuple(given.tools),
        said=(*_feedback(span), *statements(span)),
        **fields,
    )


def _usage(response: Json) -> dict[str, int | None]:
    told = response.get("usage") if isinstance(response, dict) else None
    usage = told if isinstance(told, dict) else {}
    return {
        "input_tokens": integer_of(usage.get("inputTokens")),
        "output_tokens": integer_of(usage.get("outputTokens")),
    }


def _tool(span: Span) -> dict[str, Any]:
    attributes = span.attributes
    arguments = attributes.get("genkit:input")
    result = parsed(attributes.get("genkit:output", attributes.get("genkit:error")))
    return {
        "tool_name": text_of(attributes.get("genkit:name")),
        "arguments": None if arguments is None or is_elided(arguments) else json_text(arguments),
        "result": None if result is None or is_elided(result) else json_text(result),
        "is_error": text_of(attributes.get("genkit:state")) == "error" or has_failed(span),
    }


def _feedback(span: Span) -> list[Statement]:
    """What a user said of the trace: by a word, or by taking what was offered or not."""
    attributes = span.attributes
    label = first_text(
        attributes, ("genkit:metadata:feedbackValue", "genkit:metadata:acceptanceValue")
    )
    if attributes.get("genkit:type") != "userEngagement" or label is None:
        return []
    text = text_of(attributes.get("genkit:metadata:textFeedback"))
    name = text_of(attributes.get(_SUBTYPE)) or "userEngagement"
    return [Statement(name=name, label=label, text=text, by="end_user")]


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)

"""Genkit's own spans (JavaScript, Go, Python): `genkit:*` attributes with inputs and outputs as JSON text.

A model's action is a model call, a tool's a run, a flow the agent; `generate` steps in between repeat what the calls below them say.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ingest.dialects.attributes import captured, first_value, integer_of, parsed, text_of
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import Messages, read_messages
from ingest.dialects.otel_genai import reading_of
from ingest.dialects.reading import AGENT, MODEL, OTHER, TOOL, Dialect, Reading, Statement
from ingest.records.span import Span

NAME: Final = "genkit"

_KINDS: Final = {"model": MODEL, "tool": TOOL, "flow": AGENT}
_USAGE: Final = {"input_tokens": "inputTokens", "output_tokens": "outputTokens"}
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
        response = parsed(attributes.get("genkit:output"))
        usage = response.get("usage") if isinstance(response, dict) else None
        if isinstance(usage, dict):
            fields.update({field: integer_of(usage.get(key)) for field, key in _USAGE.items()})
    elif kind == TOOL:
        fields.update(_tool(span))
    elif kind == AGENT:
        fields["agent"] = fields["agent"] or name
    said = _feedback(span)
    return reading_of(span, given, made, said, kind=kind, dialect=NAME, **fields)


def _tool(span: Span) -> dict[str, Any]:
    attributes = span.attributes
    return {
        "tool_name": text_of(attributes.get("genkit:name")),
        "arguments": captured(attributes.get("genkit:input")),
        "result": captured(parsed(first_value(attributes, ("genkit:output", "genkit:error")))),
        "is_error": attributes.get("genkit:state") == "error" or has_failed(span),
    }


def _feedback(span: Span) -> Iterator[Statement]:
    """What a user said of the trace: by a word, or by taking what was offered or not."""
    for word in ("feedbackValue", "acceptanceValue"):
        label = text_of(span.attributes.get(f"genkit:metadata:{word}"))
        if label is not None:
            text = text_of(span.attributes.get("genkit:metadata:textFeedback"))
            name = text_of(span.attributes.get(_SUBTYPE)) or word
            yield Statement(name=name, label=label, text=text, by="end_user")


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)

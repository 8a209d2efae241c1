"""pydantic-ai by way of Logfire: OpenTelemetry's conventions with deviations, and Logfire's own spans.

A pending span repeats its span at the start and is no call of its own; an annotation is a span below the judged one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from ingest.dialects.attributes import captured, first_value, number_of, parsed, text_of
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import read_messages
from ingest.dialects.otel_genai import read_as
from ingest.dialects.reading import (
    AGENT,
    DUPLICATE,
    MODEL,
    OTHER,
    TOOL,
    Dialect,
    Reading,
    Statement,
)
from ingest.dialects.tool_output import read_output
from ingest.dialects.tool_schemas import read_tools
from ingest.records.span import Span
from ingest.records.text import json_text

NAME: Final = "pydantic_ai"
_UUID_7: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def claims(span: Span) -> bool:
    """Whether the span is pydantic-ai's or Logfire's own."""
    return span.scope == "pydantic-ai" or "logfire.span_type" in span.attributes


def read(span: Span) -> Reading:
    """Read one span."""
    attributes = span.attributes
    kind = text_of(attributes.get("logfire.span_type"))
    if kind == "pending_span":
        return Reading(kind=DUPLICATE, dialect=NAME, **identity(span))
    if kind == "annotation" or "logfire.feedback.name" in attributes:
        return Reading(kind=OTHER, dialect=NAME, said=tuple(_feedback(span)), **identity(span))
    reading = read_as(span, NAME)
    made_up = _is_made_up(reading.conversation, span)
    reading = replace(reading, conversation_is_made_up=made_up)
    if span.scope != "pydantic-ai":
        return _request(span, reading) if attributes.get("rpc.method") == "tools/call" else reading
    in_events = not reading.has_content and "events" in attributes
    if reading.kind == OTHER or in_events or "tool_arguments" in attributes:
        reading = _read_older(span, reading)
    tools = reading.tools or tuple(_tools(attributes.get("model_request_parameters")))
    if reading.kind == AGENT and all(step.role == "system" for step in reading.input):
        messages = read_messages(attributes.get("pydantic_ai.all_messages"), role="user")
        reading = replace(reading, input=(*reading.input, *messages.steps))
    return replace(reading, tools=tools)


def _request(span: Span, reading: Reading) -> Reading:
    """A call to a server of the Model Context Protocol: Logfire records the protocol's request and response."""
    request = parsed(span.attributes.get("request"))
    params = request.get("params") if isinstance(request, dict) else None
    if not isinstance(params, dict) or text_of(params.get("name")) is None:
        return reading
    told = read_output(span.attributes.get("response"))
    arguments = params.get("arguments")
    return replace(
        reading,
        kind=TOOL,
        tool_name=text_of(params.get("name")),
        arguments=json_text(arguments or {}),
        result=told.text,
        is_error=told.is_error or has_failed(span),
    )


def _is_made_up(conversation: str | None, span: Span) -> bool:
    """Whether the library made the id: a UUID of version 7, where the app handed none in."""
    if conversation is None or conversation != span.attributes.get("gen_ai.conversation.id"):
        return False
    return span.scope == "pydantic-ai" and _UUID_7.fullmatch(conversation) is not None


def _read_older(span: Span, reading: Reading) -> Reading:
    """Spans of instrumentation versions before 3: `agent run`, `running tool`, messages in `events`."""
    attributes = span.attributes
    if "gen_ai.tool.name" in attributes or "tool_arguments" in attributes:
        arguments = attributes.get("tool_arguments")
        result = attributes.get("tool_response")
        return replace(
            reading,
            kind=TOOL,
            tool_name=text_of(attributes.get("gen_ai.tool.name")) or span.name,
            call_id=text_of(attributes.get("gen_ai.tool.call.id")),
            arguments=captured(arguments),
            result=captured(parsed(result)),
            is_error=has_failed(span),
        )
    events = parsed(first_value(attributes, ("events", "all_messages_events")))
    if isinstance(events, list):
        given = [
            e for e in events if isinstance(e, dict) and e.get("event.name") != "gen_ai.choice"
        ]
        made = [e.get("message") for e in events if isinstance(e, dict) and e not in given]
        return replace(
            reading,
            kind=MODEL if made else AGENT,
            input=tuple(read_messages(given, role="user").steps),
            output=tuple(read_messages(made, role="assistant").steps[:1]),
        )
    agent = text_of(attributes.get("agent_name"))
    return replace(reading, kind=AGENT if agent else OTHER, agent=reading.agent or agent)


def _tools(value: Any) -> list[str]:  # noqa: ANN401 - an attribute's value
    parameters = parsed(value)
    if not isinstance(parameters, dict):
        return []
    return read_tools(parameters.get("function_tools"))


def _feedback(span: Span) -> list[Statement]:
    """A value recorded for the span above: Logfire's word for it does not say who judged."""
    attributes = span.attributes
    name = text_of(attributes.get("logfire.feedback.name"))
    if name is None or span.parent_id is None:
        return []
    value = attributes.get(name)
    return [
        Statement(
            name=name,
            value=number_of(value) if not isinstance(value, str) else None,
            label=value if isinstance(value, str) else None,
            text=text_of(attributes.get("logfire.feedback.comment")),
            at=span.started_at,
            target_kind="span",
            target_id=f"{span.trace_id}:{span.parent_id}",
        )
    ]


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)

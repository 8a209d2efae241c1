"""The OpenAI Agents SDK's own trace export (`object: trace` and `trace.span`) to spans.

A span becomes one with OpenTelemetry's GenAI attributes, the trace itself the root that names the conversation
(`group_id`). The SDK sends no call ids with tool runs and, for the Responses API, no messages: the episode then says
`no_content`.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.attributes import text_of
from ingest.formats.format import Decoded, Format
from ingest.otlp.record import Arrival
from ingest.records.moments import from_any
from ingest.records.span import STATUS_ERROR, Span
from ingest.records.text import Json, json_text

SCOPE: Final = "openai.agents.export"


def claims(value: Json) -> bool:
    """Whether a value is a trace or a span of the SDK."""
    return (
        isinstance(value, dict)
        and value.get("object") in ("trace", "trace.span")
        and isinstance(value.get("id"), str)
    )


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one exported record."""
    return Decoded(spans=[_read(value, arrival)])


def _read(value: dict[str, Any], arrival: Arrival) -> Span:
    """One exported record as a span."""
    if value["object"] == "trace":
        return _trace(value, arrival)
    data = value.get("span_data")
    data = data if isinstance(data, dict) else {}
    trace_id = text_of(value.get("trace_id")) or "unnamed"
    return Span(
        app=arrival.app_for(None),
        trace_id=trace_id,
        span_id=value["id"],
        parent_id=text_of(value.get("parent_id")) or trace_id,
        name=f"{data.get('type', '')} {data.get('name') or ''}".strip(),
        started_at=from_any(value.get("started_at")) or arrival.received_at,
        ended_at=from_any(value.get("ended_at")),
        status=STATUS_ERROR if value.get("error") else 0,
        scope=SCOPE,
        attributes=_present(_attributes(data)),
    )


def _trace(value: dict[str, Any], arrival: Arrival) -> Span:
    metadata = value.get("metadata")
    given = {
        "session.id": value.get("group_id"),
        "metadata": json_text(metadata) if isinstance(metadata, dict) else None,
    }
    return Span(
        app=arrival.app_for(None),
        trace_id=value["id"],
        span_id=value["id"],
        name=text_of(value.get("workflow_name")) or "",
        # The trace has no time of its own; its spans are what happened.
        started_at=from_any(value.get("started_at")) or arrival.received_at,
        scope=SCOPE,
        attributes=_present(given),
    )


def _attributes(data: dict[str, Any]) -> dict[str, Any]:
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    match data.get("type"):
        case "agent":
            return {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": data.get("name"),
            }
        case "generation" | "response":
            return {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": data.get("model"),
                "gen_ai.response.id": data.get("response_id"),
                "gen_ai.input.messages": _text(data.get("input")),
                "gen_ai.output.messages": _text(data.get("output")),
                "gen_ai.usage.input_tokens": usage.get("input_tokens"),
                "gen_ai.usage.output_tokens": usage.get("output_tokens"),
            }
        case "function":
            return {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": data.get("name"),
                "gen_ai.tool.call.arguments": _text(data.get("input")),
                "gen_ai.tool.call.result": _text(data.get("output")),
            }
    return {}


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) or value is None else json_text(value)


def _present(given: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in given.items() if value is not None}


FORMAT: Final = Format(
    name="openai_agents_export",
    title="an export of the OpenAI Agents SDK",
    keys=("object", "id", "span_data"),
    claims=claims,
    read=read,
)

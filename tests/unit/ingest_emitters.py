"""One dialogue as seven client libraries would emit it: hand-made spans for the ingest tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ingest.span import LogEvent, Span, SpanEvent
from ingest.text import Json

APP = "shop"
START = 1_790_000_000_000_000_000
SECOND = 1_000_000_000


@dataclass(frozen=True)
class Emitted:
    """What a client sent."""

    spans: list[Span]
    events: list[LogEvent]


def span(number: int, attributes: dict[str, Any], **fields: Json) -> Span:
    """One span; its number gives its id and its start."""
    defaults: dict[str, Any] = {
        "app": APP,
        "trace_id": "a" * 32,
        "span_id": f"{number:016x}",
        "started_at": START + number * SECOND,
        "ended_at": START + number * SECOND + SECOND // 2,
        "attributes": attributes,
    }
    return Span(**{**defaults, **fields})


def event(number: int, name: str, span_id: str, body: Json = None, **attributes: Json) -> LogEvent:
    """One log event of a span."""
    return LogEvent(
        app=APP,
        event_id=f"event-{number}",
        trace_id="a" * 32,
        span_id=span_id,
        name=name,
        at=START + number,
        body=body,
        attributes=attributes,
    )


CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "find_order", "arguments": '{"order": "A1"}'},
}
TURNS: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Where is my order A1?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {
        "role": "tool",
        "content": '{"state": "sent"}',
        "tool_call_id": "call_1",
        "name": "find_order",
    },
    {"role": "assistant", "content": "It was sent."},
]
"""The dialogue as OpenAI messages: two model calls and one tool call."""

MODEL_CALLS = [(TURNS[:2], TURNS[2]), (TURNS[:4], TURNS[4])]
TOOL = {
    "type": "function",
    "function": {"name": "find_order", "parameters": {"type": "object", "properties": {}}},
}


def parts_of(message: dict[str, Any]) -> dict[str, Any]:
    """An OpenAI message in OpenTelemetry's form."""
    parts: list[dict[str, Any]] = []
    if message["role"] == "tool":
        response = {"type": "tool_call_response", "id": message["tool_call_id"]}
        parts.append({**response, "response": message["content"]})
    elif message.get("content"):
        parts.append({"type": "text", "content": message["content"]})
    parts += [
        {
            "type": "tool_call",
            "id": call["id"],
            "name": call["function"]["name"],
            "arguments": json.loads(call["function"]["arguments"]),
        }
        for call in message.get("tool_calls", [])
    ]
    return {"role": message["role"], "parts": parts}


def otel_genai() -> Emitted:
    """Current GenAI conventions, content on spans, with agent and tool spans."""
    root = span(
        0,
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "c1", "user.id": "u1"},
        name="invoke_agent desk",
        ended_at=START + 60 * SECOND,
    )
    spans = [root]
    for number, (given, made) in enumerate(MODEL_CALLS):
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.input.messages": json.dumps([parts_of(turn) for turn in given]),
            "gen_ai.output.messages": json.dumps([parts_of(made)]),
            "gen_ai.tool.definitions": json.dumps([TOOL]),
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
        }
        spans.append(span(1 + 2 * number, attributes, parent_id=root.span_id))
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_order",
        "gen_ai.tool.call.id": "call_1",
        "gen_ai.tool.call.arguments": '{"order": "A1"}',
        "gen_ai.tool.call.result": '{"state": "sent"}',
    }
    spans.append(span(2, tool, parent_id=root.span_id))
    return Emitted(spans, [])


def otel_genai_log_details() -> Emitted:
    """Current conventions with the content in one log event a request, structured."""
    emitted = otel_genai()
    spans: list[Span] = []
    events: list[LogEvent] = []
    for one in emitted.spans:
        if "gen_ai.input.messages" not in one.attributes:
            spans.append(one)
            continue
        content = {
            key: json.loads(value)
            for key, value in one.attributes.items()
            if key.endswith((".messages", ".definitions"))
        }
        rest = {key: value for key, value in one.attributes.items() if key not in content}
        spans.append(_with(one, rest))
        name = "gen_ai.client.inference.operation.details"
        events.append(event(len(events), name, one.span_id, **content))
    return Emitted(spans, events)


def otel_genai_span_events() -> Emitted:
    """Older conventions with one span event a message."""
    emitted = otel_genai()
    spans = []
    for one in emitted.spans:
        said = (
            MODEL_CALLS[int(one.span_id, 16) // 2]
            if "gen_ai.request.model" in one.attributes
            else None
        )
        if said is None:
            spans.append(one)
            continue
        rest = {k: v for k, v in one.attributes.items() if not k.endswith(".messages")}
        events = [_span_event(number, turn) for number, turn in enumerate(said[0])]
        choice = {"index": 0, "message": json.dumps(said[1])}
        events.append(SpanEvent(name="gen_ai.choice", at=one.started_at + 99, attributes=choice))
        spans.append(_with(one, rest, events=tuple(events)))
    return Emitted(spans, [])


def _span_event(number: int, turn: dict[str, Any]) -> SpanEvent:
    attributes: dict[str, Any] = {"content": turn["content"] or ""}
    if "tool_calls" in turn:
        attributes["tool_calls"] = json.dumps(turn["tool_calls"])
    if "tool_call_id" in turn:
        attributes["id"] = turn["tool_call_id"]
    return SpanEvent(
        name=f"gen_ai.{turn['role']}.message", at=START + number, attributes=attributes
    )


def otel_genai_log_messages() -> Emitted:
    """Conventions up to 1.36: one log event a message, with a body."""
    emitted = otel_genai()
    spans: list[Span] = []
    events: list[LogEvent] = []
    for one in emitted.spans:
        if "gen_ai.request.model" not in one.attributes:
            spans.append(one)
            continue
        given, made = MODEL_CALLS[int(one.span_id, 16) // 2]
        spans.append(
            _with(one, {k: v for k, v in one.attributes.items() if not k.endswith(".messages")})
        )
        for turn in given:
            body = {k: v for k, v in turn.items() if k in {"content", "tool_calls"} and v}
            if "tool_call_id" in turn:
                body["id"] = turn["tool_call_id"]
            events.append(event(len(events), f"gen_ai.{turn['role']}.message", one.span_id, body))
        body = {"index": 0, "finish_reason": "stop", "message": made}
        events.append(event(len(events), "gen_ai.choice", one.span_id, body))
    return Emitted(spans, events)


def openinference() -> Emitted:
    """OpenInference's flattened messages; every model call is a trace of its own."""
    spans = []
    for number, (given, made) in enumerate(MODEL_CALLS):
        attributes: dict[str, Any] = {
            "openinference.span.kind": "LLM",
            "session.id": "c1",
            "user.id": "u1",
            "llm.model_name": "m",
            "llm.tools.0.tool.json_schema": json.dumps(TOOL),
            "llm.token_count.prompt": 10,
            "llm.token_count.completion": 5,
        }
        for prefix, turns in (("llm.input_messages", given), ("llm.output_messages", [made])):
            for index, turn in enumerate(turns):
                attributes |= _openinference_message(f"{prefix}.{index}.message", turn)
        spans.append(span(1 + 2 * number, attributes, trace_id=f"{number + 1:032x}"))
    return Emitted(spans, [])


def _openinference_message(prefix: str, turn: dict[str, Any]) -> dict[str, Any]:
    found = {f"{prefix}.role": turn["role"]}
    if turn.get("content"):
        found[f"{prefix}.content"] = turn["content"]
    if "tool_call_id" in turn:
        found[f"{prefix}.tool_call_id"] = turn["tool_call_id"]
    for index, call in enumerate(turn.get("tool_calls", [])):
        base = f"{prefix}.tool_calls.{index}.tool_call"
        found[f"{base}.id"] = call["id"]
        found[f"{base}.function.name"] = call["function"]["name"]
        found[f"{base}.function.arguments"] = call["function"]["arguments"]
    return found


def openllmetry_old() -> Emitted:
    """OpenLLMetry before 0.60: flattened prompts, the session on the workflow's span."""
    root = span(
        0,
        {
            "traceloop.span.kind": "workflow",
            "traceloop.association.properties.session_id": "c1",
            "traceloop.association.properties.user_id": "u1",
        },
        ended_at=START + 60 * SECOND,
    )
    spans = [root]
    for number, (given, made) in enumerate(MODEL_CALLS):
        attributes: dict[str, Any] = {
            "llm.request.type": "chat",
            "gen_ai.system": "OpenAI",
            "gen_ai.request.model": "m",
            "llm.request.functions.0.name": "find_order",
            "llm.request.functions.0.parameters": json.dumps(TOOL["function"]["parameters"]),  # type: ignore[index]  # a literal above
            "gen_ai.usage.prompt_tokens": 10,
            "gen_ai.usage.completion_tokens": 5,
        }
        for prefix, turns in (("gen_ai.prompt", given), ("gen_ai.completion", [made])):
            for index, turn in enumerate(turns):
                attributes |= _openllmetry_message(f"{prefix}.{index}", turn)
        spans.append(span(1 + 2 * number, attributes, parent_id=root.span_id))
    return Emitted(spans, [])


def _openllmetry_message(prefix: str, turn: dict[str, Any]) -> dict[str, Any]:
    found = {f"{prefix}.role": turn["role"]}
    for key in ("content", "tool_call_id"):
        if turn.get(key):
            found[f"{prefix}.{key}"] = turn[key]
    for index, call in enumerate(turn.get("tool_calls", [])):
        base = f"{prefix}.tool_calls.{index}"
        found[f"{base}.id"] = call["id"]
        found[f"{base}.name"] = call["function"]["name"]
        found[f"{base}.arguments"] = call["function"]["arguments"]
    return found


def openllmetry_new() -> Emitted:
    """OpenLLMetry from 0.60: OpenTelemetry messages under Traceloop's own span kinds."""
    spans = [
        _with(one, {**one.attributes, "llm.request.type": "chat"})
        if "gen_ai.request.model" in one.attributes
        else one
        for one in otel_genai().spans
    ]
    return Emitted(spans, [])


def langfuse() -> Emitted:
    """Langfuse's own SDK; every model call is a trace of its own."""
    spans = []
    for number, (given, made) in enumerate(MODEL_CALLS):
        attributes = {
            "langfuse.observation.type": "generation",
            "langfuse.observation.input": json.dumps({"tools": [TOOL], "messages": given}),
            "langfuse.observation.output": json.dumps(made),
            "langfuse.observation.model.name": "m",
            "langfuse.observation.metadata.langfuse_session_id": '"c1"',
            "langfuse.user.id": "u1",
            "langfuse.observation.usage_details": json.dumps(
                {"prompt_tokens": 10, "completion_tokens": 5}
            ),
        }
        spans.append(span(1 + 2 * number, attributes, trace_id=f"{number + 1:032x}"))
    return Emitted(spans, [])


def _with(one: Span, attributes: dict[str, Any], **fields: Json) -> Span:
    return Span(
        **{
            "app": one.app,
            "trace_id": one.trace_id,
            "span_id": one.span_id,
            "parent_id": one.parent_id,
            "name": one.name,
            "started_at": one.started_at,
            "ended_at": one.ended_at,
            "attributes": attributes,
            **fields,
        }
    )


EMITTERS: dict[str, Callable[[], Emitted]] = {
    "otel_genai": otel_genai,
    "otel_genai_log_details": otel_genai_log_details,
    "otel_genai_span_events": otel_genai_span_events,
    "otel_genai_log_messages": otel_genai_log_messages,
    "openinference": openinference,
    "openllmetry_old": openllmetry_old,
    "openllmetry_new": openllmetry_new,
    "langfuse": langfuse,
}

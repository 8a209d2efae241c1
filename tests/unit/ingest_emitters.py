"""One dialogue as many client libraries would emit it: hand-made spans for the ingest tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ingest.records.span import LogEvent, Span, SpanEvent
from ingest.records.text import Json

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

Turns = list[dict[str, Any]]
_APART = 20
"""Numbers of spans between two model calls: room for the tools that run in between."""


def model_calls(turns: Turns) -> list[tuple[Turns, dict[str, Any]]]:
    """What the model was given and what it said, call by call: the client sends the whole history every time."""
    return [(turns[:n], turn) for n, turn in enumerate(turns) if turn["role"] == "assistant"]


def tool_runs(turns: Turns) -> list[tuple[int, dict[str, Any], str]]:
    """The tools that ran: the number of each span, the call and its result; results stand in the order of their calls."""
    runs: list[tuple[int, dict[str, Any], str]] = []
    waiting: list[dict[str, Any]] = []
    asked = -1
    for turn in turns:
        if turn["role"] == "assistant":
            asked += 1
            waiting = list(turn.get("tool_calls", []))
        elif turn["role"] == "tool":
            number = 1 + _APART * asked + _APART // 2 - len(waiting)
            runs.append((number, waiting.pop(0), turn["content"]))
    return runs


MODEL_CALLS = model_calls(TURNS)
TOOL: dict[str, Any] = {
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


def otel_genai(turns: Turns = TURNS) -> Emitted:
    """Current GenAI conventions, content on spans, with agent and tool spans."""
    root = span(
        0,
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "c1", "user.id": "u1"},
        name="invoke_agent desk",
        ended_at=START + 10_000 * SECOND,
    )
    spans = [root]
    for number, (given, made) in enumerate(model_calls(turns)):
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.input.messages": json.dumps([parts_of(turn) for turn in given]),
            "gen_ai.output.messages": json.dumps([parts_of(made)]),
            "gen_ai.tool.definitions": json.dumps([TOOL]),
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
        }
        spans.append(span(1 + _APART * number, attributes, parent_id=root.span_id))
    for number, call, result in tool_runs(turns):
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call["function"]["name"],
            "gen_ai.tool.call.id": call["id"],
            "gen_ai.tool.call.arguments": call["function"]["arguments"],
            "gen_ai.tool.call.result": result,
        }
        spans.append(span(number, tool, parent_id=root.span_id))
    return Emitted(spans, [])


def otel_genai_log_details(turns: Turns = TURNS) -> Emitted:
    """Current conventions with the content in one log event a request, structured."""
    emitted = otel_genai(turns)
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


def otel_genai_span_events(turns: Turns = TURNS) -> Emitted:
    """Older conventions with one span event a message."""
    emitted = otel_genai(turns)
    spans = []
    for one in emitted.spans:
        said = (
            model_calls(turns)[int(one.span_id, 16) // _APART]
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


def otel_genai_log_messages(turns: Turns = TURNS) -> Emitted:
    """Conventions up to 1.36: one log event a message, with a body."""
    emitted = otel_genai(turns)
    spans: list[Span] = []
    events: list[LogEvent] = []
    for one in emitted.spans:
        if "gen_ai.request.model" not in one.attributes:
            spans.append(one)
            continue
        given, made = model_calls(turns)[int(one.span_id, 16) // _APART]
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


def openinference(turns: Turns = TURNS) -> Emitted:
    """OpenInference's flattened messages; every model call is a trace of its own."""
    spans = []
    for number, (given, made) in enumerate(model_calls(turns)):
        attributes: dict[str, Any] = {
            "openinference.span.kind": "LLM",
            "session.id": "c1",
            "user.id": "u1",
            "llm.model_name": "m",
            "llm.tools.0.tool.json_schema": json.dumps(TOOL),
            "llm.token_count.prompt": 10,
            "llm.token_count.completion": 5,
        }
        for prefix, said in (("llm.input_messages", given), ("llm.output_messages", [made])):
            for index, turn in enumerate(said):
                attributes |= _openinference_message(f"{prefix}.{index}.message", turn)
        spans.append(span(1 + _APART * number, attributes, trace_id=f"{number + 1:032x}"))
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


def openllmetry_old(turns: Turns = TURNS) -> Emitted:
    """OpenLLMetry before 0.60: flattened prompts, the session on the workflow's span."""
    root = span(
        0,
        {
            "traceloop.span.kind": "workflow",
            "traceloop.association.properties.session_id": "c1",
            "traceloop.association.properties.user_id": "u1",
        },
        ended_at=START + 10_000 * SECOND,
    )
    spans = [root]
    for number, (given, made) in enumerate(model_calls(turns)):
        attributes: dict[str, Any] = {
            "llm.request.type": "chat",
            "gen_ai.system": "OpenAI",
            "gen_ai.request.model": "m",
            "llm.request.functions.0.name": "find_order",
            "llm.request.functions.0.parameters": json.dumps(TOOL["function"]["parameters"]),
            "gen_ai.usage.prompt_tokens": 10,
            "gen_ai.usage.completion_tokens": 5,
        }
        for prefix, said in (("gen_ai.prompt", given), ("gen_ai.completion", [made])):
            for index, turn in enumerate(said):
                attributes |= _openllmetry_message(f"{prefix}.{index}", turn)
        spans.append(span(1 + _APART * number, attributes, parent_id=root.span_id))
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


def openllmetry_new(turns: Turns = TURNS) -> Emitted:
    """OpenLLMetry from 0.60: OpenTelemetry messages under Traceloop's own span kinds."""
    spans = [
        _with(one, {**one.attributes, "llm.request.type": "chat"})
        if "gen_ai.request.model" in one.attributes
        else one
        for one in otel_genai(turns).spans
    ]
    return Emitted(spans, [])


def langfuse(turns: Turns = TURNS) -> Emitted:
    """Langfuse's own SDK; every model call is a trace of its own."""
    spans = []
    for number, (given, made) in enumerate(model_calls(turns)):
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
        spans.append(span(1 + _APART * number, attributes, trace_id=f"{number + 1:032x}"))
    return Emitted(spans, [])


def vercel_ai(turns: Turns = TURNS) -> Emitted:
    """Vercel's AI SDK 6: a run, its steps and its tool call."""
    root = span(
        0,
        {
            "ai.operationId": "ai.generateText",
            "ai.telemetry.metadata.sessionId": "c1",
            "ai.telemetry.metadata.userId": "u1",
            "ai.prompt": '{"prompt": "outer"}',
        },
        ended_at=START + 10_000 * SECOND,
    )
    spans = [root]
    for number, (given, made) in enumerate(model_calls(turns)):
        attributes: dict[str, Any] = {
            "ai.operationId": "ai.generateText.doGenerate",
            "ai.model.id": "m",
            "ai.prompt.messages": json.dumps([_vercel_message(turn) for turn in given]),
            "ai.prompt.tools": [
                json.dumps(
                    {
                        "type": "function",
                        "name": "find_order",
                        "inputSchema": TOOL["function"]["parameters"],
                    }
                )
            ],
            "ai.usage.inputTokens": 10,
            "ai.usage.outputTokens": 5,
        }
        if made.get("content"):
            attributes["ai.response.text"] = made["content"]
        if "tool_calls" in made:
            attributes["ai.response.toolCalls"] = json.dumps(
                [
                    {
                        "toolCallId": call["id"],
                        "toolName": call["function"]["name"],
                        "input": call["function"]["arguments"].replace(" ", ""),
                    }
                    for call in made["tool_calls"]
                ]
            )
        spans.append(span(1 + _APART * number, attributes, parent_id=root.span_id))
    for number, call, result in tool_runs(turns):
        tool = {
            "ai.operationId": "ai.toolCall",
            "ai.toolCall.name": call["function"]["name"],
            "ai.toolCall.id": call["id"],
            "ai.toolCall.args": call["function"]["arguments"].replace(" ", ""),
            "ai.toolCall.result": result.replace(": ", ":"),
        }
        spans.append(span(number, tool, parent_id=root.span_id))
    return Emitted(spans, [])


def _vercel_message(turn: dict[str, Any]) -> dict[str, Any]:
    if turn["role"] == "tool":
        output = {"type": "text", "value": turn["content"]}
        part = {"type": "tool-result", "toolCallId": turn["tool_call_id"], "toolName": turn["name"]}
        return {"role": "tool", "content": [{**part, "output": output}]}
    if "tool_calls" in turn:
        parts = [
            {
                "type": "tool-call",
                "toolCallId": call["id"],
                "toolName": call["function"]["name"],
                "input": json.loads(call["function"]["arguments"]),
            }
            for call in turn["tool_calls"]
        ]
        return {"role": "assistant", "content": parts}
    if turn["role"] == "user":
        return {"role": "user", "content": [{"type": "text", "text": turn["content"]}]}
    return turn


def mlflow(turns: Turns = TURNS) -> Emitted:
    """MLflow's autologging: every value is JSON in a string."""
    root = span(
        0,
        {"mlflow.spanType": '"AGENT"', "mlflow.trace.session": '"c1"', "mlflow.trace.user": '"u1"'},
        ended_at=START + 10_000 * SECOND,
    )
    spans = [root]
    for number, (given, made) in enumerate(model_calls(turns)):
        attributes = {
            "mlflow.spanType": '"CHAT_MODEL"',
            "mlflow.llm.model": '"m"',
            "mlflow.spanInputs": json.dumps({"messages": given, "model": "m"}),
            "mlflow.spanOutputs": json.dumps({"choices": [{"index": 0, "message": made}]}),
            "mlflow.chat.tools": json.dumps([TOOL]),
            "mlflow.chat.tokenUsage": json.dumps({"input_tokens": 10, "output_tokens": 5}),
        }
        spans.append(span(1 + _APART * number, attributes, parent_id=root.span_id))
    for number, call, result in tool_runs(turns):
        tool = {
            "mlflow.spanType": '"TOOL"',
            "mlflow.spanFunctionName": json.dumps(call["function"]["name"]),
            "mlflow.spanInputs": call["function"]["arguments"],
            "mlflow.spanOutputs": json.dumps(result),
        }
        spans.append(span(number, tool, parent_id=root.span_id))
    return Emitted(spans, [])


def langsmith(turns: Turns = TURNS) -> Emitted:
    """LangSmith's OpenTelemetry spans with LangChain's message objects."""
    root = span(
        0,
        {
            "langsmith.span.kind": "chain",
            "langsmith.metadata.thread_id": "c1",
            "langsmith.metadata.user_id": "u1",
            "langsmith.trace.session_id": "the-project",
        },
        scope="langsmith",
        ended_at=START + 10_000 * SECOND,
    )
    spans = [root]
    for number, (given, made) in enumerate(model_calls(turns)):
        generation = {"text": "", "message": _langchain(made)}
        attributes = {
            "langsmith.span.kind": "llm",
            "gen_ai.request.model": "m",
            "gen_ai.prompt": json.dumps({"messages": [[_langchain(turn) for turn in given]]}),
            "gen_ai.completion": json.dumps({"generations": [[generation]]}),
            "gen_ai.tool.definitions": json.dumps([TOOL]),
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
        }
        spans.append(
            span(1 + _APART * number, attributes, parent_id=root.span_id, scope="langsmith")
        )
    return Emitted(spans, [])


def _langchain(turn: dict[str, Any]) -> dict[str, Any]:
    kind = {"system": "System", "user": "Human", "assistant": "AI", "tool": "Tool"}[turn["role"]]
    kwargs: dict[str, Any] = {"content": turn["content"] or "", "type": kind.lower()}
    if "tool_calls" in turn:
        kwargs["tool_calls"] = [
            {
                "name": call["function"]["name"],
                "args": json.loads(call["function"]["arguments"]),
                "id": call["id"],
                "type": "tool_call",
            }
            for call in turn["tool_calls"]
        ]
    if "tool_call_id" in turn:
        kwargs |= {"tool_call_id": turn["tool_call_id"], "name": turn["name"]}
    path = ["langchain", "schema", "messages", f"{kind}Message"]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": kwargs}


def pydantic_ai(turns: Turns = TURNS) -> Emitted:
    """pydantic-ai 5: arguments as JSON inside JSON, results under role user, pending spans beside real ones."""
    root = span(
        0,
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "desk",
            "gen_ai.conversation.id": "c1",
            "user.id": "u1",
        },
        scope="pydantic-ai",
        ended_at=START + 10_000 * SECOND,
    )
    spans = [root]
    parameters = {
        "function_tools": [
            {"name": "find_order", "parameters_json_schema": TOOL["function"]["parameters"]}
        ]
    }
    for number, (given, made) in enumerate(model_calls(turns)):
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.input.messages": json.dumps([_pydantic_message(turn) for turn in given]),
            "gen_ai.output.messages": json.dumps([_pydantic_message(made)]),
            "model_request_parameters": json.dumps(parameters),
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
        }
        one = span(1 + _APART * number, attributes, parent_id=root.span_id, scope="pydantic-ai")
        spans.append(one)
        pending = {**attributes, "logfire.span_type": "pending_span"}
        spans.append(span(100_000 + number, pending, parent_id=one.span_id, scope="pydantic-ai"))
    return Emitted(spans, [])


def _pydantic_message(turn: dict[str, Any]) -> dict[str, Any]:
    message = parts_of(turn)
    for part in message["parts"]:
        if part["type"] == "tool_call":
            part["arguments"] = json.dumps(part["arguments"])
        if part["type"] == "tool_call_response":
            part["result"] = part.pop("response")
            part["name"] = turn["name"]
    return {**message, "role": "user"} if turn["role"] == "tool" else message


def microsoft_agent(turns: Turns = TURNS) -> Emitted:
    """Microsoft's Agent Framework: content on spans, and every message once more as a log event."""
    emitted = otel_genai(turns)
    spans = [_with(one, dict(one.attributes), scope="agent_framework") for one in emitted.spans]
    return Emitted(spans, otel_genai_log_messages(turns).events)


def google_adk(turns: Turns = TURNS) -> Emitted:
    """ADK 1.x: whole requests and responses of Gemini as JSON; calls have ids on the tool's span only."""
    root = span(
        0, {}, name="invocation", scope="gcp.vertex.agent", ended_at=START + 10_000 * SECOND
    )
    spans = [root]
    for number, (given, made) in enumerate(model_calls(turns)):
        function = {"name": "find_order", "parameters": TOOL["function"]["parameters"]}
        request = {
            "model": "m",
            "config": {
                "system_instruction": "Be kind.",
                "tools": [{"function_declarations": [function]}],
            },
            "contents": [_gemini(turn) for turn in given[1:]],
        }
        attributes = {
            "gen_ai.operation.name": "call_llm",
            "gen_ai.request.model": "m",
            "gcp.vertex.agent.session_id": "c1",
            "user.id": "u1",
            "gcp.vertex.agent.llm_request": json.dumps(request),
            "gcp.vertex.agent.llm_response": json.dumps({"content": _gemini(made)}),
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 5,
        }
        spans.append(
            span(1 + _APART * number, attributes, parent_id=root.span_id, scope="gcp.vertex.agent")
        )
    merged = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)"}
    spans.append(span(_APART - 1, merged, parent_id=root.span_id, scope="gcp.vertex.agent"))
    return Emitted(spans, [])


def _gemini(turn: dict[str, Any]) -> dict[str, Any]:
    if turn["role"] == "tool":
        part: dict[str, Any] = {
            "function_response": {
                "id": turn["tool_call_id"],
                "name": turn["name"],
                "response": {"result": turn["content"]},
            }
        }
        return {"role": "user", "parts": [part]}
    role = "model" if turn["role"] == "assistant" else "user"
    if "tool_calls" in turn:
        parts = [
            {
                "function_call": {
                    "id": call["id"],
                    "name": call["function"]["name"],
                    "args": json.loads(call["function"]["arguments"]),
                }
            }
            for call in turn["tool_calls"]
        ]
        return {"role": role, "parts": parts}
    return {"role": role, "parts": [{"text": turn["content"]}]}


def genkit(turns: Turns = TURNS) -> Emitted:
    """Genkit: a flow, a `generate` step that nests for every round of tools, and actions of the model and its tools."""
    root = span(
        0,
        {"genkit:type": "action", "genkit:metadata:subtype": "flow", "genkit:sessionId": "c1"}
        | {"user.id": "u1", "genkit:input": '"outer"', "genkit:output": '"outer"'},
        ended_at=START + 10_000 * SECOND,
    )
    spans = [root]
    above = root.span_id
    for number, (given, made) in enumerate(model_calls(turns)):
        step = span(_APART * number, {"genkit:type": "util"}, parent_id=above)
        step = _with(step, {"genkit:type": "util"}, span_id=f"{1000 + number:016x}")
        above = step.span_id
        request = {
            "messages": [_genkit(turn) for turn in given],
            "tools": [{"name": "find_order", "inputSchema": TOOL["function"]["parameters"]}],
        }
        usage = {"inputTokens": 10, "outputTokens": 5}
        attributes = {
            "genkit:type": "action",
            "genkit:metadata:subtype": "model",
            "genkit:name": "m",
            "genkit:input": json.dumps(request),
            "genkit:output": json.dumps({"message": _genkit(made), "usage": usage}),
        }
        spans += [step, span(1 + _APART * number, attributes, parent_id=step.span_id)]
    for number, call, result in tool_runs(turns):
        attributes = {
            "genkit:type": "action",
            "genkit:metadata:subtype": "tool",
            "genkit:name": call["function"]["name"],
            "genkit:input": call["function"]["arguments"],
            "genkit:output": json.dumps(result),
            "genkit:state": "success",
        }
        above = f"{1000 + (number - 1) // _APART:016x}"
        spans.append(span(number, attributes, parent_id=above))
    return Emitted(spans, [])


def _genkit(turn: dict[str, Any]) -> dict[str, Any]:
    """An OpenAI message in Genkit's form."""
    if turn["role"] == "tool":
        answer = {"name": turn["name"], "ref": turn["tool_call_id"], "output": turn["content"]}
        return {"role": "tool", "content": [{"toolResponse": answer}]}
    parts: list[dict[str, Any]] = [{"text": turn["content"]}] if turn.get("content") else []
    for call in turn.get("tool_calls", []):
        function = call["function"]
        asked = {"name": function["name"], "ref": call["id"]}
        parts.append({"toolRequest": {**asked, "input": json.loads(function["arguments"])}})
    return {"role": "model" if turn["role"] == "assistant" else turn["role"], "content": parts}


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


EMITTERS: dict[str, Callable[..., Emitted]] = {
    "otel_genai": otel_genai,
    "otel_genai_log_details": otel_genai_log_details,
    "otel_genai_span_events": otel_genai_span_events,
    "otel_genai_log_messages": otel_genai_log_messages,
    "openinference": openinference,
    "openllmetry_old": openllmetry_old,
    "openllmetry_new": openllmetry_new,
    "langfuse": langfuse,
    "vercel_ai": vercel_ai,
    "mlflow": mlflow,
    "langsmith": langsmith,
    "pydantic_ai": pydantic_ai,
    "microsoft_agent": microsoft_agent,
    "google_adk": google_adk,
    "genkit": genkit,
}

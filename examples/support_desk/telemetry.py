"""The app's instrumentation: stock OpenTelemetry with the GenAI semantic conventions, on the simulated clock.

Goes out through whatever exporters it is given (OTLP over HTTP in production, memory in tests). One trace per turn of
the conversation: `invoke_agent` with its `chat` and `execute_tool` spans; feedback as `gen_ai.evaluation.result`.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from opentelemetry import trace
from opentelemetry._logs import Logger, LogRecord, NoOpLogger, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import SpanKind, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue

from examples.support_desk.agents.agent import Message, Reply
from examples.support_desk.clock import Clock, nanoseconds
from examples.support_desk.variant import Json

SCOPE: Final = "support_desk.instrumentation"
PROVIDER: Final = "support_desk"


class SeededIds(IdGenerator):
    """Trace and span ids from a seed, so that two runs of the app send the same spans."""

    def __init__(self, seed: str) -> None:
        self._rng = random.Random(f"ids {seed}")

    def generate_span_id(self) -> int:
        """A span id that is not zero."""
        return self._rng.getrandbits(64) or 1

    def generate_trace_id(self) -> int:
        """A trace id that is not zero."""
        return self._rng.getrandbits(128) or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What every span of a conversation says about it."""

    conversation_id: str
    user_id: str
    agent: str
    model: str
    task_key: str | None = None

    def attributes(self) -> dict[str, AttributeValue]:
        """As span attributes."""
        attributes: dict[str, AttributeValue] = {
            "gen_ai.conversation.id": self.conversation_id,
            "gen_ai.agent.name": self.agent,
            "gen_ai.request.model": self.model,
            "gen_ai.provider.name": PROVIDER,
            "user.id": self.user_id,
        }
        return attributes | ({"task_key": self.task_key} if self.task_key else {})


@dataclass(slots=True, kw_only=True)
class Telemetry:
    """Writes spans and events; with no exporters it writes nothing."""

    tracer: Tracer = field(default_factory=trace.NoOpTracer)
    logger: Logger = field(default_factory=lambda: NoOpLogger(SCOPE))
    providers: tuple[TracerProvider, LoggerProvider] | None = None
    last_turn: trace.SpanContext | None = None

    @contextmanager
    def turn(self, session: Session, clock: Clock, asked: Message) -> Iterator["Turn"]:
        """One turn of the agent: everything between the customer's message and the answer."""
        attributes = session.attributes() | {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.input.messages": _json([to_parts(asked)]),
        }
        with self._span(f"invoke_agent {session.agent}", clock, attributes) as span:
            turn = Turn(telemetry=self, session=session, clock=clock)
            yield turn
            span.set_attributes(turn.totals())
            self.last_turn = span.get_span_context()

    @contextmanager
    def _span(
        self,
        name: str,
        clock: Clock,
        attributes: Mapping[str, AttributeValue],
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> Iterator[trace.Span]:
        span = self.tracer.start_span(
            name, kind=kind, attributes=dict(attributes), start_time=clock.nanoseconds()
        )
        with trace.use_span(span):
            yield span
        span.end(end_time=clock.nanoseconds())

    def feedback(self, session: Session, name: str, value: float, at: datetime) -> None:
        """What the customer thinks of the conversation, as an event of its own."""
        parent = self.last_turn
        context = (
            trace.set_span_in_context(trace.NonRecordingSpan(parent), Context()) if parent else None
        )
        self.logger.emit(
            LogRecord(
                timestamp=nanoseconds(at),
                observed_timestamp=nanoseconds(at),
                context=context,
                severity_number=SeverityNumber.INFO,
                event_name="gen_ai.evaluation.result",
                attributes={
                    "gen_ai.evaluation.name": name,
                    "gen_ai.evaluation.score.value": value,
                    "gen_ai.evaluation.score.label": "good" if value >= 0.5 else "bad",
                    "gen_ai.conversation.id": session.conversation_id,
                    "user.id": session.user_id,
                    # The conventions have no field for who judged; without it a score could be a model's.
                    "gen_ai.evaluation.source": "end_user",
                },
            )
        )

    def close(self) -> None:
        """Sends what is left."""
        for provider in self.providers or ():
            provider.force_flush()
            provider.shutdown()


@dataclass(slots=True, kw_only=True)
class Turn:
    """One turn of the agent, open."""

    telemetry: Telemetry
    session: Session
    clock: Clock
    _input_tokens: int = 0
    _output_tokens: int = 0
    _answer: Message | None = None

    @contextmanager
    def chat(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]
    ) -> Iterator["Chat"]:
        """One model call."""
        system = [m for m in messages if m["role"] == "system"]
        attributes = self.session.attributes() | {
            "gen_ai.operation.name": "chat",
            "gen_ai.system_instructions": _json(
                [{"type": "text", "content": m["content"]} for m in system]
            ),
            "gen_ai.input.messages": _json(
                [to_parts(m) for m in messages if m["role"] != "system"]
            ),
            "gen_ai.tool.definitions": _json([_flat(tool) for tool in tools]),
        }
        name = f"chat {self.session.model}"
        with self.telemetry._span(name, self.clock, attributes, SpanKind.CLIENT) as span:  # noqa: SLF001 - one module
            chat = Chat()
            yield chat
            if chat.reply is not None:
                span.set_attributes(_answered(chat.reply, self.session.model))
                self._input_tokens += chat.reply.input_tokens
                self._output_tokens += chat.reply.output_tokens
                self._answer = chat.reply.message()

    @contextmanager
    def tool(self, name: str, call_id: str, arguments: str) -> Iterator["ToolSpan"]:
        """One tool call."""
        attributes: dict[str, AttributeValue] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": arguments,
            "gen_ai.conversation.id": self.session.conversation_id,
        }
        with self.telemetry._span(f"execute_tool {name}", self.clock, attributes) as span:  # noqa: SLF001 - one module
            tool = ToolSpan()
            yield tool
            span.set_attribute("gen_ai.tool.call.result", tool.content)
            if tool.is_error:
                span.set_attribute("error.type", "tool_error")
                span.set_status(StatusCode.ERROR)

    def totals(self) -> dict[str, AttributeValue]:
        """What the whole turn cost and said."""
        totals: dict[str, AttributeValue] = {
            "gen_ai.usage.input_tokens": self._input_tokens,
            "gen_ai.usage.output_tokens": self._output_tokens,
        }
        if self._answer is not None:
            totals["gen_ai.output.messages"] = _json([to_parts(self._answer)])
        return totals


@dataclass(slots=True, kw_only=True)
class Chat:
    """A model call that waits for its reply."""

    reply: Reply | None = None


@dataclass(slots=True, kw_only=True)
class ToolSpan:
    """A tool call that waits for its result."""

    content: str = ""
    is_error: bool = False


def make_telemetry(
    spans: SpanExporter, logs: LogRecordExporter, *, service: str, seed: str
) -> Telemetry:
    """Telemetry that goes to these exporters."""
    resource = Resource.create(
        {
            "service.name": service,
            "service.instance.id": f"{service}-1",
            "deployment.environment.name": "demo",
        }
    )
    tracers = TracerProvider(
        resource=resource, id_generator=SeededIds(seed), shutdown_on_exit=False
    )
    tracers.add_span_processor(BatchSpanProcessor(spans, max_queue_size=2**17))
    loggers = LoggerProvider(resource=resource, shutdown_on_exit=False)
    loggers.add_log_record_processor(BatchLogRecordProcessor(logs))
    return Telemetry(
        tracer=tracers.get_tracer(SCOPE, "1"),
        logger=loggers.get_logger(SCOPE, "1"),
        providers=(tracers, loggers),
    )


def to_parts(message: Message) -> dict[str, Json]:
    """An OpenAI chat message in the form of the GenAI conventions."""
    if message["role"] == "tool":
        result: Json = {
            "type": "tool_call_response",
            "id": message["tool_call_id"],
            "response": message["content"],
        }
        return {"role": "tool", "parts": [result]}
    parts: list[Json] = []
    if message.get("content"):
        parts.append({"type": "text", "content": message["content"]})
    calls = message.get("tool_calls")
    parts.extend(_call_part(call) for call in (calls if isinstance(calls, list) else []))
    return {"role": message["role"], "parts": parts}


def _call_part(call: Json) -> Json:
    if not isinstance(call, dict) or not isinstance(call["function"], dict):
        return {"type": "tool_call"}
    function = call["function"]
    arguments: Json = str(function["arguments"])
    # What is not JSON stays the text that the model wrote.
    with suppress(ValueError):
        arguments = json.loads(str(function["arguments"]))
    return {
        "type": "tool_call",
        "id": call["id"],
        "name": function["name"],
        "arguments": arguments,
    }


def _flat(tool: Mapping[str, Json]) -> Json:
    function = tool["function"]
    return {"type": "function", **function} if isinstance(function, dict) else {}


def _answered(reply: Reply, model: str) -> dict[str, AttributeValue]:
    finish = "tool_call" if reply.tool_calls else "stop"
    return {
        "gen_ai.output.messages": _json([to_parts(reply.message()) | {"finish_reason": finish}]),
        "gen_ai.response.finish_reasons": [finish],
        "gen_ai.response.model": model,
        "gen_ai.response.id": reply.response_id,
        "gen_ai.usage.input_tokens": reply.input_tokens,
        "gen_ai.usage.output_tokens": reply.output_tokens,
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

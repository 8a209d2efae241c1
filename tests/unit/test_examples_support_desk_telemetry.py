"""The example's telemetry: stock spans with the GenAI conventions, on the simulated clock, and user feedback."""

import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext, StatusCode

from examples.support_desk.agents.faulty import POLICIES
from examples.support_desk.app import main
from examples.support_desk.backend.generator import START
from examples.support_desk.clock import nanoseconds
from examples.support_desk.records import Held
from examples.support_desk.season import Plan, reset_season
from examples.support_desk.telemetry import make_telemetry
from examples.support_desk.variant import make_variant


class Sent:
    """What a short season sent."""

    def __init__(self) -> None:
        spans = InMemorySpanExporter()
        logs = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]  # the SDK left it untyped
        telemetry = make_telemetry(spans, logs, service="shop", seed="s")
        plan = Plan(app="shop", variant=make_variant(0), seed=2, conversations=30, attempts=3)
        self.held: list[Held] = list(reset_season(plan, telemetry))
        for provider in telemetry.providers or ():
            provider.force_flush()
        self.spans: tuple[ReadableSpan, ...] = spans.get_finished_spans()
        self.logs: tuple[ReadableLogRecord, ...] = logs.get_finished_logs()
        telemetry.close()

    def of(self, operation: str) -> list[ReadableSpan]:
        """The spans of one operation."""
        return [s for s in self.spans if attributes(s)["gen_ai.operation.name"] == operation]


def attributes(span: ReadableSpan) -> dict[str, Any]:
    """A span's attributes."""
    return dict(span.attributes or {})


def context(span: ReadableSpan) -> SpanContext:
    """A span's ids."""
    found: SpanContext | None = span.context
    assert found is not None
    return found


@pytest.fixture(scope="module")
def sent() -> Sent:
    """One short season."""
    return Sent()


def test_one_trace_per_turn_with_the_conversation_on_every_span(sent: Sent) -> None:
    """Each user message opens a trace of its own; its spans hang together and name the conversation."""
    turns = sent.of("invoke_agent")
    said = sum(m["role"] == "user" for one in sent.held for m in one.talk.messages)
    assert len(turns) == said
    assert len({context(span).trace_id for span in turns}) == said
    ids = {context(span).span_id: span for span in sent.spans}
    for span in sent.spans:
        if span.parent is None:
            assert span in turns
        else:
            parent = ids[span.parent.span_id]
            assert context(parent).trace_id == context(span).trace_id
            conversation = attributes(parent)["gen_ai.conversation.id"]
            assert attributes(span)["gen_ai.conversation.id"] == conversation


def test_chat_spans_hold_the_whole_exchange(sent: Sent) -> None:
    """Messages, instructions, tool definitions and usage are there, as JSON in the conventions' form."""
    spans = sent.of("chat")
    answers = sum(m["role"] == "assistant" for one in sent.held for m in one.talk.messages)
    assert len(spans) == answers
    for span in spans:
        found = attributes(span)
        messages = json.loads(found["gen_ai.input.messages"])
        output = json.loads(found["gen_ai.output.messages"])
        assert messages[0]["role"] == "user"
        assert [message["role"] for message in output] == ["assistant"]
        assert found["gen_ai.response.finish_reasons"] == (output[0]["finish_reason"],)
        assert json.loads(found["gen_ai.system_instructions"])[0]["content"].startswith("# Support")
        assert len(json.loads(found["gen_ai.tool.definitions"])) == 15
        assert found["gen_ai.usage.input_tokens"] > 0
        assert {
            "gen_ai.provider.name",
            "gen_ai.request.model",
            "gen_ai.response.id",
            "user.id",
        } <= set(found)
        for message in messages + output:
            assert {part["type"] for part in message["parts"]} <= {
                "text",
                "tool_call",
                "tool_call_response",
            }


def test_no_span_tells_which_policy_was_on_duty(sent: Sent) -> None:
    """The truth stays out of the telemetry: names of faults are nowhere in it."""
    assert len({one.policy for one in sent.held}) > 3
    text = json.dumps([attributes(span) for span in sent.spans], default=str)
    assert not any(policy in text for policy in POLICIES if policy not in {"good", "loop"})


def test_tool_spans_hold_arguments_result_and_failure(sent: Sent) -> None:
    """Each call's arguments and text are on its span; a refusal is an error."""
    made = [call for one in sent.held for call in one.talk.calls]
    spans = {attributes(span)["gen_ai.tool.call.id"]: span for span in sent.of("execute_tool")}
    assert len(spans) == len(made)
    assert any(one.answer.is_error for one in made)
    for one in made:
        span, failed = spans[one.call.call_id], one.answer.is_error
        assert attributes(span)["gen_ai.tool.call.result"] == one.answer.content
        assert attributes(span)["gen_ai.tool.call.arguments"] == one.call.arguments
        assert (span.status.status_code is StatusCode.ERROR) == failed
        assert (attributes(span).get("error.type") == "tool_error") == failed


def test_time_is_simulated(sent: Sent) -> None:
    """All spans lie after the simulated start, children inside their parents."""
    ids = {context(span).span_id: span for span in sent.spans}
    for span in sent.spans:
        assert span.start_time is not None
        assert span.end_time is not None
        assert nanoseconds(START) <= span.start_time <= span.end_time
        if span.parent is not None:
            parent = ids[span.parent.span_id]
            assert (parent.start_time or 0) <= span.start_time
            assert span.end_time <= (parent.end_time or 0)


def test_feedback_says_that_a_person_gave_it(sent: Sent) -> None:
    """Thumbs and surveys are evaluation events on the conversation's last trace, by a human, after it."""
    given = [f for one in sent.held for f in one.feedback if f.by == "end_user"]
    assert given
    assert len(sent.logs) == len(given)
    traces = {context(span).trace_id for span in sent.of("invoke_agent")}
    for log in sent.logs:
        record, found = log.log_record, dict(log.log_record.attributes or {})
        assert record.event_name == "gen_ai.evaluation.result"
        assert found["gen_ai.evaluation.name"] in {"user_feedback", "resolved"}
        assert found["gen_ai.evaluation.source"] == "end_user"
        assert found["gen_ai.evaluation.score.value"] in {0.0, 1.0}
        assert str(found["gen_ai.conversation.id"]).startswith("conv_")
        assert record.trace_id in traces


def test_a_spool_file_is_otlp_json_and_the_same_every_time(tmp_path: Path) -> None:
    """Ids are hex, enums are numbers, traces and logs are both there; two runs write the same spans."""
    texts = []
    for name in ("a", "b"):
        spool = tmp_path / name / "spool.jsonl"
        assert main(["--conversations", "8", "--quiet", "--spool", str(spool)]) == 0
        texts.append(sorted(spool.read_text(encoding="utf-8").splitlines()))
    requests = [json.loads(line) for line in texts[0]]
    assert {key for request in requests for key in request} == {"resourceSpans", "resourceLogs"}
    spans = [
        span
        for request in requests
        for resource in request.get("resourceSpans", ())
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    assert all(len(s["traceId"]) == 32 and len(s["spanId"]) == 16 for s in spans)
    assert all(isinstance(s["kind"], int) for s in spans)
    assert _span_texts(texts[0]) == _span_texts(texts[1])


def _span_texts(lines: list[str]) -> list[str]:
    """All spans of a spool file, whatever requests they came in."""
    return sorted(
        json.dumps(span, sort_keys=True)
        for line in lines
        for resource in json.loads(line).get("resourceSpans", ())
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    )

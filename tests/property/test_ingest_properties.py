"""What holds for every input, checked on generated ones."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.assembly.assemble import assemble
from ingest.dialects.table import read_span
from ingest.files.chat_log import Chat, to_line
from ingest.files.partial_json import parse_json
from ingest.otlp import rpc_status
from ingest.otlp.decode import decode
from ingest.otlp.decode_batch import decode_batch
from ingest.otlp.limits import Limits
from ingest.otlp.wire import signal_of
from ingest.receiver.intake import Intake, Refusal, SentBody
from ingest.receiver.tokens import Sender
from ingest.receiver.wal import StoredRecord, Wal
from ingest.records.episode import Episode
from ingest.records.quarantine import Rejected
from ingest.records.span import SPAN_SCHEMA, Span, span_of_row, span_row
from ingest.records.text import Json
from tests.chat_line import parse_line
from tests.unit.ingest_emitters import APP, EMITTERS, parts_of, span

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
WORDS = st.text(min_size=1, max_size=20)
CALL = st.builds(
    lambda identity, name, arguments: {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    },
    st.sampled_from(["a", "b", "c"]),
    WORDS,
    st.builds(json.dumps, JSON),
)
MESSAGE = st.one_of(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant"]), "content": st.text()}
    ),
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.none() | st.text(),
            "tool_calls": st.lists(CALL, min_size=1, max_size=3),
        }
    ),
    st.fixed_dictionaries(
        {
            "role": st.just("tool"),
            "content": st.none() | st.text(),
            "tool_call_id": st.sampled_from(["a", "b", "z"]),
        }
    ),
)
LINE = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGE, min_size=1, max_size=8)},
    optional={
        "episode_id": WORDS,
        "app": WORDS,
        "agent": WORDS,
        "task_key": WORDS,
        "user_id": WORDS,
        "do_not_train": st.booleans(),
        "outcome": st.fixed_dictionaries({"name": WORDS, "value": st.floats(0, 1) | WORDS}),
    },
)
KEYS = st.sampled_from([
    "gen_ai.operation.name", "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.name",
    "gen_ai.tool.definitions", "gen_ai.prompt.0.content", "gen_ai.prompt.999999999.content",
    "gen_ai.completion.0.tool_calls.0.name", "openinference.span.kind", "llm.input_messages.3.message.role",
    "llm.input_messages.x.message.role", "llm.output_messages.0.message.contents.0.message_content.text",
    "traceloop.span.kind", "llm.request.type", "langfuse.observation.type", "langfuse.observation.input",
    "langfuse.observation.output", "session.id", "metadata", "annotations.0.annotation.name", "input.value",
    "mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs", "ai.operationId", "ai.prompt.messages",
    "ai.response.toolCalls", "langsmith.span.kind", "gen_ai.prompt", "gen_ai.completion",
    "pydantic_ai.all_messages", "gcp.vertex.agent.llm_request", "span.type", "logfire.span_type",
])  # fmt: skip
VALUES = (
    JSON
    | st.builds(json.dumps, JSON)
    | st.sampled_from(
        [
            "chat",
            "execute_tool",
            "LLM",
            "TOOL",
            "generation",
            "tool",
            "EVALUATOR",
            "ai.toolCall",
            '[{"role":',
        ]
    )
)


@settings(deadline=None)
@given(LINE)
def test_a_chat_log_line_survives_the_round_trip(line: dict[str, Any]) -> None:
    """Reading, writing and reading again changes nothing but the id of a line that had none."""
    first = parse_line(json.dumps(line), source="s", position="line 1")
    assert isinstance(first, Chat)
    text = to_line(first.episode, first.outcomes)
    second = parse_line(text, source="s", position="line 1")
    assert isinstance(second, Chat)
    assert second.episode.steps == first.episode.steps
    assert second.episode.completeness == first.episode.completeness
    if "episode_id" in line:
        assert second == first


@settings(deadline=None)
@given(st.binary(max_size=300) | st.builds(lambda v: json.dumps(v).encode(), JSON))
def test_any_line_is_an_episode_or_a_refusal(line: bytes) -> None:
    """No line raises."""
    assert isinstance(parse_line(line, source="s", position="line 1"), Chat | Rejected)


@settings(deadline=None)
@given(st.binary(max_size=400), st.sampled_from(["otlp_traces", "otlp_logs", "chat_log"]))
def test_any_body_is_decoded_or_refused(body: bytes, kind: str) -> None:
    """No body raises, in any encoding."""
    for encoding in ("protobuf", "json", "jsonl", "protobuf+gzip"):
        sent = gzip.compress(body) if encoding.endswith("gzip") else body
        decode(
            StoredRecord(
                seq=1,
                kind=kind,
                app=None,
                source="s",
                body=sent,
                received_at=1,
                encoding=encoding,
                position=1,
            ),
            limits=Limits(body_bytes=10_000),
        )
    signal_of(body)


@settings(deadline=None)
@given(JSON)
def test_any_json_is_mapped_or_refused_as_otlp(value: Json) -> None:
    """Whatever stands where OTLP expects its lists, nothing raises."""
    for body in (
        {"resourceSpans": value},
        {
            "resourceSpans": [
                {"resource": value, "scopeSpans": [{"scope": value, "spans": [value]}]}
            ]
        },
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": value, "attributes": value}]}]}]},
        {"trace": {"metadata": value, "scores": value}, "observations": [value, {"input": value}]},
    ):
        decode(
            StoredRecord(
                seq=1,
                kind="x",
                app=None,
                source="s",
                body=json.dumps(body).encode(),
                received_at=1,
                encoding="json",
                position=1,
            )
        )


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(KEYS, VALUES, max_size=8),
    st.sampled_from(["", "ai", "pydantic-ai", "agent_framework"]),
)
def test_any_attributes_are_read_by_every_dialect(attributes: dict[str, Any], scope: str) -> None:
    """Hostile attributes never raise, and what is read becomes an episode or nothing."""
    one = span(1, attributes, scope=scope)
    reading = read_span(one)
    assert isinstance(reading.dialect, str)
    assert len(assemble([one], app=APP).episodes) <= 1


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_a_span_survives_its_row(attributes: dict[str, Any]) -> None:
    """Any attributes come back from the table as they went in."""
    one = span(1, attributes)
    assert span_of_row(span_row(one)) == one


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_json_or_not(text: str) -> None:
    """Reading a cut or foreign text never raises."""
    parse_json(text)


@settings(deadline=None)
@given(st.lists(st.text(max_size=6), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_history_is_stored_once_whatever_is_said(words: list[str], shuffler: random.Random) -> None:
    """A conversation of any texts, also equal ones, has each message once and in order, in any order of arrival."""
    history: list[dict[str, Any]] = []
    spans: list[Span] = []
    for number, word in enumerate(words):
        history = [*history, {"role": "user", "content": f"u {word}"}]
        made = {"role": "assistant", "content": f"a {word}"}
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.conversation.id": "c",
            "gen_ai.input.messages": json.dumps([parts_of(turn) for turn in history]),
            "gen_ai.output.messages": json.dumps([parts_of(made)]),
        }
        spans.append(span(number + 1, attributes))
        history = [*history, made]
    shuffler.shuffle(spans)
    (episode,) = assemble(spans, app=APP).episodes
    assert [(s.role, s.content) for s in episode.steps] == [
        (m["role"], m["content"]) for m in history
    ]


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(sorted(EMITTERS)), st.randoms(use_true_random=False))
def test_assembly_does_not_depend_on_the_order_of_arrival(
    name: str, shuffler: random.Random
) -> None:
    """Spans of one dialogue in any order give one and the same episode."""
    sent = EMITTERS[name]()
    expected: list[Episode] = assemble(sent.spans, sent.events, app=APP).episodes
    spans, events = list(sent.spans), list(sent.events)
    shuffler.shuffle(spans)
    shuffler.shuffle(events)
    assert assemble(spans, events, app=APP).episodes == expected


@given(
    st.binary(max_size=200) | st.builds(gzip.compress, st.binary(max_size=200)),
    st.sampled_from(["traces", "logs", "metrics"]),
    st.sampled_from(["", "gzip", "zstd"]),
    st.sampled_from([rpc_status.PROTOBUF, rpc_status.JSON]),
)
def test_any_body_is_kept_or_refused_for_good(
    sent: bytes, signal: str, compression: str, content_type: str
) -> None:
    """The intake answers every body, and whatever it keeps can be decoded later without an error."""
    body = SentBody(signal=signal, content_type=content_type, sent=sent, compression=compression)
    with tempfile.TemporaryDirectory() as folder, Wal(Path(folder)) as wal:
        intake = Intake(wal)
        refused = _refusal(intake, body)
        if refused is None:
            intake.store(body, Sender(app="shop"))
        batch = decode_batch(wal.pending())
    assert refused is None or (refused.http in {400, 413} and not refused.retry)
    assert batch.spans.schema.equals(SPAN_SCHEMA)


def _refusal(intake: Intake, body: SentBody) -> Refusal | None:
    try:
        intake.check(body)
    except Refusal as refusal:
        return refusal
    return None

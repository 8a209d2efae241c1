"""OTLP bodies decoded: both encodings, limits, and refusals record by record."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from ingest.formats.format import Decoded
from ingest.formats.table import format_of, values_of
from ingest.otlp.decode import decode
from ingest.otlp.decode_batch import decode_batch
from ingest.otlp.limits import Limits
from ingest.receiver.wal import StoredRecord
from ingest.records.span import Span, event_of_row, event_row, span_of_row, span_row
from ingest.records.text import Json

NS = 1_790_000_000_000_000_000


def stored(body: bytes, kind: str, encoding: str, app: str | None = None) -> StoredRecord:
    """A record as the log gives it out."""
    return StoredRecord(
        seq=1,
        kind=kind,
        app=app,
        source="s",
        body=body,
        received_at=NS,
        encoding=encoding,
        position=1,
    )


def request(*, spans: int = 1) -> ExportTraceServiceRequest:
    """A request with spans of one service."""
    made = ExportTraceServiceRequest()
    batch = made.resource_spans.add()
    service = batch.resource.attributes.add()
    service.key, service.value.string_value = "service.name", "My Shop/1"
    scope = batch.scope_spans.add()
    scope.scope.name = "lib"
    for number in range(spans):
        one = scope.spans.add()
        one.trace_id, one.span_id = b"\1" * 16, (number + 1).to_bytes(8, "big")
        one.name, one.kind = "chat", 3
        one.start_time_unix_nano, one.end_time_unix_nano = NS, NS + 5
        for key, value in (
            ("text", AnyValue(string_value="é")),
            ("count", AnyValue(int_value=-3)),
            ("ratio", AnyValue(double_value=0.5)),
            ("on", AnyValue(bool_value=True)),
            ("raw", AnyValue(bytes_value=b"\0\1")),
            ("none", AnyValue()),
        ):
            attribute = one.attributes.add()
            attribute.key = key
            attribute.value.CopyFrom(value)
        nested = one.attributes.add()
        nested.key = "nested"
        inner = nested.value.kvlist_value.values.add()
        inner.key = "list"
        inner.value.array_value.values.add().string_value = "x"
    return made


def read(
    body: bytes, kind: str = "otlp_traces", encoding: str = "protobuf", **options: Json
) -> Decoded:
    """Decode one body."""
    return decode(stored(body, kind, encoding, options.pop("app", None)), **options)


def test_a_protobuf_span_arrives_with_every_kind_of_value() -> None:
    """All of OTLP's value types become plain values; the app is the service's name made safe."""
    (span,) = read(request().SerializeToString()).spans
    assert span.app == "My%20Shop%2F1"
    assert (span.trace_id, span.span_id) == ("01" * 16, "0000000000000001")
    assert (span.started_at, span.ended_at, span.kind, span.scope) == (NS, NS + 5, 3, "lib")
    assert span.attributes == {
        "text": "é",
        "count": -3,
        "ratio": 0.5,
        "on": True,
        "raw": "AAE=",
        "none": None,
        "nested": {"list": ["x"]},
    }


def test_json_and_protobuf_give_the_same_span() -> None:
    """The two encodings differ in nothing that is kept; numbers may be text and ids upper-case or base64."""
    values = [
        {"key": "text", "value": {"stringValue": "é"}},
        {"key": "count", "value": {"intValue": "-3"}},
        {"key": "ratio", "value": {"doubleValue": 0.5}},
        {"key": "on", "value": {"boolValue": True}},
        {"key": "raw", "value": {"bytesValue": "AAE="}},
        {"key": "none", "value": {}},
        {
            "key": "nested",
            "value": {
                "kvlistValue": {
                    "values": [
                        {"key": "list", "value": {"arrayValue": {"values": [{"stringValue": "x"}]}}}
                    ]
                }
            },
        },
    ]
    one = {
        "traceId": "01" * 16,
        "spanId": base64.b64encode(b"\0" * 7 + b"\1").decode(),
        "name": "chat",
        "kind": 3,
        "startTimeUnixNano": str(NS),
        "endTimeUnixNano": NS + 5,
        "attributes": values,
        "flags": 256,
        "somethingNew": {"a": 1},
    }
    service = {"attributes": [{"key": "service.name", "value": {"stringValue": "My Shop/1"}}]}
    body = {
        "resourceSpans": [
            {"resource": service, "scopeSpans": [{"scope": {"name": "lib"}, "spans": [one]}]}
        ]
    }
    found = read(json.dumps(body).encode(), encoding="json")
    assert found.spans == read(request().SerializeToString()).spans
    assert found.rejected == []


def test_log_records_of_both_encodings_are_equal() -> None:
    """Event name, body, attributes and ids of a log record arrive alike; its identity follows from them."""
    made = ExportLogsServiceRequest()
    one = made.resource_logs.add().scope_logs.add().log_records.add()
    one.trace_id, one.span_id, one.event_name = b"\1" * 16, b"\2" * 8, "gen_ai.choice"
    one.observed_time_unix_nano, one.severity_number = NS, 9
    one.body.string_value = "said"
    record = {
        "traceId": "01" * 16,
        "spanId": "02" * 8,
        "eventName": "gen_ai.choice",
        "observedTimeUnixNano": str(NS),
        "severityNumber": 9,
        "body": {"stringValue": "said"},
    }
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    by_json = read(json.dumps(body).encode(), "otlp_logs", "json", app="a").events
    by_wire = read(made.SerializeToString(), "otlp_logs", app="a").events
    assert by_json == by_wire
    assert (by_wire[0].name, by_wire[0].body, by_wire[0].at) == ("gen_ai.choice", "said", NS)


def test_rows_give_back_what_they_were_made_of() -> None:
    """A span and a log event survive their table rows."""
    (span,) = read(request().SerializeToString()).spans
    assert span_of_row(span_row(span)) == span
    made = ExportLogsServiceRequest()
    made.resource_logs.add().scope_logs.add().log_records.add().body.string_value = "x"
    (event,) = read(made.SerializeToString(), "otlp_logs").events
    assert event_of_row(event_row(event)) == event


def test_gzip_is_undone_within_the_limit() -> None:
    """A compressed body is read; one that unpacks to more than the limit is refused."""
    body = gzip.compress(request().SerializeToString())
    assert len(read(body, encoding="protobuf+gzip").spans) == 1
    bomb = gzip.compress(bytes(10_000_000), mtime=0)
    found = read(bomb, encoding="protobuf+gzip", limits=Limits(body_bytes=1_000_000))
    assert [r.code for r in found.rejected] == ["body_too_large"]


@pytest.mark.parametrize(
    ("body", "encoding", "code"),
    [
        (b"\xff\xff\xff", "protobuf", "not_protobuf"),
        (b"not gzip", "protobuf+gzip", "bad_gzip"),
        (gzip.compress(b"abc" * 1000, mtime=0)[:-20], "protobuf+gzip", "truncated_gzip"),
        (b"{", "json", "not_json"),
    ],
)
def test_bodies_that_cannot_be_decoded_are_refused_whole(
    body: bytes, encoding: str, code: str
) -> None:
    """The refusal has a code and the bytes."""
    found = read(body, encoding=encoding)
    assert [(r.code, r.body) for r in found.rejected] == [(code, body)]


def test_more_spans_than_allowed_are_refused_before_parsing() -> None:
    """Spans are counted on the wire: millions of empty ones cost nothing."""
    one = b"\x12\x00" * 200_000
    scope = b"\x12" + _size(one) + one
    body = b"\x0a" + _size(scope) + scope
    assert [r.code for r in read(body).rejected] == ["too_many_records"]


def _size(data: bytes) -> bytes:
    size, out = len(data), b""
    while size > 0x7F:
        out += bytes([size & 0x7F | 0x80])
        size >>= 7
    return out + bytes([size])


def test_a_bad_span_is_refused_alone() -> None:
    """Zero ids, short ids, broken text and deep nesting cost their own span only."""
    made = request(spans=5)
    spans = made.resource_spans[0].scope_spans[0].spans
    spans[0].trace_id = bytes(16)
    spans[1].span_id = b"\1\2"
    value = spans[2].attributes.add().value
    for _ in range(40):
        value = value.array_value.values.add()
    value.string_value = "deep"
    body = made.SerializeToString().replace("é".encode(), b"\xff\xfe", 1)
    found = read(body)
    assert len(found.spans) == 2
    assert sorted(r.code for r in found.rejected) == ["bad_span_id", "too_deep", "undecodable"]
    assert {r.position for r in found.rejected} == {f"record 1, record {n}" for n in (1, 2, 3)}


def test_times_in_other_units_and_missing_times_are_mended() -> None:
    """Milliseconds are told by their size; a span without a start is given its end, then its arrival."""

    def one(start: int, end: int) -> tuple[int, int | None]:
        span = {
            "traceId": "01" * 16,
            "spanId": "02" * 8,
            "startTimeUnixNano": start,
            "endTimeUnixNano": end,
        }
        body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
        (found,) = read(json.dumps(body).encode(), encoding="json").spans
        return found.started_at, found.ended_at

    assert one(1_790_000_000_000, 1_790_000_000_500) == (NS, NS + 500_000_000)
    assert one(0, NS) == (NS, NS)
    assert one(0, 0) == (NS, None)
    assert one(NS, NS - 5) == (NS, NS)


def test_metrics_are_refused_politely() -> None:
    """Metrics carry no episodes: they are counted, not an error."""
    assert [r.code for r in read(b"", "otlp_metrics").rejected] == ["metrics"]


def test_json_lines_are_decoded_line_by_line() -> None:
    """A mixed file gives each line by its own shape; a bad one is refused with its number."""
    chat = json.dumps({"messages": [{"role": "user", "content": "x"}]})
    body = f'{chat}\n{{"resourceSpans": []}}\nnot json\n\n{{"a": 1}}\n{{"resourceMetrics": []}}'.encode()
    found = decode(
        StoredRecord(
            seq=1,
            kind="chat_log",
            app=None,
            source="f",
            body=body,
            received_at=NS,
            encoding="jsonl",
            position=11,
        )
    )
    assert len(found.chats) == 1
    assert [(r.position, r.code) for r in found.rejected] == [
        ("line 13", "not_json"),
        ("line 15", "not_an_episode"),
        ("line 16", "metrics"),
    ]


def test_a_langfuse_export_gives_spans_and_scores() -> None:
    """Observations become spans of their trace, beside it or in it; scores become outcomes with the annotator kept."""
    export: dict[str, Any] = {
        "trace": {
            "id": "t1",
            "sessionId": "s1",
            "userId": "u1",
            "scores": [
                {"id": "1", "name": "thumbs", "value": 1, "source": "ANNOTATION", "traceId": "t1"},
                {"id": "2", "name": "toxic", "value": 0.2, "source": "EVAL", "observationId": "o1"},
                {
                    "id": "3",
                    "name": "gold",
                    "stringValue": "the right answer",
                    "dataType": "CORRECTION",
                },
            ],
        },
        "observations": [
            {
                "id": "o1",
                "type": "GENERATION",
                "startTime": "2026-09-01T08:00:00Z",
                "input": [{"role": "user", "content": "hi"}],
                "output": {"role": "assistant", "content": "yo"},
            },
        ],
    }
    inside = {**export["trace"], "observations": [{"traceId": "t1", **export["observations"][0]}]}
    found = read(json.dumps(export).encode(), "langfuse_export", "json", app="a")
    assert format_of(inside) is format_of(export) is not None
    assert values_of({"data": [inside], "meta": {"page": 1}}) == [inside]
    assert (
        read(json.dumps(inside).encode(), "langfuse_export", "json", app="a").spans == found.spans
    )
    assert [(s.trace_id, s.span_id) for s in found.spans] == [("t1", "o1")]
    assert [
        (o.name, o.value, o.by, o.target_kind, o.target_id, o.correction) for o in found.outcomes
    ] == [
        ("thumbs", 1.0, "reviewer", "trace", "t1", None),
        ("toxic", 0.2, "model", "span", "t1:o1", None),
        ("gold", None, "unknown", "trace", "t1", "the right answer"),
    ]


def test_values_nested_without_end_are_refused() -> None:
    """A chat log or an export that is a thousand levels deep is refused, whatever reads it later."""
    deep = "[" * 500 + "]" * 500
    chat = '{"messages": [{"role": "user", "content": "x"}], "tools": [{"a": ' + deep + "}]}"
    export = '{"trace": {"id": "t"}, "observations": [{"id": "o", "metadata": ' + deep + "}]}"
    for text, kind in ((chat, "chat_log"), (export, "langfuse_export")):
        assert [r.code for r in read(text.encode(), kind, "json").rejected] == ["too_deep"]


def test_a_batch_holds_what_each_body_holds_alone() -> None:
    """Protobuf, gzip, JSON, a chat log and damage, one after the other: the same rows and refusals in the same order."""
    body = request(spans=3).SerializeToString()
    chat = b'{"messages": [{"role": "user", "content": "hi"}]}'
    sent = [
        ("otlp_traces", "protobuf", body),
        ("otlp_traces", "protobuf+gzip", gzip.compress(body)),
        ("otlp_traces", "protobuf+gzip", b"no gzip"),
        ("otlp_traces", "protobuf", b"\xff\xff"),
        ("chat_log", "jsonl", chat),
        ("otlp_traces", "protobuf", b""),
    ]
    records = [stored(content, kind, encoding, app="shop") for kind, encoding, content in sent]
    batch = decode_batch(records)
    alone = [decode(record) for record in records]
    assert batch.spans.to_pylist() == [span_row(span) for one in alone for span in one.spans]
    assert batch.rejected == [rejected for one in alone for rejected in one.rejected]
    assert [chat.episode for chat in batch.chats] == [
        chat.episode for one in alone for chat in one.chats
    ]
    assert (batch.spans.num_rows, len(batch.rejected), len(batch.chats)) == (6, 2, 1)


def test_absurd_numbers_do_not_keep_a_body_from_the_lake() -> None:
    """A count or a code beyond its column is cut, not an error that comes back with every attempt."""
    span = Span(
        app="a",
        trace_id="1" * 32,
        span_id="2" * 16,
        started_at=1,
        kind=300,
        status=-1,
        dropped=2**40,
    )
    row = span_row(span)
    assert (row["kind"], row["status"], row["dropped"]) == (0, 0, 2**31 - 1)


def test_a_fault_of_the_decoder_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that breaks the decoder is quarantined; the bodies around it are read."""

    def breaks(record: StoredRecord, **settings: Limits) -> Decoded:
        if record.seq == 2:
            raise OverflowError("int too large")
        return decode(record, **settings)

    monkeypatch.setattr("ingest.otlp.decode_batch.decode", breaks)
    line = b'{"messages":[{"role":"user","content":"hi"}]}'
    records = [
        StoredRecord(
            seq=seq, kind="chat_log", app="shop", source="f", body=line, received_at=1,
            encoding="jsonl", position=seq,
        )
        for seq in (1, 2, 3)
    ]  # fmt: skip
    batch = decode_batch(records)
    assert len(batch.chats) == 2
    assert [(one.code, one.body) for one in batch.rejected] == [("decoder_fault", line)]

"""Who may judge as whom belongs to the token, whatever a sender writes into its telemetry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict  # type: ignore[import-untyped]  # protobuf ships no types
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ingest.assembly.assemble import assemble
from ingest.otlp.decode_batch import decode_batch
from ingest.otlp.rpc_status import JSON, PROTOBUF
from ingest.receiver.intake import Intake, SentBody
from ingest.receiver.tokens import load_tokens
from ingest.receiver.wal import Wal
from ingest.records.span import span_of_row
from ingest.records.text import Json

TRACE = "11" * 16
PRETENDED = {"key": "tracegym.receiver.judges_as", "value": {"stringValue": "reviewer"}}


def attributes(**given: str) -> list[Json]:
    """Attributes of OTLP; a double underscore stands for a dot."""
    return [
        {"key": key.replace("__", "."), "value": {"stringValue": value}}
        for key, value in given.items()
    ]


def evaluation(name: str, by: str) -> list[Json]:
    """What an evaluation event says."""
    return attributes(
        gen_ai__evaluation__name=name,
        gen_ai__evaluation__score__label="good",
        tracegym__outcome__by=by,
    )


def traces(by: str) -> dict[str, Json]:
    """An evaluation in attributes and one in an event of the same span."""
    noted = attributes(openinference__span__kind="EVALUATOR") + [
        {"key": f"annotations.0.annotation.{key}", "value": {"stringValue": value}}
        for key, value in (("name", "noted"), ("label", "good"), ("annotator_kind", by))
    ]
    one = {"traceId": TRACE, "name": "n", "startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000000000000001"}  # fmt: skip
    event = {"name": "gen_ai.evaluation.result", "attributes": evaluation("event", by)}
    spans = [
        one | {"spanId": "22" * 8, "attributes": noted},
        one | {"spanId": "33" * 8, "events": [event]},
    ]
    batch = {"resource": {"attributes": [PRETENDED]}, "scopeSpans": [{"spans": spans}]}
    return {"resourceSpans": [batch]}


def logs(by: str) -> dict[str, Json]:
    """An evaluation in a log record."""
    record = {"traceId": TRACE, "spanId": "22" * 8, "timeUnixNano": "1700000000000000000", "eventName": "gen_ai.evaluation.result", "attributes": evaluation("log", by)}  # fmt: skip
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}


def binary(value: dict[str, Json]) -> bytes:
    """The same request as protobuf; its ids are bytes there."""
    request: Any = (
        ExportTraceServiceRequest() if "resourceSpans" in value else ExportLogsServiceRequest()
    )
    ParseDict(value, request)
    if "resourceSpans" in value:
        records = request.resource_spans[0].scope_spans[0].spans
    else:
        records = request.resource_logs[0].scope_logs[0].log_records
    for number, one in enumerate(records):
        one.trace_id, one.span_id = bytes.fromhex(TRACE), bytes([number + 2]) * 8
    return bytes(request.SerializeToString())


@pytest.mark.parametrize("content_type", [JSON, PROTOBUF])
@pytest.mark.parametrize(
    ("token", "says", "counts_as"),
    [
        ("an-app-token", "reviewer", "unknown"),
        ("an-app-token", "human", "unknown"),
        ("an-app-token", "business_record", "business_record"),
        ("a-desk-token", "reviewer", "reviewer"),
        ("a-desk-token", "business_record", "unknown"),
        (None, "reviewer", "reviewer"),
    ],
)
def test_a_sender_judges_only_as_its_token_allows(
    tmp_path: Path, token: str | None, says: str, counts_as: str, content_type: str
) -> None:
    """A reviewer's word needs the role; a token with roles has only these; without tokens this machine may say anything."""
    file = tmp_path / "tokens"
    file.write_text("an-app-token shop\na-desk-token shop reviewer end_user\n")
    with Wal(tmp_path / "wal") as wal:
        intake = Intake(wal, load_tokens(file) if token else None)
        sender = intake.sender_of(f"Bearer {token}")
        for signal, value in (("traces", traces(says)), ("logs", logs(says))):
            sent = json.dumps(value).encode() if content_type == JSON else binary(value)
            body = SentBody(signal=signal, content_type=content_type, sent=sent)
            intake.check(body)
            intake.store(body, sender)
        found = decode_batch(wal.pending())
    assert not found.rejected
    spans = [span_of_row(row) for row in found.spans.to_pylist()]
    (app,) = {span.app for span in spans}
    outcomes = assemble(spans, found.events, app=app).outcomes
    assert {(one.name, one.by) for one in outcomes} == {
        ("noted", counts_as),
        ("event", counts_as),
        ("log", counts_as),
    }


def test_a_chat_log_inside_an_export_brings_no_outcomes_past_the_roles(tmp_path: Path) -> None:
    """What is OTLP by one key and a chat by the others is decoded as OTLP or refused, with a token."""
    file = tmp_path / "tokens"
    file.write_text("an-app-token shop\n")
    chat = {"messages": [{"role": "user", "content": "hi"}], "outcomes": [{"name": "ok", "value": 1, "by": "reviewer"}]}  # fmt: skip
    with Wal(tmp_path / "wal") as wal:
        intake = Intake(wal, load_tokens(file))
        for sent in ({"resourceSpans": [], **chat}, {**chat, "resourceSpans": []}):
            body = SentBody(signal="traces", content_type=JSON, sent=json.dumps(sent).encode())
            intake.check(body)
            intake.store(body, intake.sender_of("Bearer an-app-token"))
        found = decode_batch(wal.pending())
    assert not [one for chat in found.chats for one in chat.outcomes if one.by == "reviewer"]
    assert not found.outcomes

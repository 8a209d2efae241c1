"""The spool exporter: what an app without a network writes is what a receiver would have got."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import (
    encode_spans as reference_encoding,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    SimpleSpanProcessor,
    SpanExportResult,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, SpanKind, Status, StatusCode
from tracegym_exporter.encode import encode_spans
from tracegym_exporter.spool import SpoolExporter, exporter_from_environment

from ingest.files.telemetry_files import read_file
from ingest.otlp.decode import decode
from ingest.receiver.wal import StoredRecord, WalRecord
from ingest.records.span import Span


def finished() -> list[ReadableSpan]:
    """Two spans with everything that a span can have."""
    memory = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": "shop", "n": 7}))
    provider.add_span_processor(SimpleSpanProcessor(memory))
    tracer = provider.get_tracer("lib", "1.2")
    with tracer.start_as_current_span("outer", kind=SpanKind.CLIENT) as outer:
        link = Link(outer.get_span_context(), {"why": "test"})
        with tracer.start_as_current_span("inner é", links=[link]) as inner:
            inner.set_attributes(
                {"s": "é", "i": -5, "f": 0.25, "b": True, "l": ["x", "y"], "li": [1, 2]}
            )
            inner.add_event("happened", {"k": 1.5})
            inner.set_status(Status(StatusCode.ERROR, "went wrong"))
    return list(memory.get_finished_spans())


def test_the_hand_written_encoding_is_the_reference_encoding() -> None:
    """Parsed, the bytes equal what the stock exporter would have sent."""
    spans = finished()
    ours = ExportTraceServiceRequest.FromString(encode_spans(spans))
    theirs = ExportTraceServiceRequest.FromString(reference_encoding(spans).SerializeToString())
    for request in (ours, theirs):
        for span in request.resource_spans[0].scope_spans[0].spans:
            span.flags = 0  # not kept by tracegym
            for link in span.links:
                link.flags = 0
    assert ours == theirs


def test_ingest_reads_the_folder(tmp_path: Path) -> None:
    """A batch is one whole file; the folder is read like any other."""
    exporter = SpoolExporter(tmp_path / "spool")
    assert exporter.export(finished()) is SpanExportResult.SUCCESS
    assert exporter.export([]) is SpanExportResult.SUCCESS
    (record,) = read_file(tmp_path / "spool")
    assert isinstance(record, WalRecord)
    assert (record.kind, record.encoding) == ("otlp_traces", "protobuf")
    found: list[Span] = decode(
        StoredRecord(
            seq=1,
            kind=record.kind,
            app=None,
            source="s",
            body=record.body,
            received_at=1,
            encoding=record.encoding,
            position=1,
        )
    ).spans
    assert {(s.app, s.name, s.status) for s in found} == {
        ("shop", "outer", 0),
        ("shop", "inner é", 2),
    }


def test_the_spool_never_grows_beyond_its_limit(tmp_path: Path) -> None:
    """A folder that nobody empties does not fill the disk; the app hears of it by the SDK's own result."""
    exporter = SpoolExporter(tmp_path, max_bytes=1500)
    results = [exporter.export(finished()) for _ in range(5)]
    assert results[0] is SpanExportResult.SUCCESS
    assert results[-1] is SpanExportResult.FAILURE
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 1500


def test_an_unwritable_folder_never_raises_into_the_app(tmp_path: Path) -> None:
    """A file in the folder's place is a failed export, not an exception."""
    blocked = tmp_path / "spool"
    blocked.write_text("in the way")
    exporter = SpoolExporter(blocked)
    assert exporter.export(finished()) is SpanExportResult.FAILURE
    exporter.shutdown()
    assert exporter.force_flush()
    assert exporter.export(finished()) is SpanExportResult.FAILURE


def test_the_sdk_finds_it_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`OTEL_TRACES_EXPORTER=tracegym` is all that an app sets, besides the folder."""
    monkeypatch.setenv("TRACEGYM_SPOOL_FOLDER", str(tmp_path / "here"))
    (entry,) = entry_points(group="opentelemetry_traces_exporter", name="tracegym")
    assert entry.load() is exporter_from_environment
    assert exporter_from_environment().export(finished()) is SpanExportResult.SUCCESS
    assert len(list((tmp_path / "here").iterdir())) == 1

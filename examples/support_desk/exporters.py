"""Where the telemetry goes: an OTLP/HTTP endpoint, by the stock exporters, or a file in the Collector's JSON form.

The endpoint comes from an argument or from the standard `OTEL_EXPORTER_OTLP_ENDPOINT`; nothing here is tracegym's.
"""

import base64
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from google.protobuf.json_format import (  # type: ignore[import-untyped]  # protobuf ships no types
    MessageToDict,
)
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from examples.support_desk.telemetry import Telemetry, make_telemetry

ENDPOINT_VARIABLE: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
_IDS: Final = frozenset({"traceId", "spanId", "parentSpanId"})


class SpoolSpans(SpanExporter):
    """Appends spans to a file, one export request a line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Writes one line."""
        _append(self._path, encode_spans(spans))
        return SpanExportResult.SUCCESS


class SpoolLogs(LogRecordExporter):
    """Appends log records to the same file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Writes one line."""
        _append(self._path, encode_logs(batch))
        return LogRecordExportResult.SUCCESS

    def force_flush(self, timeout_millis: int = 10_000) -> bool:  # noqa: ARG002 - the exporter's interface
        """Nothing is held back."""
        return True

    def shutdown(self) -> None:
        """Nothing is held open."""


def telemetry_to(*, otlp: str | None, spool: Path | None, service: str, seed: str) -> Telemetry:
    """Telemetry to where the options and the environment say; to nowhere when they say nothing."""
    if spool is not None:
        spool.parent.mkdir(parents=True, exist_ok=True)
        spool.unlink(missing_ok=True)
        return make_telemetry(SpoolSpans(spool), SpoolLogs(spool), service=service, seed=seed)
    if otlp is not None:
        base = otlp.rstrip("/")
        spans = OTLPSpanExporter(endpoint=f"{base}/v1/traces")
        logs = OTLPLogExporter(endpoint=f"{base}/v1/logs")
        return make_telemetry(spans, logs, service=service, seed=seed)
    if os.environ.get(ENDPOINT_VARIABLE):
        return make_telemetry(OTLPSpanExporter(), OTLPLogExporter(), service=service, seed=seed)
    return Telemetry()


def _append(path: Path, request: ExportTraceServiceRequest | ExportLogsServiceRequest) -> None:
    line = json.dumps(
        _with_hex_ids(MessageToDict(request, use_integers_for_enums=True)), ensure_ascii=False
    )
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def _with_hex_ids(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """OTLP/JSON writes ids in hex, where protobuf's JSON has base64."""
    if isinstance(value, dict):
        return {
            key: base64.b64decode(item).hex() if key in _IDS else _with_hex_ids(item)
            for key, item in value.items()
        }
    return [_with_hex_ids(item) for item in value] if isinstance(value, list) else value

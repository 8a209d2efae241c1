"""Spools spans to a folder as OTLP protobuf bodies, for apps without a network path to a receiver.

Comes in: finished spans of the OpenTelemetry SDK. Goes out: one file a batch, complete or not there at all; `tracegym
ingest FOLDER` reads them. It never raises into the app and never fills the disk beyond its limit.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from tracegym_exporter.encode import encode_spans

FOLDER_VARIABLE = "TRACEGYM_SPOOL_FOLDER"
LIMIT_VARIABLE = "TRACEGYM_SPOOL_MAX_BYTES"
DEFAULT_MAX_BYTES = 1 << 30
_COUNT_EVERY = 64

_log = logging.getLogger("tracegym_exporter")


class SpoolExporter(SpanExporter):
    """Writes each batch of spans to a file of its own."""

    def __init__(self, folder: Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._bytes: int | None = None
        self._written = 0
        self._stopped = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write one batch; FAILURE when it could not be written whole."""
        if self._stopped or not spans:
            return SpanExportResult.FAILURE if self._stopped else SpanExportResult.SUCCESS
        body = encode_spans(spans)
        with self._lock:
            try:
                return self._write(body)
            except OSError as error:
                _log.warning("tracegym spool: cannot write to %s: %s", self._folder, error.strerror)
                return SpanExportResult.FAILURE

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002 - the SDK's signature
        """Everything exported is on the disk already."""
        return True

    def shutdown(self) -> None:
        """Take no more spans."""
        self._stopped = True

    def _write(self, body: bytes) -> SpanExportResult:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._bytes is None or self._written % _COUNT_EVERY == 0:
            # A reader empties the folder meanwhile, so the count is taken afresh now and then.
            self._bytes = sum(file.stat().st_size for file in self._folder.glob("*.pb"))
        if self._bytes + len(body) > self._max_bytes:
            _log.warning(
                "tracegym spool: %s holds its limit of bytes; spans are dropped", self._folder
            )
            return SpanExportResult.FAILURE
        name = f"{time.time_ns():020d}-{os.getpid()}-{uuid.uuid4().hex[:8]}.traces.pb"
        unfinished = self._folder / f".{name}.part"
        with unfinished.open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        # A rename is whole or not at all: a reader never sees half a batch.
        unfinished.replace(self._folder / name)
        self._bytes += len(body)
        self._written += 1
        return SpanExportResult.SUCCESS


def exporter_from_environment() -> SpoolExporter:
    """The exporter that `OTEL_TRACES_EXPORTER=tracegym` names; its folder is in `TRACEGYM_SPOOL_FOLDER`."""
    folder = os.environ.get(FOLDER_VARIABLE, "tracegym-spool")  # noqa: TID251 - the SDK configures exporters this way
    limit = os.environ.get(LIMIT_VARIABLE, "")  # noqa: TID251 - the SDK configures exporters this way
    return SpoolExporter(
        Path(folder), max_bytes=int(limit) if limit.isdigit() else DEFAULT_MAX_BYTES
    )

"""Telemetry files, recognised by what is in them.

Comes in: a file or a folder: chat-log JSONL, OTLP JSON lines and protobuf (raw bodies and the Collector's
length-prefixed form), Langfuse exports, any of them gzipped. Goes out: `WalRecord`s of bounded size, and a `Rejected`
for what is none of these. A file of any size is streamed. Records are not decoded here: `ingest.decode` does.
"""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Final, cast

from ingest.errors import BodyRefused, SourceUnreadable
from ingest.formats.table import WHOLE_FILES, format_of_text
from ingest.limits import DEFAULT_LIMITS, Limits
from ingest.quarantine import Rejected
from ingest.wal import WalRecord
from ingest.wire import signal_of

_CHUNK_BYTES: Final = 1 << 20
"""Lines are stored together up to this size: one row a line would cost more than the lines."""

_PEEK: Final = 64 << 10
_KEPT: Final = 64 << 10
_GZIP_MAGIC: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"


def read_file(
    path: Path, *, app: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Iterator[WalRecord | Rejected]:
    """Everything in a file, or in all files below a folder in the order of their names."""
    if path.is_dir():
        for child in sorted(path.rglob("*")):
            if child.is_file() and not child.name.startswith("."):
                name = child.relative_to(path).as_posix()
                try:
                    yield from _File(child, name, app, limits).records()
                except SourceUnreadable as error:
                    yield _refuse(name, app, BodyRefused("unreadable_file", str(error)))
        return
    yield from _File(path, path.name, app, limits).records()


def _kind_of(text: bytes) -> str | None:
    row = format_of_text(text)
    return row.name if row else None


def _refuse(
    source: str, app: str | None, why: BodyRefused, *, position: str = "file", body: bytes = b""
) -> Rejected:
    return Rejected(
        source=source,
        position=position,
        code=why.code,
        reason=why.reason,
        body=body[:_KEPT],
        app=app,
        at=time.time_ns(),
    )


class _File:
    """One file being read."""

    def __init__(self, path: Path, name: str, app: str | None, limits: Limits) -> None:
        self._path = path
        self._name = name
        self._app = app
        self._limits = limits

    def records(self) -> Iterator[WalRecord | Rejected]:
        """The file's records; what was read before a broken spot is kept."""
        try:
            with self._path.open("rb") as raw:
                yield from self._unpacked(raw)
        except FileNotFoundError as error:
            raise SourceUnreadable(f"{self._path} does not exist; check the path.") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            reason = f"{self._name} is damaged or cut off gzip ({error}); what stands before the damage was kept."
            yield self._refused("damaged_gzip", reason)
        except OSError as error:
            raise SourceUnreadable(
                f"{self._path} cannot be read ({error.strerror or error}); check its owner and the disk."
            ) from error

    def _unpacked(self, raw: BufferedReader) -> Iterator[WalRecord | Rejected]:
        if raw.peek(2)[:2] != _GZIP_MAGIC:
            yield from self._recognised(raw)
            return
        with gzip.GzipFile(fileobj=raw) as unpacked:
            # A GzipFile is a raw stream in all but name.
            yield from self._recognised(BufferedReader(cast("RawIOBase", unpacked), _PEEK))

    def _recognised(self, stream: BufferedReader) -> Iterator[WalRecord | Rejected]:
        head = stream.peek(_PEEK)[:_PEEK]
        if not head:
            yield self._refused("empty_file", f"{self._name} is empty; nothing to read.")
            return
        start = head.removeprefix(_BOM).lstrip()
        if start[:1] in {b"{", b"["}:
            yield from self._json(stream)
        elif head[0] < 0x08 and len(head) > 4 and head[4] == 0x0A:
            yield from self._length_prefixed(stream)
        elif head[0] == 0x0A:
            yield from self._raw_body(stream)
        else:
            reason = (
                f"{self._name} is no known format; tracegym reads chat-log JSONL, OTLP JSON or protobuf "
                "and Langfuse exports, plain or gzipped."
            )
            yield self._refused("unknown_format", reason, body=head)

    def _json(self, stream: BufferedReader) -> Iterator[WalRecord | Rejected]:
        limit = self._limits.body_bytes
        first = stream.readline(limit + 1)
        kind = _kind_of(first.removeprefix(_BOM))
        opens_list = first.removeprefix(_BOM).strip() == b"["
        if kind is not None or (stream.peek(1)[:1] == b"{" and not opens_list):
            yield from self._lines(stream, first.removeprefix(_BOM), kind or "chat_log")
            return
        # Not one value a line: one pretty-printed document, or broken.
        body = first + stream.read(max(0, limit + 1 - len(first)))
        if len(body) > limit:
            reason = f"{self._name} is one JSON document of more than {limit} bytes; write one record a line."
            yield self._refused("document_too_large", reason, body=body)
            return
        kind = _kind_of(body.removeprefix(_BOM))
        if kind is None:
            reason = f"{self._name} is no JSON that tracegym knows, or is cut off; see docs/dialects.md for the formats."
            yield self._refused("unknown_json", reason, body=body)
            return
        yield self._record(kind, body.removeprefix(_BOM), "json")

    def _lines(
        self, stream: BufferedReader, first: bytes, kind: str
    ) -> Iterator[WalRecord | Rejected]:
        limit = self._limits.body_bytes
        held: list[bytes] = []
        size = 0
        number = held_from = 1
        line = first
        while line:
            if len(line) > limit:
                while line and not line.endswith(b"\n"):
                    line = stream.readline(_CHUNK_BYTES)
                reason = (
                    f"Line {number} of {self._name} is longer than {limit} bytes; split the record."
                )
                yield self._refused("line_too_long", reason, position=f"line {number}")
                line = b"\n"  # keeps the count of lines right for those after it
            held.append(line)
            size += len(line)
            number += 1
            if size >= (limit if kind in WHOLE_FILES else _CHUNK_BYTES):
                yield self._record(kind, b"".join(held), "jsonl", position=held_from)
                held, size, held_from = [], 0, number
            line = stream.readline(limit + 1)
        if held:
            yield self._record(kind, b"".join(held), "jsonl", position=held_from)

    def _raw_body(self, stream: BufferedReader) -> Iterator[WalRecord | Rejected]:
        limit = self._limits.body_bytes
        body = stream.read(limit + 1)
        if len(body) > limit:
            reason = f"{self._name} is one protobuf body of more than {limit} bytes; send smaller batches."
            yield self._refused("body_too_large", reason)
            return
        yield self._protobuf(body, 1)

    def _length_prefixed(self, stream: BufferedReader) -> Iterator[WalRecord | Rejected]:
        number = 0
        while prefix := stream.read(4):
            number += 1
            size = int.from_bytes(prefix, "big")
            if len(prefix) < 4 or size > self._limits.body_bytes:
                reason = f"Message {number} of {self._name} has an impossible length; the file is cut off or damaged here."
                yield self._refused("bad_length_prefix", reason, position=f"message {number}")
                return
            body = stream.read(size)
            if len(body) < size:
                reason = (
                    f"Message {number} of {self._name} is cut off; what stands before it was kept."
                )
                yield self._refused(
                    "truncated_message", reason, position=f"message {number}", body=body
                )
                return
            yield self._protobuf(body, number)

    def _protobuf(self, body: bytes, number: int) -> WalRecord | Rejected:
        signal = signal_of(body)
        if signal is None:
            reason = f"Message {number} of {self._name} is no OTLP body; it is damaged or something else."
            return self._refused("not_otlp", reason, position=f"message {number}", body=body)
        return self._record(f"otlp_{signal}", body, "protobuf", position=number)

    def _record(self, kind: str, body: bytes, encoding: str, *, position: int = 1) -> WalRecord:
        return WalRecord(
            kind=kind,
            app=self._app,
            source=self._name,
            body=body,
            received_at=time.time_ns(),
            encoding=encoding,
            position=position,
        )

    def _refused(
        self, code: str, reason: str, *, position: str = "file", body: bytes = b""
    ) -> Rejected:
        return _refuse(
            self._name, self._app, BodyRefused(code, reason), position=position, body=body
        )

"""One file as a source of bytes: opened, unpacked, in UTF-8, as often as somebody wants to read it.

Comes in: a path and what is known of it. Goes out: streams; and records and refusals that say where they are from.
"""

from __future__ import annotations

import codecs
import gzip
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Final, cast

from ingest.errors import SourceUnreadable
from ingest.files.file_facts import FileFacts
from ingest.otlp.limits import Limits
from ingest.receiver.wal import WalRecord
from ingest.records.quarantine import MAX_KEPT_BODY, Rejected
from ingest.records.text import load_json

PEEK: Final = 64 << 10
"""Bytes that can be looked at before they are read."""
_CHUNK_BYTES: Final = 1 << 20
"""Lines are stored together up to this size: one row a line would cost more than the lines."""
_GZIP_MAGIC: Final = b"\x1f\x8b"
_JSON_AS_TEXT: Final = (b'"{', b'"[')
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks, the longer ones first: one begins with another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSource:
    """One file."""

    path: Path
    name: str
    """As people and quarantine know it."""
    app: str | None
    limits: Limits
    facts: FileFacts
    lines: Callable[[], Iterator[bytes]] | None = None
    """What is read in the place of the file's bytes: a table's rows as JSON, a member of an archive."""
    within: Path | None = None
    """The folder that was asked for; a file of it that links lead out of is not read: nobody asked for what is there."""
    closed: OSError | None = None
    """Why the file, or a folder in its place, cannot be opened at all; who opens it is told."""
    damages: list[str] = field(default_factory=list, init=False)
    """What is wrong with a packed file, once it was read to the spot; it ends there."""

    @contextmanager
    def opened(self) -> Iterator[BufferedReader]:
        """The file's plain bytes from the beginning, in UTF-8 where they are text, without a byte order mark."""
        self._check_within()
        if self.closed is not None:
            raise self.closed
        with ExitStack() as stack:
            made = self.lines
            stream: BufferedReader
            stream = (
                BufferedReader(_Lines(made()), PEEK)
                if made
                else stack.enter_context(self.path.open("rb"))
            )
            if stream.peek(2)[:2] == _GZIP_MAGIC:
                unpacked = stack.enter_context(gzip.GzipFile(fileobj=stream))
                stream = BufferedReader(_Unpacked(unpacked, self.damages), PEEK)
            head = stream.peek(4)[:4]
            encoding = next((name for mark, name in _MARKS if head.startswith(mark)), None)
            if encoding is not None:
                stream = BufferedReader(_Utf8(stream, encoding), PEEK)
            elif head.startswith(codecs.BOM_UTF8):
                stream.read(len(codecs.BOM_UTF8))
            yield self._within_text(stream)

    def _within_text(self, stream: BufferedReader) -> BufferedReader:
        """The JSON that a program wrote twice, once as text: a file that is one string which holds it."""
        if stream.peek(2)[:2] not in _JSON_AS_TEXT or not stream.seekable():
            return stream
        place = stream.tell()
        value = load_json(stream.read(self.limits.body_bytes + 1))
        stream.seek(place)
        text = value.encode("utf-8", "replace") if isinstance(value, str) else None
        return BufferedReader(_Lines(iter([text])), PEEK) if text else stream

    def _check_within(self) -> None:
        if self.within is None or self.path.resolve().is_relative_to(self.within.resolve()):
            return
        raise SourceUnreadable(
            f"{self.name} is a link that leads out of the folder; it is not followed: ingest what it leads to by its own path."
        )

    @property
    def can_be_read_again(self) -> bool:
        """Whether the path is a file and no pipe."""
        return self.closed is None and (self.lines is not None or self.path.is_file())

    @property
    def size(self) -> int:
        """Bytes of the file; none where its lines are made by somebody, who bounds them, or nobody can look."""
        return self.path.stat().st_size if self.lines is None and self.closed is None else 0

    def record(
        self,
        kind: str,
        body: bytes,
        encoding: str,
        *,
        position: int = 1,
        facts: FileFacts | None = None,
    ) -> WalRecord:
        """A part of the file for the log."""
        return WalRecord(
            kind=kind,
            app=self.app,
            source=self.name,
            body=body,
            received_at=time.time_ns(),
            encoding=encoding,
            position=position,
            facts=facts or self.facts,
        )

    def refused(
        self, code: str, reason: str, *, position: str = "file", body: bytes = b""
    ) -> Rejected:
        """A part of the file that cannot be used."""
        return Rejected(
            source=self.name,
            position=position,
            code=code,
            reason=reason,
            body=body[:MAX_KEPT_BODY],
            app=self.app,
            at=time.time_ns(),
        )


class _Lines(RawIOBase):
    """Lines that somebody makes, as a stream."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        super().__init__()
        self._lines = lines
        self._ready = b""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill a buffer."""
        view = memoryview(cast("bytearray", buffer)).cast("B")
        if not self._ready:
            self._ready = next(self._lines, b"")
        taken, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(taken)] = taken
        return len(taken)


class _Unpacked(RawIOBase):
    """What a gzip holds, up to the first damage."""

    def __init__(self, packed: gzip.GzipFile, damages: list[str]) -> None:
        super().__init__()
        self._packed = packed
        self._damages = damages

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always, if slowly."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place of the plain bytes."""
        return self._packed.seek(offset, whence)

    def tell(self) -> int:
        """The place in the plain bytes."""
        return self._packed.tell()

    def readinto(self, buffer: object) -> int:
        """Fill a buffer."""
        view = memoryview(cast("bytearray", buffer)).cast("B")
        try:
            taken = self._packed.read1(len(view))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self._damages.append(str(error))
            return 0
        view[: len(taken)] = taken
        return len(taken)


class _Utf8(RawIOBase):
    """A stream of another encoding of Unicode as UTF-8; what is no text there becomes the replacement character."""

    def __init__(self, stream: BufferedReader, encoding: str) -> None:
        super().__init__()
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._ready = b""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill a buffer."""
        view = memoryview(cast("bytearray", buffer)).cast("B")
        while not self._ready:
            chunk = self._stream.read(PEEK)
            text = self._decoder.decode(chunk, final=not chunk)
            self._ready = text.encode("utf-8", "replace")
            if not chunk:
                break
        taken, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(taken)] = taken
        return len(taken)


@dataclass(slots=True)
class Chunks:
    """Lines on their way into records of bounded size."""

    source: FileSource
    kind: str
    encoding: str
    facts: FileFacts
    first: int = 1
    """The number of the first line that is held."""
    held: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, line: bytes) -> Iterator[WalRecord]:
        """Take one line, and give back what is full."""
        self.held.append(line)
        self.size += len(line)
        if self.size >= _CHUNK_BYTES:
            yield from self.end()

    def end(self) -> Iterator[WalRecord]:
        """Give back what is held."""
        if self.held:
            yield self.source.record(
                self.kind, b"".join(self.held), self.encoding, position=self.first, facts=self.facts
            )
        self.first += len(self.held)
        self.held, self.size = [], 0

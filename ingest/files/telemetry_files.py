"""Telemetry files, recognised by what is in them.

Comes in: a file or a folder of anything that a row of `ingest.formats.table` knows, OTLP protobuf (raw bodies and the
Collector's length-prefixed form), any of them gzipped. Goes out: `WalRecord`s of bounded size, and a `Rejected` for what
is none of these. A file of any size is streamed. Records are not decoded here: `ingest.otlp.decode` does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Final

from ingest.errors import SourceUnreadable
from ingest.files.file_facts import FileFacts, stem_of
from ingest.files.file_source import PEEK, FileSource
from ingest.files.json_files import read_json_file
from ingest.files.mapped_files import read_mapped_file
from ingest.files.mapping import Layout
from ingest.otlp.limits import DEFAULT_LIMITS, Limits
from ingest.otlp.wire import signal_of
from ingest.receiver.wal import WalRecord
from ingest.records.app_name import safe_app_name
from ingest.records.quarantine import Rejected
from ingest.tables.archives import unpacked
from ingest.tables.cells import TableError
from ingest.tables.folder import joined_files
from ingest.tables.lines import WORKBOOKS, are_rows, as_lines
from ingest.tables.marked_text import as_dialogue
from ingest.tables.react_log import as_runs
from ingest.tables.text_log import as_events

_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\xc0\xc1\xf5-\xff]")
"""What every body of OTLP has in it, and no text that begins with an empty line."""
_ZIP: Final = b"PK\x03\x04"
_WORKBOOK: Final = (b"xl/", b"[Content_Types].xml", b"mimetypeapplication")
_TAR: Final = b"ustar"
_TAR_AT: Final = 257
"""Where in a tar archive its mark stands."""
_ARCHIVES: Final = {
    _ZIP: "a ZIP archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\xfd7zXZ\x00": "packed by xz",
    b"BZh": "packed by bzip2",
    b"\x28\xb5\x2f\xfd": "packed by zstd",
}


def read_file(
    path: Path,
    *,
    app: str | None = None,
    named_after: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    layout: Layout | None = None,
) -> Iterator[WalRecord | Rejected]:
    """Everything in a file, or in all files below a folder in the order of their names.

    Data that names no app goes to `app`, else to `named_after`, else to an app with the name of the path. JSON is read by
    `layout` where one is given, whatever else could read it.
    """
    for source in sources_in(path, app=app, named_after=named_after, limits=limits, layout=layout):
        yield from read_source(source, layout, among_others=source.path != path)


def sources_in(
    path: Path,
    *,
    app: str | None = None,
    named_after: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    layout: Layout | None = None,
) -> Iterator[FileSource]:
    """The file, or all files below a folder in the order of their names, an archive as the folder that it holds; hidden ones are left out, and what cannot be opened stands last."""
    facts = FileFacts(named_after=named_after or safe_app_name(stem_of(path.resolve().name)))
    if not path.is_dir():
        source = FileSource(path=path, name=path.name, app=app, limits=limits, facts=facts)
        yield from joined_files(unpacked(source), joins_lines=layout is None)
        return
    below = (
        FileSource(
            path=child,
            name=child.relative_to(path).as_posix(),
            app=app,
            limits=limits,
            facts=facts,
            within=path,
            closed=closed,
        )
        for child, closed in files_below(path).items()
    )
    files = list(chain.from_iterable(map(unpacked, below)))
    # A person's mapping is about the lines as they stand.
    yield from joined_files([one for one in files if not one.closed], joins_lines=layout is None)
    yield from (one for one in files if one.closed)


def files_below(folder: Path) -> dict[Path, OSError | None]:
    """The files below a folder in the order of their names, hidden ones left out; with an error the files, and the folders, at which nobody can look."""
    found: dict[Path, OSError | None] = {}

    def note(error: OSError) -> None:
        found[Path(error.filename)] = error

    for at, _, names in os.walk(folder, onerror=note):
        for path in (Path(at, name) for name in names if not name.startswith(".")):
            try:
                found |= {path: None} if path.is_file() else {}
            except OSError as error:
                note(error)
    return dict(sorted(found.items()))


def read_source(
    source: FileSource, layout: Layout | None, *, among_others: bool
) -> Iterator[WalRecord | Rejected]:
    """Everything in one file; one that cannot be opened raises `SourceUnreadable`, `among_others` it is refused."""
    try:
        yield from _read(source, layout)
    except SourceUnreadable as error:
        if not among_others:
            raise
        yield source.refused("unreadable_file", str(error))


def _read(source: FileSource, layout: Layout | None) -> Iterator[WalRecord | Rejected]:
    """The file's records; what was read before a broken spot is kept."""
    is_something_kept = False
    source.damages.clear()  # of an earlier look
    try:
        with source.opened() as stream:
            for one in _recognised(source, stream, layout):
                is_kept = isinstance(one, WalRecord)
                is_something_kept = is_something_kept or is_kept
                # Of a file that ends too early, what cannot be read is the damage's doing.
                if is_kept or not source.damages:
                    yield one
    except FileNotFoundError as error:
        raise SourceUnreadable(f"{source.path} does not exist; check the path.") from error
    except PermissionError as error:
        raise SourceUnreadable(
            f"{source.path} cannot be read (permission denied), so nothing in it was taken in; "
            "let the user that runs tracegym read it, then ingest it again."
        ) from error
    except OSError as error:
        raise SourceUnreadable(
            f"{source.path} cannot be read ({error.strerror or error}); check its owner and the disk."
        ) from error
    if source.damages:
        kept = (
            "what stands before the damage was kept"
            if is_something_kept
            else "nothing of it could be read"
        )
        reason = f"{source.name} is damaged or cut off gzip ({source.damages[0]}); {kept}, write the file again."
        yield source.refused("damaged_gzip", reason)


def _recognised(
    source: FileSource, stream: BufferedReader, layout: Layout | None
) -> Iterator[WalRecord | Rejected]:
    head = stream.peek(PEEK)[:PEEK]
    if (archive := _archive_in(source, head)) is not None:
        reason = f"{source.name} is {archive}; unpack it first, then take in what was in it."
        yield source.refused("unknown_format", reason, body=head)
    elif not head.strip():
        yield source.refused("empty_file", f"{source.name} is empty; nothing to read.")
    elif head.lstrip()[:1] in {b"{", b"["} and layout is not None:
        yield from read_mapped_file(source, layout)
    elif head.lstrip()[:1] in {b"{", b"["} and not are_rows(source, head):
        yield from read_json_file(source, stream)
    elif head[0] < 0x08 and len(head) > 4 and head[4] == 0x0A:
        yield from _length_prefixed(source, stream)
    elif head[0] == 0x0A and _CONTROL.search(head):
        yield from _raw_body(source, stream)
    else:
        yield from _table(source, head, layout)


def _archive_in(source: FileSource, head: bytes) -> str | None:
    """What packed files begin with, those that are opened here left out; None where a file is none."""
    is_workbook = WORKBOOKS & {ending.lower() for ending in source.path.suffixes}
    if is_workbook or (head.startswith(_ZIP) and any(part in head for part in _WORKBOOK)):
        return None  # a table's refusal says what to do
    if head[_TAR_AT:].startswith(_TAR):
        return "a tar archive"
    return next((title for mark, title in _ARCHIVES.items() if head.startswith(mark)), None)


def _table(
    source: FileSource, head: bytes, layout: Layout | None
) -> Iterator[WalRecord | Rejected]:
    """A table as the lines that it is read as; what is none is refused."""
    try:
        lines = as_lines(source, head) or as_dialogue(source, head) or as_events(source, head)
        lines = lines or as_runs(source, head)
        if lines is None:
            reason = (
                f"{source.name} is in no known format: neither JSON, OTLP protobuf nor a table, plain or gzipped; "
                "docs/files.md names the files that tracegym reads."
            )
            yield source.refused("unknown_format", reason, body=head)
        elif layout is not None:
            yield from read_mapped_file(lines, layout)
        else:
            with lines.opened() as stream:
                yield from read_json_file(lines, stream)
    except TableError as broken:
        yield source.refused("unknown_format", f"{source.name} is not read: {broken}.", body=head)


def _raw_body(source: FileSource, stream: BufferedReader) -> Iterator[WalRecord | Rejected]:
    limit = source.limits.body_bytes
    body = stream.read(limit + 1)
    if len(body) > limit:
        reason = (
            f"{source.name} is one protobuf body of more than {limit} bytes; send smaller batches."
        )
        yield source.refused("body_too_large", reason)
        return
    yield _protobuf(source, body, 1)


def _length_prefixed(source: FileSource, stream: BufferedReader) -> Iterator[WalRecord | Rejected]:
    number = 0
    while prefix := stream.read(4):
        number += 1
        place = f"message {number}"
        size = int.from_bytes(prefix, "big")
        if len(prefix) < 4 or size > source.limits.body_bytes:
            reason = f"Message {number} of {source.name} has an impossible length; the file is cut off or damaged here."
            yield source.refused("bad_length_prefix", reason, position=place)
            return
        body = stream.read(size)
        if len(body) < size:
            reason = (
                f"Message {number} of {source.name} is cut off; what stands before it was kept."
            )
            yield source.refused("truncated_message", reason, position=place, body=body)
            return
        yield _protobuf(source, body, number)


def _protobuf(source: FileSource, body: bytes, number: int) -> WalRecord | Rejected:
    signal = signal_of(body)
    if signal is None:
        reason = (
            f"Message {number} of {source.name} is no OTLP body; it is damaged or something else."
        )
        return source.refused("not_otlp", reason, position=f"message {number}", body=body)
    return source.record(f"otlp_{signal}", body, "protobuf", position=number)

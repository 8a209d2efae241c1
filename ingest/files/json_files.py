"""Files of JSON: one value a line, one document, several documents, or one that is too large or broken to be read whole.

Comes in: the stream of a file that begins as JSON does. Goes out: `WalRecord`s of bounded size and refusals. What a value
means is not decided here; only whether some format knows it, because that says how the file may be cut into parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from io import BufferedReader
from itertools import islice
from typing import Any, Final

from ingest.files.file_source import PEEK, Chunks, FileSource
from ingest.files.json_split import Break, split
from ingest.files.json_values import (
    first_line,
    has_a_value_a_line,
    lines_behind,
    rejection_of_break,
    skip_line,
    too_long,
)
from ingest.files.mapped_files import read_mapped_file
from ingest.files.mapping_draft import layout_in
from ingest.formats.conversation_record import records_in
from ingest.formats.format import Format
from ingest.formats.message_lines import NAME as MESSAGE_LINES
from ingest.formats.records.naming import facts_of_all
from ingest.formats.records.reader import NAME as RECORD
from ingest.formats.table import WHOLE_FILES, format_within, lines_format
from ingest.formats.unknown import no_known_format
from ingest.formats.verdict_rows import FORMAT as VERDICT_ROWS
from ingest.receiver.wal import WalRecord
from ingest.records.quarantine import Rejected
from ingest.records.text import NOT_JSON, NOT_UTF8, Json, is_utf8, json_bytes, load_json

_LOOKED_AT: Final = 20
"""Lines that are looked at to tell what a file of lines is."""
_SAMPLE: Final = 1_000
"""Lines by which a layout that no format knows is understood."""
_ANY: Final = "chat_log"
"""The kind of lines that nothing is known of: each is refused alone when it is decoded."""


def read_json_file(source: FileSource, stream: BufferedReader) -> Iterator[WalRecord | Rejected]:
    """Everything in a file that begins as JSON does."""
    first, number = first_line(stream, source.limits.body_bytes)
    if has_a_value_a_line(stream, first):
        yield from _lines(source, stream, first, number)
    else:
        yield from _document(source, stream, first, number)


def _lines(
    source: FileSource,
    stream: BufferedReader,
    first: bytes,
    number: int,
    *,
    behind: Sequence[bytes] = (),
) -> Iterator[WalRecord | Rejected]:
    """The records of a file of lines; `behind` are lines that stand for a first one that is too long to look at."""
    rest = stream.peek(PEEK)[:PEEK]
    row = _format_of_lines((behind or [first, *rest.split(b"\n")])[: _LOOKED_AT + 1])
    is_alone = not rest.strip()
    if row is None and source.can_be_read_again:
        values = [one for one in islice(_values_of_lines(source), _SAMPLE) if one is not NOT_JSON]
        if (layout := layout_in(values)) is not None:
            yield from read_mapped_file(source, layout)
            return
    if is_alone and row is None:
        yield no_known_format(source, load_json(first), first)
        return
    if row is not None and row.is_whole_file:
        yield from _one_record(source, stream, first, number, row)
        return
    facts = replace(source.facts, is_alone=is_alone)
    if row is not None and row.name == RECORD and not is_alone and source.can_be_read_again:
        facts = facts_of_all(facts, lambda: records_in(_values_of_lines(source)))
    chunks = Chunks(source, row.name if row else _ANY, "jsonl", facts, first=number)
    limit = source.limits.body_bytes
    line = first
    while line:
        if len(line) > limit:
            skip_line(stream, line)
            yield too_long(source, number)
            line = b"\n"  # keeps the count of lines right for those after it
        yield from chunks.add(line)
        number += 1
        line = stream.readline(limit + 1)
    yield from chunks.end()


def _format_of_lines(lines: Iterable[bytes]) -> Format | None:
    """The format of a file of lines: of the first that one knows which reads line by line, else of the first at all."""
    values = [
        value for line in lines if line.strip() and (value := load_json(line)) is not NOT_JSON
    ]
    rows = [row for value in values if (row := format_within(value)) is not None]
    others = [row for row in rows if row is not VERDICT_ROWS]
    rows = rows if len(rows) == len(values) and not others else others
    told = [row for row in rows if not row.is_whole_file] or rows
    by_sessions = [row for row in rows if row.is_whole_file and row.is_sure]
    return lines_format(next(iter(by_sessions or told), None), values)


def _values_of_lines(source: FileSource) -> Iterator[Json]:
    limit = source.limits.body_bytes
    with source.opened() as stream:
        while line := stream.readline(limit + 1):
            if len(line) > limit:
                skip_line(stream, line)
            elif line.strip():
                yield load_json(line)


def _one_record(
    source: FileSource, stream: BufferedReader, first: bytes, number: int, row: Format
) -> Iterator[WalRecord | Rejected]:
    """A file whose lines mean nothing without each other, as one record."""
    limit = source.limits.body_bytes
    body = first + stream.read(max(0, limit + 1 - len(first)))
    if len(body) > limit:
        reason = (
            f"{source.name} is {row.title} of more than {limit} bytes, which is read only as a whole; "
            "split it into one file a conversation."
        )
        yield source.refused("file_too_large", reason, body=body)
        return
    facts = replace(source.facts, is_alone=True)
    yield source.record(row.name, body, "jsonl", position=number, facts=facts)


def _document(
    source: FileSource, stream: BufferedReader, first: bytes, number: int
) -> Iterator[WalRecord | Rejected]:
    """One value that fills the file, several of them, or the beginning of one."""
    limit = source.limits.body_bytes
    body = first + stream.read(max(0, limit + 1 - len(first)))
    value = load_json(body) if len(body) <= limit else NOT_JSON
    if value is not NOT_JSON:
        row = format_within(value)
        if row is None:
            layout = layout_in([value]) if source.can_be_read_again else None
            told = layout and read_mapped_file(source, layout)
            yield from told or [no_known_format(source, value, body)]
            return
        if row.name == MESSAGE_LINES and isinstance(value, dict):
            reason = (
                f"{source.name} holds one message alone; "
                "put the messages of a conversation into one file, one a line and in order."
            )
            yield source.refused("lone_message", reason, body=body)
            return
        facts = replace(source.facts, is_alone=True)
        yield source.record(row.name, body, "json", facts=facts)
        return
    parts = list(_parts(source)) if not source.can_be_read_again else _parts(source)
    found = False
    for part in parts:
        found = True
        yield part
    if found:
        return
    if behind := lines_behind(source):
        yield from _lines(source, stream, first, number, behind=behind)
        return
    if not is_utf8(body):
        yield source.refused("unknown_json", f"{source.name} is {NOT_UTF8}.", body=body)
    elif len(body) > limit:
        reason = (
            f"{source.name} is one JSON document of more than {limit} bytes without a list of records "
            "that could be read one by one; write one record a line."
        )
        yield source.refused("document_too_large", reason, body=body)
    else:
        reason = (
            f"{source.name} is cut off or no JSON, and no record in it is whole; write the file again. "
            "tracegym ingest FILE --explain shows what can be read of it."
        )
        yield source.refused("unknown_json", reason, body=body)


def _parts(source: FileSource) -> Iterator[WalRecord | Rejected]:
    """The records of a document, one by one."""
    limit = source.limits.body_bytes

    def parts() -> Iterator[Any]:
        return iter(split(source.opened, _is_known, limit=limit))

    chunks: Chunks | None = None
    for part in parts():
        if isinstance(part, Break):
            if chunks is not None:
                yield from chunks.end()
            yield rejection_of_break(source, part)
            continue
        if chunks is None:
            row = format_within(part.value)
            facts = source.facts
            if row is not None and row.name == RECORD:
                facts = facts_of_all(
                    facts, lambda: records_in(p.value for p in parts() if not isinstance(p, Break))
                )
            chunks = Chunks(source, row.name if row else _ANY, "records", facts)
        line = json_bytes(part.value) + b"\n"
        if len(line) > limit:
            place = f"record {part.number}"
            reason = (
                f"Record {part.number} of {source.name} is longer than {limit} bytes; split it."
            )
            yield source.refused("record_too_large", reason, position=place, body=line)
            line = b"\n"
        yield from chunks.add(line)
    if chunks is not None:
        yield from chunks.end()


def _is_known(item: Json, document: Json, key: str) -> bool:
    """Whether an element of a list can be read by itself, or in the document that holds only it."""
    row = format_within(item)
    if row is not None and row.name not in WHOLE_FILES:
        return True
    around = format_within(document)
    return around is not None and key != "" and around.parted_at == key

"""The values of a JSON file one by one, each with its place: for those who look into a file before it is stored.

Comes in: a file that begins as JSON does. Goes out: values with the words for where they stand, and refusals of what is no
JSON. A file of lines, one document, several documents, and a document too large to be read whole are told alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any

from ingest.files.file_source import PEEK, FileSource
from ingest.files.json_split import Break, Knows, may_begin_json, split
from ingest.records.quarantine import Rejected
from ingest.records.text import NOT_JSON, NOT_UTF8, Json, is_utf8, load_json, why_no_json


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedValue:
    """One value of a file."""

    value: Any
    place: str
    """`line 3`, `record 7`; `the file` where it is all there is."""
    is_document: bool = False
    """Whether it is all there is."""


def first_line(stream: BufferedReader, limit: int) -> tuple[bytes, int]:
    """The first line that is not empty, and its number."""
    number = 1
    line = stream.readline(limit + 1)
    while line and not line.strip():
        line = stream.readline(limit + 1)
        number += 1
    return line, number


def has_a_value_a_line(stream: BufferedReader, first: bytes) -> bool:
    """Whether the rest of a file is lines: its first line is a value, or a broken one with another object behind it.

    A document, too, may have an object behind its first line; it is JSON as far as one looks, and a broken line is not.
    """
    if load_json(first) is not NOT_JSON:
        return True
    behind = stream.peek(PEEK)[:PEEK]
    if first.lstrip()[:1] != b"{" or behind[:1] != b"{":
        return False
    return not may_begin_json(first + behind)


def skip_line(stream: BufferedReader, line: bytes) -> None:
    """Go on to the next line behind one that was not read to its end."""
    while line and not line.endswith(b"\n"):
        line = stream.readline(1 << 20)


def lines_behind(source: FileSource) -> list[bytes]:
    """Lines behind a first one over the limit, as many as a look shows; none where the file is no file of lines."""
    if not source.can_be_read_again:
        return []
    limit = source.limits.body_bytes
    with source.opened() as stream:
        line, _ = first_line(stream, limit)
        if len(line) <= limit:
            return []
        while len(line) > limit:
            skip_line(stream, line)
            line, _ = first_line(stream, limit)
        rest = stream.peek(PEEK)[:PEEK]
    return [line, *rest.split(b"\n")] if isinstance(load_json(line), dict | list) else []


def too_long(source: FileSource, number: int) -> Rejected:
    """The refusal of a line over the limit."""
    reason = (
        f"Line {number} of {source.name} is longer than {source.limits.body_bytes} bytes; "
        "split the record."
    )
    return source.refused("line_too_long", reason, position=f"line {number}")


def rejection_of_break(source: FileSource, part: Break) -> Rejected:
    """The refusal of what stands behind the last whole record."""
    what = "is cut off" if part.is_cut else "is no JSON any more"
    todo = "write the file again for the rest"
    if not part.is_utf8:
        what, _, todo = f"is {NOT_UTF8}".partition("; ")
    reason = (
        f"{source.name} {what} after record {part.after}; the records before it were kept, {todo}."
    )
    code = "cut_off" if part.is_cut else "damaged_json"
    return source.refused(code, reason, position=f"after record {part.after}")


def placed_values(source: FileSource, knows: Knows) -> Iterator[PlacedValue | Rejected]:
    """Every value of a file; `knows` says which elements of a large or broken document are records."""
    limit = source.limits.body_bytes
    with source.opened() as stream:
        first, number = first_line(stream, limit)
        if has_a_value_a_line(stream, first):
            yield from _lines(source, stream, first, number)
            return
        body = first + stream.read(max(0, limit + 1 - len(first)))
    value = load_json(body) if len(body) <= limit else NOT_JSON
    if value is not NOT_JSON:
        yield PlacedValue(value=value, place="the file", is_document=True)
        return
    if lines_behind(source):  # first: else each item of a list in a later line would be a record
        with source.opened() as stream:
            yield from _lines(source, stream, *first_line(stream, limit))
        return
    found = False
    for part in split(source.opened, knows, limit=limit):
        found = True
        if isinstance(part, Break):
            yield rejection_of_break(source, part)
        else:
            yield PlacedValue(value=part.value, place=f"record {part.number}")
    if not found:
        reason = f"{source.name} is cut off, no JSON, or too large to be read whole; write one record a line."
        if not is_utf8(body):
            reason = f"{source.name} is {NOT_UTF8}."
        yield source.refused("unknown_json", reason, body=body)


def _lines(
    source: FileSource, stream: BufferedReader, first: bytes, number: int
) -> Iterator[PlacedValue | Rejected]:
    limit = source.limits.body_bytes
    line = first
    is_alone = not stream.peek(1)
    while line:
        place = f"line {number}"
        if len(line) > limit:
            skip_line(stream, line)
            yield too_long(source, number)
        elif line.strip():
            value: Json = load_json(line)
            if value is NOT_JSON:
                yield source.refused("not_json", why_no_json(line), position=place, body=line)
            else:
                yield PlacedValue(value=value, place=place, is_document=is_alone)
        number += 1
        line = stream.readline(limit + 1)

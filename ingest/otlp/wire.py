"""Protobuf's wire format, just enough to count and to cut before parsing.

Comes in: bytes. Goes out: fields with their byte ranges. It builds no messages; `ingest.otlp.protobuf` does.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final, NamedTuple

VARINT: Final = 0
FIXED64: Final = 1
LENGTH: Final = 2
FIXED32: Final = 5


_BESIDE: Final = 16
"""Fields beside the records that a scope may have (its name and its schema's address are two): each costs memory."""


_AROUND: Final = 400_000
"""Fields of a body outside its scopes: 100,000 records with a resource and a scope each have 300,000."""
_TELLING: Final = 1000
"""A record's first fields, which say what it is: its ids and times have low numbers."""


class Field(NamedTuple):
    """One field on the wire: its number, its wire type and where its value lies."""

    number: int
    wire_type: int
    start: int
    end: int


class BrokenWireError(ValueError):
    """The bytes are not a protobuf message."""


def fields(data: bytes, start: int = 0, end: int | None = None) -> Iterator[Field]:
    """The fields of the message between two offsets, in order; raises `BrokenWireError`."""
    stop = len(data) if end is None else end
    at = start
    while at < stop:
        tag, at = varint(data, at, stop)
        wire_type = tag & 7
        if wire_type == LENGTH:
            size, at = varint(data, at, stop)
            value_end = at + size
        elif wire_type == VARINT:
            _, value_end = varint(data, at, stop)
        elif wire_type == FIXED64:
            value_end = at + 8
        elif wire_type == FIXED32:
            value_end = at + 4
        else:
            raise BrokenWireError("group or unknown wire type")
        if value_end > stop or not tag >> 3:
            raise BrokenWireError("field runs past its message")
        yield Field(tag >> 3, wire_type, at, value_end)
        at = value_end


def varint(data: bytes, at: int, stop: int) -> tuple[int, int]:
    """A number of variable length and where it ends; raises `BrokenWireError`."""
    value = shift = 0
    while at < stop and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise BrokenWireError("varint without an end")


def messages(data: bytes, number: int, start: int = 0, end: int | None = None) -> Iterator[Field]:
    """The length-delimited fields with one number."""
    for field in fields(data, start, end):
        if field.number == number and field.wire_type == LENGTH:
            yield field


def batches(body: bytes) -> Iterator[tuple[Field, Field]]:
    """OTLP's two outer levels, equal for traces, logs and metrics: (resource batch, scope batch)."""
    seen = 0
    for resource in fields(body):
        seen += 1
        inner = fields(body, resource.start, resource.end) if _is(resource, 1) else ()
        for scope in inner:
            seen += 1
            if _is(scope, 2):
                yield resource, scope
            _check_around(seen)
        _check_around(seen)


def _is(field: Field, number: int) -> bool:
    return field.number == number and field.wire_type == LENGTH


def _check_around(seen: int) -> None:
    if seen > _AROUND:
        raise BrokenWireError("more fields around the records than any sender writes")


class Bounds(NamedTuple):
    """Where messages lie: starts and ends, one of each a message; and the fields beside them."""

    start: list[int]
    end: list[int]
    beside: list[Field]


def bounds(data: bytes, number: int, start: int, end: int, *, most: int) -> Bounds:
    """What `messages` yields, at four times its speed; stops one past `most`."""
    found = Bounds([], [], [])
    wanted = number << 3 | LENGTH
    at = start
    while at < end and len(found.start) <= most:
        # Lengths of up to three bytes are read in place: a call for each costs more than everything else.
        second = data[at + 1] if at + 1 < end and data[at] == wanted else None
        third = data[at + 2] if at + 2 < end else 0x80
        fourth = data[at + 3] if at + 3 < end else 0x80
        if second is None or (second > 0x7F and third > 0x7F and fourth > 0x7F):
            field = next(fields(data, at, end))
            at, stop = field.start, field.end
            if field.number != number or field.wire_type != LENGTH:
                found.beside.append(field)
                if len(found.beside) > _BESIDE:
                    raise BrokenWireError("more fields beside the records than any version has")
                at = stop
                continue
        elif second < 0x80:
            at, stop = at + 2, at + 2 + second
        elif third < 0x80:
            at, stop = at + 3, at + 3 + (second & 0x7F | third << 7)
        else:
            at, stop = at + 4, at + 4 + (second & 0x7F | (third & 0x7F) << 7 | fourth << 14)
        if stop > end:
            raise BrokenWireError("field runs past its message")
        found.start.append(at)
        found.end.append(stop)
        at = stop
    return found


def count_records(body: bytes, *, limit: int) -> int:
    """How many spans, log records or metrics the body holds; stops counting past the limit."""
    total = 0
    for _, scope in batches(body):
        total += len(bounds(body, 2, scope.start, scope.end, most=limit - total).start)
        if total > limit:
            return total
    return total


def signal_of(body: bytes) -> str | None:
    """`traces`, `logs` or `metrics` by the shape of the first record; None where it is no OTLP body."""
    try:
        for _, scope in batches(body):
            for record in messages(body, 2, scope.start, scope.end):
                return _signal_of_record(fields(body, record.start, record.end))
        empty = all(field.number == 1 and field.wire_type == LENGTH for field in fields(body))
    except BrokenWireError:
        return None
    return "traces" if body and empty else None


def _signal_of_record(record: Iterator[Field]) -> str | None:
    first = itertools.islice(record, _TELLING)
    sizes = {(f.number, f.wire_type): f.end - f.start for f in first}
    if sizes.get((1, LENGTH)) == 16 and sizes.get((2, LENGTH)) == 8:
        return "traces"
    if (1, FIXED64) in sizes or (11, FIXED64) in sizes or (2, VARINT) in sizes:
        return "logs"
    if (7, FIXED64) in sizes:
        return "traces"
    if (1, LENGTH) in sizes and any((n, LENGTH) in sizes for n in (5, 7, 9, 10, 11)):
        return "metrics"
    return None

"""Protobuf's wire format for many messages at once: field by field over all of them, as numpy columns.

Comes in: one buffer and the places of its messages. Goes out: `FieldColumns`, one entry a field in the messages' own
order, and which messages did not look like protobuf. It is `ingest.otlp.wire` turned by 90 degrees: one step reads the next
field of every message, so that the interpreter's cost is per step and not per field. It knows no message type.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ingest.otlp.wire import FIXED32, FIXED64, LENGTH, VARINT

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

PADDING: Final = 32
"""Bytes that must follow the last message in a buffer: reads of fixed width may look past a field's end."""

_ODD_NUMBER: Final = 255
"""Field numbers from here on are in no message that is read."""
_MOST_FIELDS: Final = 1024
"""Steps at most: a message with more fields than any real one is left to the slow reader."""

_SIZES: Final = np.full(8, -1, np.int64)
"""Bytes of a value that its wire type alone says; -1 for wire types that nobody may use."""
_SIZES[[VARINT, LENGTH, FIXED64, FIXED32]] = 0, 0, 8, 4


class Room:
    """Memory that one batch of bodies after the other is put into: fresh pages from the system cost a seventh of all."""

    def __init__(self) -> None:
        self._held: Bytes = np.empty(0, np.uint8)

    def put(self, bodies: Iterable[bytes], size: int) -> Bytes:
        """Bodies of `size` bytes end to end, with the padding; good until the next call."""
        if len(self._held) < size + PADDING:
            self._held = np.empty(1 << (size + PADDING).bit_length(), np.uint8)
        at = 0
        for body in bodies:
            self._held[at : at + len(body)] = np.frombuffer(body, np.uint8)
            at += len(body)
        self._held[at : at + PADDING] = 0
        return self._held[: at + PADDING]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldColumns:
    """Fields of many messages."""

    owner: Ints
    """Which message a field belongs to; ascending."""
    number: Ints
    wire_type: Ints
    start: Ints
    """Where the value lies."""
    end: Ints
    value: Ints
    """Of varints and of lengths; 0 for the fixed-width types."""

    def select(self, chosen: Bools) -> FieldColumns:
        """Some of the fields."""
        return self.take(np.flatnonzero(chosen))

    def by_number(self) -> dict[int, FieldColumns]:
        """The fields of each number that is there."""
        small = np.minimum(self.number, _ODD_NUMBER).astype(np.uint8)
        order = np.argsort(small, kind="stable")
        ordered = self.take(order)
        numbers, first = np.unique(small[order], return_index=True)
        ends = [*first[1:].tolist(), len(order)][: len(numbers)]
        return {
            number: ordered.take(slice(start, end))
            for number, start, end in zip(numbers.tolist(), first.tolist(), ends, strict=True)
            if number < _ODD_NUMBER
        }

    def none(self) -> FieldColumns:
        """No field."""
        return self.take(slice(0, 0))

    def take(self, place: Ints | slice) -> FieldColumns:
        """The fields at these places."""
        return FieldColumns(
            owner=self.owner[place],
            number=self.number[place],
            wire_type=self.wire_type[place],
            start=self.start[place],
            end=self.end[place],
            value=self.value[place],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """The fields that were read and the messages that could not be."""

    fields: FieldColumns
    broken: Bools
    """By message; the fields of a broken one are not to be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Varints:
    """Varints at many places."""

    value: Ints
    end: Ints
    good: Bools


def varints(data: Bytes, at: Ints) -> Varints:
    """The varints that start at these places; one of more than nine bytes is not good (negative numbers have ten)."""
    byte = data[at].astype(np.int64)
    value = byte & 0x7F
    end = at + 1
    more = np.flatnonzero(byte > 0x7F)
    shift = 7
    while more.size and shift < 63:
        byte = data[end[more]].astype(np.int64)
        value[more] |= (byte & 0x7F) << shift
        end[more] += 1
        more = more[byte > 0x7F]
        shift += 7
    good = np.ones(len(at), np.bool_)
    good[more] = False
    return Varints(value=value, end=end, good=good)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heads:
    """The fields that start at some places."""

    tag: Ints
    start: Ints
    stop: Ints
    value: Ints
    good: Bools


def _heads(data: Bytes, at: Ints) -> _Heads:
    tag = varints(data, at)
    wire_type = tag.value & 7
    counted = (wire_type == LENGTH) | (wire_type == VARINT)
    inner = varints(data, tag.end)
    size = _SIZES[wire_type]
    is_length = wire_type == LENGTH
    value = np.where(counted, inner.value, 0)
    start = np.where(is_length, inner.end, tag.end)
    stop = np.where(counted, inner.end, tag.end + size)
    stop[is_length] += value[is_length]
    good = tag.good & (inner.good | ~counted) & (size >= 0) & (value >= 0) & (tag.value > 7)
    return _Heads(tag=tag.value, start=start, stop=stop, value=value, good=good)


def scan(data: Bytes, start: Ints, end: Ints) -> Scanned:
    """The fields of all messages; `data` must go on for `PADDING` bytes after the last one."""
    count = len(start)
    broken = np.zeros(count, np.bool_)
    active = np.flatnonzero(start < end)
    at = start.copy()
    steps: list[list[Any]] = []
    ranks: list[Ints] = []
    counts = np.zeros(count, np.int64)
    while active.size:
        if len(steps) == _MOST_FIELDS:
            broken[active] = True
            break
        place = at[active]
        head = _heads(data, place)
        good = head.good & (head.stop <= end[active]) & (head.stop > place)
        step = [active, head.tag, head.start, head.stop, head.value]
        if not good.all():
            broken[active[~good]] = True
            step = [column[good] for column in step]
            active = step[0]
        steps.append(step)
        ranks.append(counts[active])
        counts[active] += 1
        at[active] = step[3]
        active = active[step[3] < end[active]]
    return Scanned(fields=_in_order(steps, ranks, counts), broken=broken)


def _in_order(steps: list[list[Any]], ranks: list[Ints], counts: Ints) -> FieldColumns:
    """Steps go over all messages; the result goes message by message."""
    first = np.concatenate([[0], np.cumsum(counts)])
    total = int(first[-1])
    columns = [np.empty(total, np.int64) for _ in range(5)]
    for step, rank in zip(steps, ranks, strict=True):
        place = first[step[0]] + rank
        for column, values in zip(columns, step, strict=True):
            column[place] = values
    owner, tag, start, end, value = columns
    return FieldColumns(
        owner=owner, number=tag >> 3, wire_type=tag & 7, start=start, end=end, value=value
    )


def fixed64(data: Bytes, at: Ints) -> Ints:
    """The eight bytes at each place as a signed number."""
    return rows_of(data, at, 8).reshape(-1).view("<i8").astype(np.int64, copy=False)


def rows_of(data: Bytes, at: Ints, width: int) -> Bytes:
    """A few bytes from each place, one row a place."""
    windows = np.lib.stride_tricks.sliding_window_view(data, width)
    return np.ascontiguousarray(windows[at])

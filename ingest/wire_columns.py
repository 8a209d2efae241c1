"""Protobuf's wire format for many messages at once: field by field over all of them, as numpy columns.

Comes in: one buffer and the places of its messages. Goes out: `FieldColumns`, one entry a field in the messages' own
order, and which messages did not look like protobuf. It is `ingest.wire` turned by 90 degrees: one step reads the next
field of every message, so that the interpreter's cost is per step and not per field. It knows no message type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ingest.wire import FIXED32, FIXED64, LENGTH, VARINT

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

PADDING: Final = 32
"""Bytes that must follow the last message in a buffer: reads of fixed width may look past a field's end."""

_MOST_FIELDS: Final = 1024
"""Steps at most: a message with more fields than any real one is left to the slow reader."""


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

    def only(self, chosen: Bools) -> FieldColumns:
        """Some of the fields."""
        return FieldColumns(
            owner=self.owner[chosen],
            number=self.number[chosen],
            wire_type=self.wire_type[chosen],
            start=self.start[chosen],
            end=self.end[chosen],
            value=self.value[chosen],
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
        tag = varints(data, place)
        number, wire_type = tag.value >> 3, tag.value & 7
        inner = varints(data, tag.end)
        is_length, is_varint = wire_type == LENGTH, wire_type == VARINT
        from_here = np.where(is_length | is_varint, inner.end, tag.end)
        size = np.where(is_length, inner.value, 0)
        size[wire_type == FIXED64] = 8
        size[wire_type == FIXED32] = 4
        value_start = np.where(is_varint, tag.end, from_here)
        stop = from_here + size
        known = is_length | is_varint | (wire_type == FIXED64) | (wire_type == FIXED32)
        good = tag.good & known & (inner.good | ~(is_length | is_varint)) & (number > 0)
        good &= (size >= 0) & (stop <= end[active]) & (stop > place)
        broken[active[~good]] = True
        active = active[good]
        value = np.where(is_length | is_varint, inner.value, 0)
        steps.append([active, *(x[good] for x in (number, wire_type, value_start, stop, value))])
        ranks.append(counts[active])
        counts[active] += 1
        at[active] = stop[good]
        active = active[at[active] < end[active]]
    return Scanned(fields=_in_order(steps, ranks, counts), broken=broken)


def _in_order(steps: list[list[Any]], ranks: list[Ints], counts: Ints) -> FieldColumns:
    """Steps go over all messages; the result goes message by message."""
    first = np.concatenate([[0], np.cumsum(counts)])
    total = int(first[-1])
    columns = [np.empty(total, np.int64) for _ in range(6)]
    for step, rank in zip(steps, ranks, strict=True):
        place = first[step[0]] + rank
        for column, values in zip(columns, step, strict=True):
            column[place] = values
    owner, number, wire_type, start, end, value = columns
    return FieldColumns(
        owner=owner, number=number, wire_type=wire_type, start=start, end=end, value=value
    )


def fixed64(data: Bytes, at: Ints) -> Ints:
    """The eight bytes at each place as a signed number."""
    return rows_of(data, at, 8).reshape(-1).view("<i8").astype(np.int64, copy=False)


def rows_of(data: Bytes, at: Ints, width: int) -> Bytes:
    """A few bytes from each place, one row a place."""
    windows = np.lib.stride_tricks.sliding_window_view(data, width)
    return np.ascontiguousarray(windows[at])

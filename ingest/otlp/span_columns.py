"""Protobuf bodies of spans straight to rows of `SPAN_SCHEMA`, as columns.

Comes in: stored bodies, unpacked. Goes out: the table that `ingest.otlp.protobuf` and `span_row` would make, at several times
their speed, and what was refused. A span with anything out of the ordinary (events, links, odd ids or times, values
that repeat a key, damage) is read by `ingest.otlp.protobuf` alone: there is one definition of what a span means, and a property test holds the
two to it. docs/log/0012-decoding.md has the measurements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa

from ingest.errors import BodyRefused
from ingest.otlp.attribute_columns import AttributeColumns, read_attributes
from ingest.otlp.limits import DEFAULT_LIMITS, Limits
from ingest.otlp.protobuf import Block, blocks_of, read_span
from ingest.otlp.record import Arrival, OtlpRecords
from ingest.otlp.text_columns import Column, NotUtf8Error, Slices, arrow, compute, hex_texts
from ingest.otlp.wire import FIXED32, FIXED64, LENGTH, VARINT
from ingest.otlp.wire_columns import (
    PADDING,
    Bools,
    Bytes,
    FieldColumns,
    Ints,
    Room,
    fixed64,
    rows_of,
    scan,
)
from ingest.records.moments import day_of
from ingest.records.quarantine import Rejected
from ingest.records.span import SPAN_SCHEMA, sorted_json, span_row

_NANOSECONDS: Final = 10**17
"""Smaller times are in other units, or missing: `ingest.records.moments` knows."""
_DAY: Final = 86_400 * 10**9
_ATTRIBUTES: Final = 9
_KNOWN: Final = {
    1: LENGTH,
    2: LENGTH,
    3: LENGTH,
    4: LENGTH,
    5: LENGTH,
    6: VARINT,
    7: FIXED64,
    8: FIXED64,
    10: VARINT,
    12: VARINT,
    14: VARINT,
    15: LENGTH,
    16: FIXED32,
}
"""Fields that are read here or mean nothing, with their wire types; any other makes a span out of the ordinary."""
_READ: Final = (1, 2, 4, 5, 6, 7, 8, 10, 12, 15)


@dataclass(slots=True, kw_only=True)
class SpanColumns:
    """What some bodies held."""

    table: pa.Table
    rejected: list[Rejected] = field(default_factory=list)


def read_columns(
    bodies: Sequence[tuple[bytes, Arrival]],
    *,
    limits: Limits = DEFAULT_LIMITS,
    room: Room | None = None,
) -> SpanColumns:
    """The spans of these plain bodies in the order of arrival; raises `BodyRefused` for a body that is no protobuf.

    The table is a copy: the room may be used again at once.
    """
    spans = _Spans()
    for body, arrival in bodies:
        spans.add(body, blocks_of(body, "traces", arrival, limits=limits))
    if spans.size + PADDING >= 1 << 31:
        raise BodyRefused("body_too_large", "The bodies are larger than 2 GiB together.")
    try:
        return _Reader(spans, limits, room or Room()).read()
    except NotUtf8Error:
        # Somewhere a text is damaged; the slow reader finds the span and refuses it alone.
        return _one_by_one(spans, limits)


class _Spans:
    """Where all spans of all bodies lie, in the bodies put end to end."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.blocks: list[Block] = []
        self.size = 0
        self._body_of: list[bytes] = []
        self._starts: list[Ints] = []
        self._ends: list[Ints] = []

    def add(self, body: bytes, blocks: list[Block]) -> None:
        """Put one more body at the end."""
        for block in blocks:
            self.blocks.append(block)
            self._body_of.append(body)
            self._starts.append(np.array(block.bounds.start, np.int64) + self.size)
            self._ends.append(np.array(block.bounds.end, np.int64) + self.size)
        self.bodies.append(body)
        self.size += len(body)

    def start(self) -> Ints:
        """The first byte of each span."""
        return np.concatenate([np.zeros(0, np.int64), *self._starts])

    def end(self) -> Ints:
        """One past the last byte of each span."""
        return np.concatenate([np.zeros(0, np.int64), *self._ends])

    def block(self) -> Ints:
        """The place of each span's block among all."""
        return np.repeat(np.arange(len(self.blocks)), [len(starts) for starts in self._starts])

    def read(self, chosen: Ints, limits: Limits) -> tuple[OtlpRecords, Ints]:
        """Some spans by way of the slow reader, and which of them were not refused."""
        found = OtlpRecords()
        kept: list[int] = []
        block = self.block()
        first = np.concatenate([[0], np.cumsum([len(starts) for starts in self._starts])])
        for index in chosen.tolist():
            before = len(found.spans)
            at = int(block[index])
            read_span(self._body_of[at], self.blocks[at], index - int(first[at]), found, limits)
            kept += [index] * (len(found.spans) - before)
        return found, np.array(kept, np.int64)


def _one_by_one(spans: _Spans, limits: Limits) -> SpanColumns:
    found, _ = spans.read(np.arange(len(spans.start())), limits)
    rows = [span_row(span) for span in found.spans]
    return SpanColumns(table=pa.Table.from_pylist(rows, SPAN_SCHEMA), rejected=found.rejected)


class _Reader:
    """All bodies being read as one buffer."""

    def __init__(self, spans: _Spans, limits: Limits, room: Room) -> None:
        self._spans = spans
        self._limits = limits
        self._data: Bytes = room.put(spans.bodies, spans.size)
        self._buffer = arrow.py_buffer(self._data)

    def read(self) -> SpanColumns:
        """All spans: the ordinary ones as columns, the others one by one, in their order."""
        start = self._spans.start()
        scanned = scan(self._data, start, self._spans.end())
        is_pair = scanned.fields.number == _ATTRIBUTES
        fields = scanned.fields.select(~is_pair)
        pairs = scanned.fields.select(is_pair)
        odd = scanned.broken | _odd_fields(fields, len(start))
        odd[pairs.owner[pairs.wire_type != LENGTH]] = True
        if odd.any():
            pairs = pairs.select(~odd[pairs.owner])
        attributes = read_attributes(self._data, self._buffer, pairs, len(start))
        basic = _Basics(self._data, fields, len(start))
        odd |= attributes.odd | basic.odd
        if not odd.any():
            return SpanColumns(table=self._table(basic, attributes))
        return self._with_odd(basic, attributes, odd)

    def _with_odd(self, basic: _Basics, attributes: AttributeColumns, odd: Bools) -> SpanColumns:
        ordinary = np.flatnonzero(~odd)
        table = self._table(basic, attributes).take(arrow.array(ordinary))
        found, kept = self._spans.read(np.flatnonzero(odd), self._limits)
        others = pa.Table.from_pylist([span_row(span) for span in found.spans], SPAN_SCHEMA)
        order = np.argsort(np.concatenate([ordinary, kept]), kind="stable")
        return SpanColumns(
            table=arrow.concat_tables([table, others]).take(arrow.array(order)),
            rejected=found.rejected,
        )

    def _table(self, basic: _Basics, attributes: AttributeColumns) -> pa.Table:
        each = [block.batch for block in self._spans.blocks]
        of_span = arrow.array(self._spans.block())
        count = len(of_span)
        days, day_index = np.unique(basic.started // _DAY, return_inverse=True)
        empty = arrow.repeat("[]", count)
        columns = {
            "app": arrow.array([b.app for b in each], pa.string()).take(of_span),
            "day": arrow.array([day_of(int(d) * _DAY) for d in days], pa.string()).take(
                arrow.array(day_index)
            ),
            "trace_id": basic.hex(1, 16),
            "span_id": basic.hex(2, 8),
            "parent_id": basic.parents(),
            "name": basic.text(5, self._buffer),
            "kind": arrow.array(basic.number(6).astype(np.int8)),
            "started_at": arrow.array(basic.started),
            "ended_at": arrow.array(np.maximum(basic.started, basic.ended)),
            "status": arrow.array(basic.status_code.astype(np.int8)),
            "status_message": basic.status_text(self._buffer),
            "scope": arrow.array([b.scope for b in each], pa.string()).take(of_span),
            "scope_version": arrow.array([b.scope_version for b in each], pa.string()).take(
                of_span
            ),
            "resource": arrow.array([sorted_json(b.resource) for b in each], pa.string()).take(
                of_span
            ),
            "events": empty,
            "links": empty,
            "dropped": arrow.array((basic.number(10) + basic.number(12)).astype(np.int32)),
            **attributes.columns,
        }
        return pa.table([columns[name] for name in SPAN_SCHEMA.names], schema=SPAN_SCHEMA)


def _odd_fields(fields: FieldColumns, count: int) -> Bools:
    """Spans with an unusual field, or a field twice that should stand once."""
    odd = np.zeros(count, np.bool_)
    usual = np.full(64, -1, np.int64)
    usual[list(_KNOWN)] = list(_KNOWN.values())
    number = np.minimum(fields.number, 63)
    odd[fields.owner[usual[number] != fields.wire_type]] = True
    seen = np.bincount(fields.owner * 64 + number, minlength=count * 64)
    odd |= (seen.reshape(count, 64) > 1).any(axis=1)
    return odd


class _Basics:
    """Everything of a span but its attributes."""

    def __init__(self, data: Bytes, fields: FieldColumns, count: int) -> None:
        self._data = data
        self._count = count
        found = fields.by_number()
        self._of = {number: found.get(number, fields.none()) for number in _READ}
        self.odd = np.zeros(count, np.bool_)
        self._check_id(1, 16)
        self._check_id(2, 8)
        parent = self._of[4]
        self.odd[parent.owner[(parent.end - parent.start != 8) & (parent.end > parent.start)]] = (
            True
        )
        self.started = self._time(7)
        self.ended = self._time(8)
        for number, most in ((6, 127), (10, 1 << 30), (12, 1 << 30)):
            self.odd |= self.number(number) > most
        self._status()

    def _check_id(self, number: int, width: int) -> None:
        one = self._of[number]
        good = one.end - one.start == width
        rows = rows_of(self._data, one.start[good], width)
        good[good] = rows.any(axis=1)
        proper = np.zeros(self._count, np.bool_)
        proper[one.owner[good]] = True
        self.odd |= ~proper

    def _time(self, number: int) -> Ints:
        one = self._of[number]
        good = one.wire_type == FIXED64
        times = np.zeros(self._count, np.int64)
        times[one.owner[good]] = fixed64(self._data, one.start[good])
        self.odd |= times < _NANOSECONDS
        return times

    def _status(self) -> None:
        one = self._of[15]
        inner = scan(self._data, one.start, one.end)
        self.odd[one.owner[inner.broken]] = True
        code = inner.fields.number == 3
        text = inner.fields.number == 2
        usual = (code & (inner.fields.wire_type == VARINT) & (inner.fields.value < 128)) | (
            text & (inner.fields.wire_type == LENGTH)
        )
        owner = one.owner[inner.fields.owner]
        self.odd[owner[~usual]] = True
        self.odd |= np.bincount(owner[code], minlength=self._count) > 1
        self.odd |= np.bincount(owner[text], minlength=self._count) > 1
        self.status_code = np.zeros(self._count, np.int64)
        self.status_code[owner[code]] = inner.fields.value[code]
        self._status_text = inner.fields.select(text)
        self._status_owner = owner[text]

    def number(self, number: int) -> Ints:
        """A varint field; 0 where it is not there."""
        one = self._of[number]
        values = np.zeros(self._count, np.int64)
        values[one.owner] = one.value
        return values

    def hex(self, number: int, width: int) -> Column:
        """An id as hex; the ids of spans that are out of the ordinary are any."""
        one = self._of[number]
        rows = np.zeros((self._count, width), np.uint8)
        rows[one.owner] = rows_of(self._data, one.start, width)
        return hex_texts(rows)

    def parents(self) -> Column:
        """The parent's id; null where there is none."""
        one = self._of[4]
        rows = np.zeros((self._count, 8), np.uint8)
        given = one.end - one.start == 8
        rows[one.owner[given]] = rows_of(self._data, one.start[given], 8)
        texts = hex_texts(rows)
        none = arrow.array(~rows.any(axis=1))
        return compute.if_else(none, arrow.scalar(None, pa.string()), texts)

    def text(self, number: int, buffer: pa.Buffer) -> Column:
        """A text field; empty where it is not there."""
        one = self._of[number]
        return _text_column(buffer, one, one.owner, self._count)

    def status_text(self, buffer: pa.Buffer) -> Column:
        """The status' message."""
        return _text_column(buffer, self._status_text, self._status_owner, self._count)


def _text_column(buffer: pa.Buffer, one: FieldColumns, owner: Ints, count: int) -> Column:
    length = one.wire_type == LENGTH
    if not length.any():
        return arrow.repeat("", count)
    places = np.arange(int(length.sum()), dtype=np.int64)
    slices = Slices(buffer, one.start[length], one.end[length])
    return slices.scatter(owner[length], places, count).fill_null("")

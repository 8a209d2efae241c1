"""How many values a body holds, counted before anything is parsed: what a parser allocates grows with them, not with bytes.

Comes in: a plain body. Goes out: nothing, or `BodyRefused`. An empty list is 3 bytes of JSON
and 64 of memory, an empty attribute 2 bytes of protobuf and 300. Counting builds nothing and stops at the limit. What is valid, the parsers say.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ingest.errors import BodyRefused
from ingest.otlp.limits import Limits
from ingest.otlp.wire import FIXED32, FIXED64, LENGTH, VARINT, BrokenWireError, varint

_CHUNK: Final = 1 << 20
_OPENERS: Final = b",[{"
"""A value of JSON follows each of these, outside texts."""
_DEEPEST: Final = 128
"""Messages inside each other; upb refuses a record at 100."""

_Message = dict[int, "_Message"]
"""The tags of a message's fields that hold messages, with what those hold."""


def _tag(number: int) -> int:
    return number << 3 | LENGTH


def _messages(signal: str) -> _Message:
    """OTLP's messages as far as they hold others; attributes and values hold each other without end."""
    value: _Message = {}
    pair: _Message = {_tag(2): value}
    value[_tag(5)] = {_tag(1): value}
    value[_tag(6)] = {_tag(1): pair}
    span = {_tag(9): pair, _tag(11): {_tag(3): pair}, _tag(13): {_tag(4): pair}}
    record = span if signal == "traces" else {_tag(5): value, _tag(6): pair}
    scope = {_tag(1): {_tag(3): pair}, _tag(2): record}
    return {_tag(1): {_tag(1): {_tag(1): pair, _tag(3): {}}, _tag(2): scope}}


_HELD: Final = {signal: _messages(signal) for signal in ("traces", "logs")}


def check_json(text: bytes, limits: Limits) -> None:
    """Refuse JSON of more values than one body may hold."""
    if (
        len(text) <= limits.values
        or sum(text.count(opener) for opener in _OPENERS) <= limits.values
    ):
        return  # also the commas within texts are few enough
    if _json_values(text, limits.values) > limits.values:
        raise _too_many(limits.values, "values")


def check_protobuf(body: bytes, signal: str, limits: Limits) -> None:
    """Refuse protobuf of more fields than one body may hold; raises `BrokenWireError` for damage before the limit."""
    # A field takes two bytes or more.
    if len(body) > 2 * limits.fields and _fields(body, signal, limits.fields) > limits.fields:
        raise _too_many(limits.fields, "fields")


def _too_many(limit: int, what: str) -> BodyRefused:
    return BodyRefused(
        "too_many_values", f"The body holds more than {limit} {what}; send smaller batches."
    )


def _json_values(text: bytes, limit: int) -> int:
    """How many openers stand outside texts; stops past the limit."""
    total = at = 0
    within = False
    while at < len(text) and total <= limit:
        chunk = text[at : at + _CHUNK]
        if (len(chunk) - len(chunk.rstrip(b"\\"))) % 2 and len(chunk) > 1:
            chunk = chunk[:-1]  # what it escapes stands in the next one
        at += len(chunk)
        bare = chunk.replace(b"\\\\", b"").replace(b'\\"', b"")
        here = np.frombuffer(bare, np.uint8)
        inside = np.logical_xor.accumulate(here == ord('"')) ^ within
        opens = np.isin(here, np.frombuffer(_OPENERS, np.uint8))
        total += int(np.count_nonzero(opens & ~inside))
        within = bool(inside[-1]) if len(inside) else within
    return total


def _fields(body: bytes, signal: str, limit: int) -> int:
    """How many fields stand in all messages; stops past the limit."""
    around: list[tuple[int, int, _Message]] = []
    at, end, held = 0, len(body), _HELD.get(signal, {})
    total = 0
    while total <= limit:
        while at >= end:
            if not around:
                return total
            at, end, held = around.pop()
        total += 1
        tag = body[at]
        # Nearly every tag and length is one byte; a call for each would cost more than everything else.
        if tag < 0x80 and tag & 7 == LENGTH and at + 1 < end and body[at + 1] < 0x80:
            at, stop = at + 2, at + 2 + body[at + 1]
        else:
            tag, at, stop = _field(body, at, end)
        if stop > end:
            raise BrokenWireError("field runs past its message")
        inner = held.get(tag) if at < stop else None
        if inner is None or len(around) == _DEEPEST:
            at = stop
        else:
            around.append((stop, end, held))
            end, held = stop, inner
    return total


def _field(body: bytes, at: int, end: int) -> tuple[int, int, int]:
    """A field's tag, and where its value starts and stops."""
    tag, at = varint(body, at, end)
    wire_type = tag & 7
    if wire_type == LENGTH:
        size, at = varint(body, at, end)
        return tag, at, at + size
    if wire_type == VARINT:
        return tag, at, varint(body, at, end)[1]
    if wire_type in {FIXED64, FIXED32}:
        return tag, at, at + (8 if wire_type == FIXED64 else 4)
    raise BrokenWireError("group or unknown wire type")

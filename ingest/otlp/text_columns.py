"""Slices of one buffer as Arrow texts, and attributes as JSON text, without a Python object for each.

Comes in: the buffer, and where its values lie. Goes out: Arrow arrays. Not here: what the values mean.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from ingest.otlp.wire_columns import Bools, Bytes, Ints

arrow: Final[Any] = pa
compute: Final[Any] = pc
"""Untyped on purpose: the stubs know no numpy arguments and no mixed ones. The property test checks what they cannot."""

Column = Any
"""An Arrow array."""

_HEX: Final = np.frombuffer(b"".join(b"%02x" % n for n in range(256)), dtype="<u2")
_ESCAPED: Final = np.zeros(256, np.bool_)
_ESCAPED[:0x20] = _ESCAPED[[0x22, 0x5C]] = True
"""Bytes that JSON text cannot hold as they are."""


class NotUtf8Error(ValueError):
    """A text that is no UTF-8."""


class Slices:
    """Values of one buffer, as one Arrow array: even places are the values, odd ones what lies between them."""

    def __init__(self, buffer: pa.Buffer, start: Ints, end: Ints) -> None:
        # Must ascend without overlap: then offsets need no copy of the bytes.
        bounds = np.empty(2 * len(start) + 1, np.int64)
        bounds[0:-1:2], bounds[1::2] = start, end
        bounds[-1] = end[-1] if len(end) else 0
        offsets = arrow.py_buffer(bounds.astype(np.int32))
        self._all = arrow.Array.from_buffers(pa.binary(), 2 * len(start), [None, offsets, buffer])

    def take(self, chosen: Ints) -> Column:
        """Some values, as texts."""
        return as_text(self._all.take(arrow.array(chosen * 2)))

    def take_binary(self, chosen: Ints) -> Column:
        """Some values, as bytes."""
        return self._all.take(arrow.array(chosen * 2))

    def scatter(self, rows: Ints, chosen: Ints, count: int) -> Column:
        """A column of `count` rows: the chosen values in their rows, null elsewhere."""
        index = np.zeros(count, np.int64)
        missing = np.ones(count, np.bool_)
        index[rows] = chosen * 2
        missing[rows] = False
        return as_text(self._all.take(arrow.array(index, mask=missing)))


def as_text(values: Column) -> Column:
    """Bytes as text, checked."""
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid as error:
        raise NotUtf8Error("a text is not valid UTF-8") from error


def hex_texts(rows: Bytes) -> Column:
    """Each row of bytes as lower-case hex."""
    count, width = rows.shape
    offsets = np.arange(count + 1, dtype=np.int32) * (2 * width)
    digits = np.ascontiguousarray(_HEX[rows])
    return arrow.Array.from_buffers(
        pa.string(), count, [None, arrow.py_buffer(offsets), arrow.py_buffer(digits)]
    )


def quoted(texts: Column) -> Column:
    """Each text as a JSON string."""
    plain = compute.binary_join_element_wise('"', texts, '"', "")
    odd = np.flatnonzero(_needs_escape(texts))
    if not len(odd):
        return plain
    escaped = [orjson.dumps(text).decode() for text in texts.take(arrow.array(odd)).to_pylist()]
    mask = np.zeros(len(texts), np.bool_)
    mask[odd] = True
    return compute.replace_with_mask(plain, arrow.array(mask), arrow.array(escaped, pa.string()))


def _needs_escape(texts: Column) -> Bools:
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    held = np.frombuffer(content, np.uint8) if content is not None else np.zeros(0, np.uint8)
    places = np.flatnonzero(_ESCAPED[held[bounds[0] : bounds[-1]]]) + bounds[0]
    hit = np.zeros(len(texts), np.bool_)
    hit[np.searchsorted(bounds, places, side="right") - 1] = True
    return hit


def objects(owner: Ints, members: Column, count: int) -> Column:
    """JSON objects: the members `"key":value` of each owner, which must ascend, in braces."""
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))])
    lists = arrow.ListArray.from_arrays(arrow.array(offsets.astype(np.int32)), members)
    return compute.binary_join_element_wise("{", compute.binary_join(lists, ","), "}", "")

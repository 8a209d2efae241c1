"""Attributes of many spans at once: promoted columns, and the rest as JSON text.

Comes in: the places of the key-value messages. Goes out: columns, and which spans are out of the ordinary (a key
twice, damaged pairs, negative numbers). Values that are neither text, whole numbers nor truth (lists, maps, bytes, fractions) are read by
`ingest.otlp.protobuf`, each distinct one once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from ingest.otlp.protobuf import value_text
from ingest.otlp.text_columns import Column, Slices, arrow, as_text, compute, objects, quoted
from ingest.otlp.wire_columns import Bools, Bytes, FieldColumns, Ints, varints
from ingest.records.span import PROMOTED_COUNTS, PROMOTED_TEXTS, column_of, sorted_json

_KEY: Final = 0x0A
_VALUE: Final = 0x12
_TEXT: Final = 0x0A
_BOOL: Final = 0x10
_INT: Final = 0x18
_BYTES: Final = 0x3A
_PROMOTED: Final = frozenset({*PROMOTED_TEXTS, *PROMOTED_COUNTS})


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeColumns:
    """What the attributes say, by span."""

    columns: dict[str, Column]
    odd: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs:
    """Key-value pairs in the layout that every encoder writes: key, then value, then nothing."""

    owner: Ints
    key_start: Ints
    key_end: Ints
    tag: Ints
    """The first byte of the value's message, which names its type; 0 where there is none."""
    start: Ints
    """Of a text: its bytes. Of any other value: its whole message."""
    end: Ints
    number: Ints
    """Of whole numbers and truth."""


def read_attributes(
    data: Bytes, buffer: pa.Buffer, keys: FieldColumns, count: int
) -> AttributeColumns:
    """Read the pairs at these places."""
    odd = np.zeros(count, np.bool_)
    pairs = _pairs(data, keys, odd)
    names, code = _names(buffer, pairs)
    slices = Slices(buffer, pairs.start, pairs.end)
    rest = np.ones(len(code), np.bool_)
    columns: dict[str, Any] = {}
    code_of = {name: index for index, name in enumerate(names)}
    for name in PROMOTED_TEXTS:
        here = _pairs_named(pairs, code, code_of.get(name), _TEXT)
        odd |= _repeats(pairs.owner[here], count)
        rest[here] = False
        columns[column_of(name)] = _texts(slices, pairs.owner[here], here, count)
    for name in PROMOTED_COUNTS:
        here = _pairs_named(pairs, code, code_of.get(name), _INT)
        odd |= _repeats(pairs.owner[here], count)
        rest[here] = False
        numbers = np.zeros(count, np.int64)
        missing = np.ones(count, np.bool_)
        numbers[pairs.owner[here]] = pairs.number[here]
        missing[pairs.owner[here]] = False
        columns[column_of(name)] = arrow.array(numbers, mask=missing)
    # The same key once as a column and once among the rest is a repetition as well.
    promoted = np.array([name in _PROMOTED for name in names], np.bool_)
    odd[_mixed(pairs, code, rest, promoted)] = True
    # Bytes become text on their way, so theirs is the column; too rare to be fast.
    data_in = np.flatnonzero(pairs.tag == _BYTES)
    odd[pairs.owner[data_in[promoted[code[data_in]]]]] = True
    columns["attributes"] = _other_attributes(slices, pairs, _Names(names, code), rest, odd)
    return AttributeColumns(columns=columns, odd=odd)


def _pairs(data: Bytes, keys: FieldColumns, odd: Bools) -> _Pairs:
    at, stop = keys.start, keys.end
    last = len(data) - 1
    key_length = varints(data, np.minimum(at + 1, last))
    key_end = key_length.end + key_length.value
    good = (data[at] == _KEY) & key_length.good & (key_end <= stop)
    value_at = np.where(good, key_end, at)
    bare = good & (value_at == stop)
    length = varints(data, np.minimum(value_at + 1, last))
    start = np.where(bare, stop, length.end)
    good &= bare | ((data[value_at] == _VALUE) & length.good & (length.end + length.value == stop))
    tag = np.where(good & (start < stop), data[np.minimum(start, last)], 0)
    inner = varints(data, np.minimum(start + 1, last))
    text, whole = tag == _TEXT, (tag == _INT) | (tag == _BOOL)
    good &= ~text | (inner.good & (inner.end + inner.value == stop))
    # A ten-byte number is negative; the slow reader says which.
    good &= ~whole | (inner.good & (inner.end == stop))
    odd[keys.owner[~good]] = True
    fine = good & ~odd[keys.owner]
    return _Pairs(
        owner=keys.owner[fine],
        key_start=key_length.end[fine],
        key_end=key_end[fine],
        tag=tag[fine],
        start=np.where(text, inner.end, start)[fine],
        end=stop[fine],
        number=np.where(whole, inner.value, 0)[fine],
    )


def _names(buffer: pa.Buffer, pairs: _Pairs) -> tuple[list[str], Ints]:
    """The distinct keys in the order in which JSON has them, and each pair's place among them."""
    places = np.arange(len(pairs.owner), dtype=np.int64)
    keys = Slices(buffer, pairs.key_start, pairs.key_end).take_binary(places).dictionary_encode()
    names: list[str] = as_text(keys.dictionary).to_pylist()
    order = sorted(range(len(names)), key=lambda index: names[index])
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    codes = keys.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return [names[index] for index in order], rank[codes] if len(codes) else codes


def _pairs_named(pairs: _Pairs, code: Ints, wanted: int | None, tag: int) -> Ints:
    if wanted is None:
        return np.zeros(0, np.int64)
    return np.flatnonzero((code == wanted) & (pairs.tag == tag))


def _repeats(owner: Ints, count: int) -> Bools:
    return np.bincount(owner, minlength=count) > 1


def _mixed(pairs: _Pairs, code: Ints, rest: Bools, promoted: Bools) -> Ints:
    """Owners with the same key once as a column and once, as another type, among the rest."""
    stray = np.flatnonzero(rest)
    stray = stray[promoted[code[stray]]]
    if not len(stray):
        return stray
    width = int(code.max()) + 1
    named = pairs.owner * width + code
    return pairs.owner[stray[np.isin(named[stray], named[~rest])]]


def _texts(slices: Slices, owner: Ints, chosen: Ints, count: int) -> Column:
    if not len(chosen):
        return arrow.nulls(count, pa.string())
    return slices.scatter(owner, chosen, count)


class _Names:
    """Keys, and each pair's place among them."""

    def __init__(self, names: list[str], code: Ints) -> None:
        self.texts = arrow.array([sorted_json(name) + ":" for name in names], pa.string())
        self.code = code


def _other_attributes(
    slices: Slices, pairs: _Pairs, names: _Names, rest: Bools, odd: Bools
) -> Column:
    """The pairs without a column, as one JSON object a span with its keys in order."""
    chosen = np.flatnonzero(rest)
    chosen = chosen[np.lexsort((names.code[chosen], pairs.owner[chosen]))]
    owner, code = pairs.owner[chosen], names.code[chosen]
    again = np.flatnonzero((owner[1:] == owner[:-1]) & (code[1:] == code[:-1]))
    odd[owner[again]] = True
    tag = pairs.tag[chosen]
    readers: tuple[tuple[int, Callable[[Ints], Column]], ...] = (
        (_TEXT, lambda at: quoted(slices.take(at))),
        (_INT, lambda at: arrow.array(pairs.number[at]).cast(pa.string())),
        (_BOOL, lambda at: compute.if_else(arrow.array(pairs.number[at] != 0), "true", "false")),
    )
    places = [np.flatnonzero(tag == wanted) for wanted, _ in readers]
    members = [read(chosen[at]) for (_, read), at in zip(readers, places, strict=True)]
    others = np.flatnonzero((tag != _TEXT) & (tag != _INT) & (tag != _BOOL))
    places.append(others)
    members.append(_value_texts(slices, chosen[others], owner[others], odd))
    order = np.empty(len(chosen), np.int64)
    order[np.concatenate(places)] = np.arange(len(chosen))
    values = arrow.concat_arrays(members).take(arrow.array(order))
    keyed = compute.binary_join_element_wise(names.texts.take(arrow.array(code)), values, "")
    return objects(owner, keyed, len(odd))


def _value_texts(slices: Slices, chosen: Ints, owner: Ints, odd: Bools) -> Column:
    """Lists, maps, bytes, fractions and nothing: each distinct one is read once."""
    encoded = slices.take_binary(chosen).dictionary_encode()
    texts = [value_text(raw) for raw in encoded.dictionary.to_pylist()]
    index = encoded.indices.to_numpy(zero_copy_only=False)
    unread = np.array([text is None for text in texts], np.bool_)
    odd[owner[unread[index]]] = True
    return arrow.array([text or "null" for text in texts], pa.string()).take(encoded.indices)

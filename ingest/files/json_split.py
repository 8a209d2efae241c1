"""JSON documents record by record, at bounded memory: what is too large, or breaks off, to be read as one value.

Comes in: a JSON text that can be opened again, and who knows a record when they see one. Goes out: `Part`s, one a record, each a
document of its own with what enclosed it, and at most one `Break` where the text ends too early or is no JSON any more.
The records are the elements of a list, at the top or below a key, or several values one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, Any, Final

import ijson

from ingest.records.text import Json

_TRIES: Final = 3
"""Elements of a list that are looked at before it is passed over: the first may be a header."""
_ITEM: Final = "item"
"""What ijson calls an element of a list in the path that leads to it."""
_DEEPEST: Final = 4
_MOST_AROUND: Final = 1 << 20
"""Characters of what encloses the records: it is repeated with each of them."""
_NO_NUMBER: Final = re.compile(rb"-?\b(?:NaN|Infinity)\b")
_OPENS: Final = frozenset({"start_map", "start_array"})
_CLOSES: Final = frozenset({"end_map", "end_array"})

Open = Callable[[], AbstractContextManager[IO[bytes]]]
Event = tuple[str, str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One record."""

    number: int
    """From 1."""
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Where a text stops being JSON."""

    after: int
    """How many records stand before it."""
    is_cut: bool
    """Whether the text just ends; otherwise something in it is no JSON."""
    is_utf8: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordsPlace:
    """Where in a document its records are."""

    path: str
    """As ijson has it; empty for values one after the other."""
    around: dict[str, Any]


Knows = Callable[[Json, Json, str], bool]
"""Whether somebody can read an element of a list by itself: the element, the document that holds only it, the list's key."""


def split(opened: Open, knows: Knows, *, limit: int) -> Iterator[Part | Break]:
    """The records of a document; nothing where it holds none that `knows` knows. No record may be larger than `limit`."""
    where = _find_records(opened, knows, limit)
    if where is None:
        return
    number = 0
    with opened() as stream:
        try:
            for item in ijson.items(stream, where.path, use_float=True, multiple_values=True):
                number += 1
                yield Part(number=number, value=_enclosed(item, where))
        except ijson.IncompleteJSONError as error:
            yield Break(after=number, is_cut=_is_cut(error), is_utf8=_is_utf8(error))
        except (ijson.JSONError, ValueError, OverflowError) as error:
            yield Break(after=number, is_cut=False, is_utf8=_is_utf8(error))


def may_begin_json(text: bytes) -> bool:
    """Whether a text is JSON as far as it goes: it may end anywhere, also within a word or a number."""
    # The pushed parser is never told that the text ends; it knows no NaN, which other readers of JSON do.
    parser = ijson.basic_parse_coro(ijson.sendable_list(), multiple_values=True)
    try:
        parser.send(_NO_NUMBER.sub(b"0", text))
    except (ijson.JSONError, ValueError, OverflowError):
        return False
    return True


def _is_cut(error: Exception) -> bool:
    # ijson raises one class for both; its parser's own message tells them apart.
    return ("lexical error" not in str(error) and "parse error" not in str(error)) or (
        "premature EOF" in str(error)
    )


def _is_utf8(error: Exception) -> bool:
    return not isinstance(error, UnicodeDecodeError) and "UTF8" not in str(error)


def _enclosed(item: Json, where: _RecordsPlace) -> Json:
    """A record with what enclosed it, as a document of the same layout that holds one record."""
    *keys, last = where.path.split(".") if where.path else [""]
    if not keys:
        return item
    whole = dict(where.around)
    inner = whole
    for key in keys[:-1]:
        below = inner.get(key)
        inner[key] = inner = dict(below) if isinstance(below, dict) else {}
    inner[keys[-1]] = [item] if last == _ITEM else item
    return whole


def _find_records(opened: Open, knows: Knows, limit: int) -> _RecordsPlace | None:
    with opened() as stream:
        first = _first_value(stream, limit)
    if isinstance(first, dict) and knows(first, first, ""):
        return _RecordsPlace(path="", around={})
    with opened() as stream:
        try:
            return _search(stream, knows, limit)
        except (ijson.JSONError, ValueError, OverflowError):
            return None


def _first_value(stream: IO[bytes], limit: int) -> Json:
    """The first of several values; None where there is one only, or it is larger than the limit."""
    try:
        events = ijson.parse(stream, use_float=True, multiple_values=True)
        value = _build_value(events, next(events), limit)
        return value if next(events, None) is not None else None
    except (ijson.JSONError, StopIteration, ValueError, OverflowError):
        return None


def _search(stream: IO[bytes], knows: Knows, limit: int) -> _RecordsPlace | None:
    """The list whose elements are records: the first of which somebody knows an element."""
    around: dict[str, Any] = {}
    room = _MOST_AROUND
    tries: dict[str, int] = {}
    events = ijson.parse(stream, use_float=True, multiple_values=True)
    for event in events:
        path, kind, value = event
        keys = path.split(".")
        if kind in _OPENS and keys[-1] == _ITEM and _ITEM not in keys[:-1]:
            tries[path] = tries.get(path, 0) + 1
            if tries[path] > _TRIES or len(keys) > _DEEPEST:
                continue
            item = _build_value(events, event, limit)
            where = _RecordsPlace(path=path, around=around)
            key = keys[-2] if len(keys) > 1 else ""
            if item is not None and knows(item, _enclosed(item, where), key):
                return where
        elif _ITEM not in keys and kind not in {*_OPENS, *_CLOSES, "map_key"} and path:
            room -= len(path) + (len(value) if isinstance(value, str) else 8)
            if room > 0:
                _put(around, keys, value)
    return None


def _put(around: dict[str, Any], keys: list[str], value: Json) -> None:
    inner = around
    for key in keys[:-1]:
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            return
    inner[keys[-1]] = value


def _build_value(events: Iterator[Event], opening: Event, limit: int) -> Json:
    """The value that begins with an event; None where it is larger than the limit, and then passed over."""
    builder: Any = ijson.ObjectBuilder()
    size = depth = 0
    event: Event | None = opening
    while event is not None:
        _, kind, value = event
        size += len(value) if isinstance(value, str) else 8
        if size <= limit:
            builder.event(kind, value)
        depth += (kind in _OPENS) - (kind in _CLOSES)
        if depth == 0:
            return builder.value if size <= limit else None
        event = next(events, None)
    return None

"""Records as Python or JSON writes them, alone (`{'id': 7, 'open': True}`) or inside a sentence (`Added: {'id': 7}`), and the same as JSON.

Goes in: a result's text. Comes out: JSON, and back, byte for byte. Many tool wrappers send `str(result)`, which no JSON reader takes, and many
backends put `str(record)` or its JSON into a message: inside a world it is a record like any other, one inside a sentence beside that sentence with
a hole. Not here: which tools write so (`synth.world.views.text_records`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from ..task.attempt import Json
from ..values.json_text import Writer, writer
from ..values.literals import parse_json
from ..values.mentions import fields_in
from ..values.normal import HOLE, is_number, is_whole
from .result_forms import ResultForm

MAX_LENGTH: Final = 200_000
"""Characters; Python's reader takes some hundred bytes for each."""
_ODD: Final = re.compile(r"(?<!\\)(?:\\\\)*\\[^\\'\"nrtxuU]")
"""Escapes that `repr` never writes; Python warns of some."""
TEXT: Final = "\x0etext"
"""The key of a sentence; no backend writes the sign."""
_PYTHON: Final = "\x0epython"
_JSON: Final = "\x0ejson"
_WRITERS: Final[Mapping[str, Callable[[Json], str]]] = {_PYTHON: repr, _JSON: json.dumps}
"""By the key of a record, how it is written."""
_MARK: Final = json.dumps(TEXT)
"""The key as every JSON text has it."""
_START: Final = re.compile(r"\[?\{['\"]")
_LAYOUTS: Final = tuple(
    writer(separators=separators, ascii_only=ascii_only, sort_keys=False, indent=indent)
    for ascii_only in (True, False)
    for separators, indent in (((", ", ": "), None), ((",", ":"), None), ((",", ": "), 2))
)


class Literal(ResultForm):
    """Tools whose records and lists are written so."""

    __slots__ = ()

    def unwrap(self, tool: str, content: str) -> str:  # noqa: ARG002 - one form for all tools
        """A result as JSON."""
        return from_literal(content)

    def wrap(self, tool: str, inner: str) -> str:  # noqa: ARG002 - as above
        """An answer as the tool writes it."""
        return to_literal(inner)


def from_literal(content: str) -> str:
    """The JSON of a record or list as Python writes it; any other text as it is."""
    value = literal(content)
    return content if value is None else json.dumps(value)


def to_literal(content: str) -> str:
    """A record or list in JSON as Python writes it; any other text as it is."""
    parsed = parse_json(content)
    return repr(parsed.value) if parsed and isinstance(parsed.value, dict | list) else content


def literal(content: str) -> Json:
    """The record or list that a text is, written by Python's `repr`; None for all else, what JSON has no word for too."""
    head, end = content[:1], content[-1:]
    if (head, end) not in {("{", "}"), ("[", "]")} or len(content) > MAX_LENGTH:
        return None
    if _ODD.search(content):
        return None
    try:
        value: object = ast.literal_eval(content)
        parsed = parse_json(json.dumps(value, allow_nan=False))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return parsed.value if parsed is not None and repr(parsed.value) == content else None


class Embedded(ResultForm):
    """Tools that write so, each with the fields whose numbers it writes with a decimal point."""

    __slots__ = ("_decimals",)

    def __init__(self, decimals: Mapping[str, frozenset[str]]) -> None:
        self._decimals = decimals
        super().__init__(decimals)

    def unwrap(self, tool: str, content: str) -> str:  # noqa: ARG002 - one form for all tools
        """A result with its records opened."""
        return open_records(content)

    def wrap(self, tool: str, inner: str) -> str:
        """An answer as the tool writes it."""
        return close_records(inner, self._decimals[tool])


def open_records(content: str) -> str:
    """A result in which records inside sentences are JSON; any other text as it is."""
    parsed = parse_json(content)
    if parsed is None:
        told = _opened(content)
        return content if told is None else json.dumps(told)
    return _with_values(content, parsed.value, lambda value: _opened(value) or value)


def close_records(content: str, decimals: frozenset[str]) -> str:
    """The same as the tool writes it; `decimals` are fields whose whole numbers have a decimal point."""
    parsed = parse_json(content) if _MARK in content else None
    if parsed is None:
        return content
    whole = _closed(parsed.value, decimals)
    if isinstance(whole, str):
        return whole
    return _with_values(content, parsed.value, lambda value: _closed(value, decimals))


def decimal_fields(content: str) -> Iterator[tuple[str, bool]]:
    """The fields of opened records that hold numbers, each with whether it has a decimal point."""
    parsed = parse_json(content)
    for value in _texts_of(parsed.value) if parsed is not None else ():
        if isinstance(value, dict) and TEXT in value:
            for path, leaf in fields_in(value):
                if is_number(leaf) and path[-1] is not None:
                    yield path[-1], isinstance(leaf, float)


def _texts_of(value: Json) -> Iterator[Json]:
    yield value
    if isinstance(value, dict):
        yield from value.values()


def _opened(value: Json) -> Json:
    """A sentence and the record in it; None where a value is no such text."""
    begin = _START.search(value) if isinstance(value, str) else None
    if begin is None or not isinstance(value, str) or HOLE in value:
        return None
    at = begin.start()
    end = value.rfind("]" if value[at] == "[" else "}") + 1
    inner = value[at:end]
    if inner == value:
        return None
    said = value[:at] + HOLE + value[end:]
    told = literal(inner)
    if told is not None:
        return {TEXT: said, _PYTHON: told}
    parsed = parse_json(inner)
    if parsed is None or json.dumps(parsed.value) != inner:
        return None
    return {TEXT: said, _JSON: parsed.value}


def _closed(value: Json, decimals: frozenset[str]) -> Json:
    """The text of a sentence and its record; any other value as it is."""
    said = value.get(TEXT) if isinstance(value, dict) else None
    if not isinstance(said, str) or not isinstance(value, dict):
        return value
    for key, write in _WRITERS.items():
        if key in value:
            return said.replace(HOLE, write(_with_decimals(value[key], decimals)))
    return value


def _with_decimals(value: Json, decimals: frozenset[str]) -> Json:
    if isinstance(value, list):
        return [_with_decimals(item, decimals) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: float(item) if name in decimals and is_whole(item) else _with_decimals(item, decimals)
        for name, item in value.items()
    }


def _with_values(content: str, value: Json, change: Callable[[Json], Json]) -> str:
    """A JSON record in its own layout with other values; unchanged where its layout is none of the usual ones."""
    if not isinstance(value, dict):
        return content
    told = {name: change(item) for name, item in value.items()}
    write = _layout_of(content, value) if told != value else None
    return content if write is None else write(told)


def _layout_of(content: str, value: Json) -> Writer | None:
    return next((write for write in _LAYOUTS if write(value) == content), None)

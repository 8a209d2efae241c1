"""JSON and Python literals read from text, bounded: nothing here evaluates code.

Goes in: a text. Comes out: the value, or nothing where the text is no such literal or one that is too deep or too long.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from ..task.attempt import Json
from .json_text import halved, nested_deeper

MAX_DEPTH: Final = 60
"""Deeper nesting than this is text, not data."""
MAX_DIGITS: Final = 100
"""Digits of one whole number; a number with more is text, not data."""
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
LITERALS: Final[Mapping[str, Json]] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}


class NotLiteralError(ValueError):
    """The text is not one JSON or Python literal."""


def object_in(value: Json) -> dict[str, Json] | None:
    """An object, also one that was sent as JSON text."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        parsed = parse_json(value)
        value = None if parsed is None else parsed.value
    return value if isinstance(value, dict) else None


def parse_arguments(arguments: Mapping[str, Json] | str) -> dict[str, Json] | None:
    """The arguments as a dictionary; None when the text is not a JSON object."""
    if not isinstance(arguments, str):
        return dict(arguments)
    if not arguments.strip():
        return {}
    parsed = parse_json(arguments)
    return parsed.value if parsed is not None and isinstance(parsed.value, dict) else None


class Parsed:
    """A value that was really there: tells JSON `null` from "not JSON"."""

    __slots__ = ("value",)

    def __init__(self, value: Json) -> None:
        self.value = value


def _refuse_constant(text: str) -> Json:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    """A float; `1e999` would be read as infinity, which nothing can write again."""
    value = float(text)
    if value in _INFINITE:
        raise ValueError(f"{text} is beyond every float")
    return value


def _whole_number(text: str) -> int:
    """A whole number; one of more digits overflows a float wherever it is compared or added up."""
    if len(text) > MAX_DIGITS:
        raise ValueError("a number has too many digits")
    return int(text)


_INFINITE: Final = (float("inf"), float("-inf"))
SPACE: Final = " \t\n\r"
DECODER: Final = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_finite, parse_int=_whole_number
)
"""Raises `ValueError` where a text is no strict JSON; made once: `json.loads` makes one for every text."""


def parse_json(text: str) -> Parsed | None:
    """The JSON value of a text, else None.

    NaN, infinities, numbers of more than `MAX_DIGITS`, what is nested deeper than `MAX_DEPTH` and halves of characters are not JSON.
    """
    try:
        # Looking for white space around a text costs as much as reading a short one.
        value, end = (None, -1) if text[:1] in SPACE else DECODER.raw_decode(text)
        if end != len(text):
            value = DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    # All that looks into values recurses: one deep result would stop the learning of an app.
    if text.count("[") + text.count("{") > MAX_DEPTH and nested_deeper(value, MAX_DEPTH):
        return None
    return None if halved(text, value) else Parsed(value)


def parse_literal(text: str) -> Json:
    """The value of one JSON or Python literal (either quote, either spelling of true and none)."""
    reader = _LiteralReader(text)
    value = reader.value(0)
    reader.skip()
    if reader.at != len(text):
        raise NotLiteralError("trailing text")
    return value


def character_of(digits: str) -> str:
    """The character of a hexadecimal code; `ValueError` for half of one."""
    code = int(digits, 16)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError("half of a character")
    return chr(code)


class _LiteralReader:
    """A cursor over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self) -> str:
        self.skip()
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> Json:
        first = self.peek()
        if depth > MAX_DEPTH or not first:
            raise NotLiteralError("nothing to read, or nested too deep")
        if first in "[(":
            return list(self._items("]" if first == "[" else ")", depth))
        if first == "{":
            return dict(self._pairs(depth))
        return self._string(first) if first in "'\"" else self._word()

    def _items(self, end: str, depth: int) -> Iterator[Json]:
        self.at += 1
        while self.peek() != end:
            yield self.value(depth + 1)
            self._separator(end)
        self.at += 1

    def _pairs(self, depth: int) -> Iterator[tuple[str, Json]]:
        self.at += 1
        while self.peek() != "}":
            name = self.value(depth + 1)
            if not isinstance(name, str) or self.peek() != ":":
                raise NotLiteralError("not a key")
            self.at += 1
            yield name, self.value(depth + 1)
            self._separator("}")
        self.at += 1

    def _separator(self, end: str) -> None:
        if self.peek() == ",":
            self.at += 1
        elif self.peek() != end:
            raise NotLiteralError("no separator")

    def _string(self, quote: str) -> str:
        self.at += 1
        out: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == quote:
                return "".join(out)
            if char == "\\":
                char = self._escape()
            out.append(char)
        raise NotLiteralError("unterminated text")

    def _escape(self) -> str:
        char = self.text[self.at : self.at + 1]
        self.at += 1
        if char == "u":
            digits = self.text[self.at : self.at + 4]
            self.at += 4
            try:
                return character_of(digits)
            except ValueError as fault:
                raise NotLiteralError("bad escape") from fault
        return _ESCAPES.get(char, char)

    def _word(self) -> Json:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ",]})(:" + " \t\r\n":
            self.at += 1
        word = self.text[start : self.at]
        if word in LITERALS:
            return LITERALS[word]
        parsed = parse_json(word)
        if parsed is None or not isinstance(parsed.value, int | float):
            raise NotLiteralError("not a literal")
        return parsed.value

"""Objects as programs print them: `User(id=7, name=Name(first='Ana'))`, `Guest { id: 7 }`, `{id=7, name=Ana}`, `Some("x")`.

In: the text of a result that is no JSON. Out: the objects as dictionaries, so that their values are judged by their keys as those of JSON
are, and the text without them. An object has two keys at least. Never raises: what does not close is text.
"""

from __future__ import annotations

import re
from typing import Final

from redact.bounds import AT_ONCE, ATTEMPTS, CODE_LENGTH, DEPTH, PARTS, SEVERAL

_START: Final = re.compile(
    r"(?:(?<![\w.])[^\W\d][\w.]{0,60} ?)?[({\[](?=\s*[^\W\d]\w{0,40}\s*[=:]\s*[^\s=:/])"
)
_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?:"(?P<key_2>[^"\\\n]{1,60})"|'(?P<key_1>[^'\\\n]{1,60})')\s*:(?!:)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<key>[^\W\d]\w{0,40})\s*[=:](?![=:/])
    |(?P<open>[^\W\d][\w.]{0,60}\ ?[({\[]|[({\[<])
    |(?P<close>[)}\]>])
    |(?P<mark>[,;])
    |(?P<bare>[^\s,;()\[\]{}<>"']+(?:\ (?![^\W\d]\w*\s?[=:(])[^\s,;()\[\]{}<>"']+)*)
    )""",
    re.VERBOSE,
)
_CLOSES: Final = {"(": ")", "{": "}", "[": "]", "<": ">"}
_NOTHING: Final = frozenset({"none", "null", "nil", "true", "false"})
_OPEN: Final = -1
_YEAR: Final = 1_000
_KEYED: Final = re.compile(r"[({\[]\s*[^\W\d]\w{0,40}\s*[=:]")


def printed_in(text: str) -> tuple[list[object], str]:
    """Return the printed objects of a text, and the text around them."""
    if len(text) > AT_ONCE or not _KEYED.search(text):
        return [], text
    found: list[object] = []
    around: list[str] = []
    done = place = 0
    for _ in range(ATTEMPTS):
        start = _START.search(text, place)
        if not start:
            break
        reader = _Reader(text)
        value = reader.read(start.end(), start[0], 0)
        if reader.end < 0 or reader.pairs < SEVERAL:
            place = start.end()
            continue
        found.append(value)
        around.append(text[done : start.start()])
        done = place = reader.end
    return found, "  ".join([*around, text[done:]]) if found else text


class _Reader:
    """Reads one object from the place behind its opening bracket."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.end = _OPEN
        """Where the object ended; below zero while it is open, or where it never closed."""
        self.pairs = 0

    def read(self, place: int, opening: str, depth: int) -> object:
        """Return the object that an opening bracket begins."""
        self.end = _OPEN
        closing, name = _CLOSES[opening[-1]], opening[:-1].strip()
        pairs: dict[str, list[object]] = {}
        parts: list[object] = []
        key: str | None = None
        first = place
        while depth < DEPTH and (token := _TOKEN.match(self._text, place)):
            place = token.end()
            if token["close"]:
                if token["close"] == closing:
                    self.end = place
                    return _make_object(name, pairs, parts, self._text[first : place - 1])
                return None
            if token["mark"]:
                key = None
            elif told := token["key"] or token["key_1"] or token["key_2"]:
                key = told
                self.pairs += 1
            else:
                value: object
                if token["open"]:
                    value = self.read(place, token["open"], depth + 1)
                    if self.end < 0:
                        return None
                    place, self.end = self.end, _OPEN
                else:
                    value = _scalar(token["text"], token["bare"])
                if value is None:
                    continue
                (parts if key is None else pairs.setdefault(key, [])).append(value)
        return None


def _scalar(quoted: str | None, bare: str | None) -> object:
    """Return a quoted text without its quotes, or a number or word without any."""
    if quoted is not None:
        return quoted[1:-1]
    word = (bare or "").strip()
    if word.casefold() in _NOTHING:
        return None
    if word.isdecimal() and word.isascii() and word[0] != "0" and len(word) <= CODE_LENGTH:
        return int(word)
    return word


def _make_object(
    name: str, pairs: dict[str, list[object]], parts: list[object], inside: str
) -> object:
    """Return what the inside of a pair of brackets is: an object, a list, a day, or the only value."""
    if not pairs:
        numbers = all(isinstance(part, int) for part in parts)
        if len(parts) >= PARTS and numbers and name and int(str(parts[0])) > _YEAR:
            return ", ".join(inside.split(", ")[:PARTS])  # `datetime.date(1990, 3, 4)`
        return parts[0] if len(parts) == 1 else {name: parts} if name and parts else parts
    made: dict[str, object] = {
        key: values[0] if len(values) == 1 else values for key, values in pairs.items()
    }
    if parts:
        made.setdefault(name or "~", parts)
    return made

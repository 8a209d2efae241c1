"""The leaves of a text that holds JSON: every scalar with the keys above it and the keys beside it.

In: the text of an argument or a result. Out: `Leaf`s, also of JSON inside strings, JSON after a prefix
(`result = {...}`), and of Python literals (`{'a': 'b'}`), which many tools print. Text that is none of these has no
leaves. Never raises: what cannot be parsed is text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import orjson

DEPTH: Final = 40
"""Deeper nesting than this is read as text: it is an attack or an accident."""
LITERAL_SIZE: Final = 200_000
"""Python literals beyond this many characters are not parsed (ast is 100 times slower than JSON)."""
_OPENING: Final = re.compile(r"[\[{]")
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Leaf:
    """One scalar of a document."""

    value: str | int | float
    key: str
    """The nearest key; empty at the top."""
    above: tuple[str, ...]
    """The keys above it, outermost first; places in lists are left out."""
    beside: tuple[str, ...]
    """The keys of the object it stands in."""
    is_key: bool = False
    """The value is itself a key of an object (`{"card_4421": {...}}`)."""


def documents_in(text: str) -> list[object]:
    """Return the JSON documents a text holds: itself, or the objects and lists inside it."""
    head = text.lstrip()[:1]
    if not head:
        return []
    if head in '{["' or head.isdecimal():
        try:
            return [orjson.loads(text)]
        except orjson.JSONDecodeError:
            pass
    if "{" not in text and "[" not in text:
        return []
    return _embedded(text)


def _embedded(text: str) -> list[object]:
    literal = _literal(text.strip())
    if literal is not None:
        return [literal]
    found: list[object] = []
    place = tries = 0
    while tries < 64:  # prose full of brackets must not cost quadratic time
        opening = _OPENING.search(text, place)
        if not opening:
            break
        tries += 1
        try:
            value, place = _DECODER.raw_decode(text, opening.start())
            found.append(value)
        except (ValueError, RecursionError):
            place = opening.end()
            literal = _literal(text[opening.start() :].strip())
            if literal is not None:
                return [*found, literal]
    return found


def _literal(text: str) -> object | None:
    if len(text) > LITERAL_SIZE or text[:1] not in ("{", "[", "(") or "'" not in text:
        return None
    try:
        value: object = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value if isinstance(value, dict | list | tuple) else None


def leaves(text: str) -> Iterator[Leaf]:
    """Yield every leaf of every document in a text."""
    for document in documents_in(text):
        yield from _walk(document, "", (), (), 0)


def _walk(
    value: object, key: str, above: tuple[str, ...], beside: tuple[str, ...], depth: int
) -> Iterator[Leaf]:
    if depth > DEPTH:
        return
    if isinstance(value, str):
        yield from _text(value, key, above, beside, depth)
    elif isinstance(value, dict):
        inner = (*above, key) if key else above
        names = tuple(str(name) for name in value)
        for name, part in value.items():
            if isinstance(name, str) and isinstance(part, dict | list):
                yield Leaf(name, key, above, (), is_key=True)
            yield from _walk(part, str(name), inner, names, depth + 1)
    elif isinstance(value, list | tuple | set):
        for part in value:
            yield from _walk(part, key, above, beside, depth + 1)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield Leaf(value, key, above, beside)


def _text(
    value: str, key: str, above: tuple[str, ...], beside: tuple[str, ...], depth: int
) -> Iterator[Leaf]:
    if value[:1] in ("{", "[") or '{"' in value:
        inner = documents_in(value)
        if inner:
            for document in inner:
                yield from _walk(document, key, above, beside, depth + 1)
            return
    yield Leaf(value, key, above, beside)

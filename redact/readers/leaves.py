"""The JSON documents that a text holds.

In: the text of an argument, a result or a message. Out: parsed values: the text itself, JSON after a prefix
(`result = {...}`), and Python literals (`{'a': 'b'}`), which many tools print. Text that is none of these has none.
Never raises: what cannot be parsed is text. Judges nothing: that is `redact.readers.documents`'.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Final

import orjson

from redact.bounds import LONGEST_TEXT
from redact.readers.base64_runs import hidden_texts, may_hide

_OPENING: Final = re.compile(r"[\[{]")
_DECODER: Final = json.JSONDecoder()


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
    if len(text) > LONGEST_TEXT or text[:1] not in ("{", "[", "(") or "'" not in text:
        return None
    try:
        value: object = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value if isinstance(value, dict | list | tuple) else None


def hides_document(value: str) -> bool:
    """Say whether a value is a document in base64, each leaf of which is judged for itself."""
    if " " in value or not may_hide(value):
        return False
    return any(
        run.start == 0 and run.end == len(value) and documents_in(run.text)
        for run in hidden_texts(value)
    )


def unquoted(value: str) -> str:
    """Return a value without the quotes that are part of it, as tags of web pages have them: `W/"5f2a"`."""
    inner = value.removeprefix("W/")
    return inner[1:-1] if len(inner) > 2 and inner[0] == '"' else value

"""JSON that was cut off, read as far as it goes.

Comes in: JSON text, whole or truncated by an attribute length limit. Goes out: the value and whether it was cut.
It repairs nothing else: text that is not the beginning of JSON is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import orjson


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedJson:
    """A value and whether the text ended before it did."""

    value: Any
    cut: bool = False


def parse_json(text: str) -> ParsedJson | None:
    """The value of a JSON text, or of as much of it as there is; None where it is no JSON."""
    try:
        return ParsedJson(value=orjson.loads(text))
    except orjson.JSONDecodeError:
        pass
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    for candidate in _completions(text):
        try:
            return ParsedJson(value=json.loads(candidate), cut=candidate != text)
        except (ValueError, RecursionError):
            continue
    return None


def _completions(text: str) -> list[str]:
    """The text itself, then the text closed where it ends, then closed after its last whole value."""
    closers: list[str] = []
    in_string = escaped = False
    last_whole: tuple[int, str] | None = None
    for index, char in enumerate(text):
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
            continue
        if char == '"':
            in_string = True
        elif char in "{[":
            closers.append("}" if char == "{" else "]")
            last_whole = (index + 1, "".join(reversed(closers)))
        elif char in "}]":
            if not closers:
                return [text]
            closers.pop()
            last_whole = (index + 1, "".join(reversed(closers)))
        elif char == ",":
            last_whole = (index, "".join(reversed(closers)))
    tail = "".join(reversed(closers))
    tries = [text]
    if in_string:
        body = _without_partial_escape(text[:-1] if escaped else text)
        tries += [f'{body}"{tail}', f'{body}":null{tail}']
    else:
        tries.append(text + tail)
    if last_whole is not None:
        tries.append(text[: last_whole[0]] + last_whole[1])
    return tries


def _without_partial_escape(text: str) -> str:
    start = text.rfind("\\u", max(0, len(text) - 5))
    return text[:start] if start >= 0 and len(text) - start < 6 else text

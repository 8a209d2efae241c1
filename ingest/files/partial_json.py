"""JSON that was cut off, read as far as it goes.

Comes in: JSON text, whole or truncated by an attribute length limit. Goes out: the value and whether it was cut.
It repairs nothing else: text that is not the beginning of JSON is refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

import orjson

_TOKEN: Final = re.compile(r'"(?:[^"\\]+|\\.)*"?|[{}\[\],]', re.DOTALL)
_PARTIAL_ESCAPE: Final = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)\Z")
_DEEPEST: Final = 200


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
    whole = 0
    open_string: str | None = None
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark[0] == '"':
            open_string = None if _is_closed(mark) else mark
            continue
        if mark in "{[":
            closers.append("}" if mark == "{" else "]")
        elif mark != "," and (not closers or closers.pop() != mark):
            return [text]
        # Closers change at these marks only, so those of the end are those of the last whole place, too.
        whole = token.start() if mark == "," else token.end()
    if len(closers) > _DEEPEST:
        return [text]
    tail = "".join(reversed(closers))
    if open_string is None:
        return [text, text + tail, text[:whole] + tail]
    body = _without_partial_escape(text)
    return [text, f'{body}"{tail}', f'{body}":null{tail}', text[:whole] + tail]


def _is_closed(string: str) -> bool:
    if len(string) < 2 or string[-1] != '"':
        return False
    slashes = len(string) - 1 - len(string[:-1].rstrip("\\"))
    return slashes % 2 == 0


def _without_partial_escape(text: str) -> str:
    r"""The text without an escape that was cut in the middle, such as `\` or `\u00`."""
    cut = _PARTIAL_ESCAPE.search(text, max(0, len(text) - 64))
    return text[: cut.start(1)] if cut else text

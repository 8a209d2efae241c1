"""JSON values as text, written by an encoder that is made once.

Goes in: how a text is laid out. Comes out: a function from values to text that writes what `json.dumps` writes: half of the time
of a small `dumps` goes into making an encoder and into looking for a value that holds itself, which no JSON value does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json import encoder
from typing import Any, Final

Writer = Callable[[object], str]

_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")

_MAKE: Final[Any] = getattr(encoder, "c_make_encoder", None)
"""Python's encoder in C; None where there is none."""


def writer(
    *,
    separators: tuple[str, str],
    ascii_only: bool,
    sort_keys: bool,
    indent: int | str | None = None,
) -> Writer:
    """A function that writes values in one layout."""
    whole = json.JSONEncoder(
        ensure_ascii=ascii_only, indent=indent, separators=separators, sort_keys=sort_keys
    )
    if _MAKE is None or indent is not None:
        return whole.encode
    text = encoder.encode_basestring_ascii if ascii_only else encoder.encode_basestring
    items, pairs = separators
    made = _MAKE(None, whole.default, text, None, pairs, items, sort_keys, False, True)

    def write(value: object) -> str:
        return text(value) if type(value) is str else "".join(made(value, 0))

    return write


def json_or_none(text: str | bytes) -> Any:
    """The JSON value of a text as Python reads it; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def nested_deeper(value: Any, depth: int) -> bool:
    """Whether lists and objects stand inside one another more than `depth` times; asks level by level, so that nothing recurses."""
    level = [value]
    for _ in range(depth):
        level = [
            item
            for outer in level
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
    return True


def halved(text: str, value: Any) -> bool:
    """Whether the value read from a JSON text holds half of a character that takes two codes: nothing can write that."""
    if ("\\u" not in text and text.isascii()) or not _HALF.search(text):
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False

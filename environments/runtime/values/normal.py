"""Normal forms: values and texts of tools that are equal when they mean the same.

Goes in: what callers really send and get. Comes out: arguments of one type, keys of rows, results without their caller's envelope.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from json.encoder import encode_basestring  # the C one where there is one
from typing import Final, TypeGuard

from ..task.attempt import Json
from .json_text import writer
from .literals import NotLiteralError, parse_json, parse_literal

HOLE: Final = "\x00"
"""Stands for a changing piece in a masked text."""
stable: Final = writer(separators=(",", ":"), ascii_only=False, sort_keys=True)
"""One text for equal JSON values, made by the C encoder: the key of every table and cache."""


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number: JSON's true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_plain(value: object) -> TypeGuard[str | int | float]:
    """Whether a value is a text or a number."""
    return isinstance(value, str) or is_number(value)


def as_list(value: Json) -> list[Json]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_object(value: Json) -> Mapping[str, Json]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_names(value: Json) -> frozenset[str]:
    """The texts of a list."""
    return frozenset(str(item) for item in as_list(value))


def key_text(parts: list[Json]) -> str:
    """`stable` for the key of a row, ten times faster for the texts that most keys are."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return key_of_text(parts[0])
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        return stable(parts)
    return f"[{','.join(map(encode_basestring, texts))}]"


def key_of_text(part: str) -> str:
    """`key_text` for a key that is one text."""
    return f"[{encode_basestring(part)}]"


def same_json(left: Json, right: Json) -> bool:
    """Equality as JSON sees it: `true` is not 1, `5` is `5.0`."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(v, right[k]) for k, v in left.items())
    if isinstance(left, list) and isinstance(right, list):
        pairs = zip(left, right, strict=False)
        return len(left) == len(right) and all(same_json(a, b) for a, b in pairs)
    return isinstance(left, bool) is isinstance(right, bool) and left == right


def key_parts(key: str) -> list[Json]:
    """The values that the key text of a row is made of."""
    parsed = parse_json(key)
    return as_list(parsed.value) if parsed is not None else []


def simplify(value: Json) -> Json:
    """Whole floats as integers and trimmed text: `5.0` and `5` are one argument."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [simplify(item) for item in value]
    if isinstance(value, dict):
        return {name: simplify(item) for name, item in value.items()}
    return value


def coerce(value: Json, form: str) -> Json:
    """An argument in the form that its tool declares or was seen to take; unchanged where it cannot be."""
    if form in {"array", "object"} and isinstance(value, str):
        return _literal_of(value, list if form == "array" else dict)
    if form in {"number", "integer"} and isinstance(value, str):
        parsed = parse_json(value.strip())
        number = parsed.value if parsed is not None else value
        return simplify(number) if isinstance(number, int | float) else value
    if form == "string" and is_number(value):
        return json.dumps(value)
    if form == "boolean" and isinstance(value, str) and value.strip() in {"true", "True"}:
        return True
    if form == "boolean" and isinstance(value, str) and value.strip() in {"false", "False"}:
        return False
    return value


def _literal_of(text: str, kind: type) -> Json:
    try:
        value = parse_literal(text)
    except NotLiteralError:
        return text
    return value if isinstance(value, kind) else text


def mask(text: str, arguments: Mapping[str, Json] | None = None) -> str:
    """A text with its changing words (those with a digit, those equal to an argument) replaced by a hole."""
    values = {v for v in (arguments or {}).values() if isinstance(v, str) and len(v) > 1}
    for value in sorted((v for v in values if " " in v and len(v) > 3), key=len, reverse=True):
        text = text.replace(value, HOLE)
    return " ".join(_mask_word(word, values) for word in text.split(" "))


def _mask_word(word: str, values: Container[str]) -> str:
    tail = word[len(word.rstrip(".,;:!?)\"'")) :]
    head = word[: len(word) - len(word.lstrip("(\"'"))]
    core = word[len(head) : len(word) - len(tail)]
    if HOLE in core or core in values or any(char.isdigit() for char in core):
        return f"{head}{HOLE}{tail}"
    return word


def unwrap(content: str, envelope: Mapping[str, Json] | None) -> str:
    """A result without its caller's envelope (`# var_3 = "..."`); unchanged where it has none."""
    if not envelope:
        return content
    before, after = str(envelope.get("before", "")), str(envelope.get("after", ""))
    if not content.startswith(before) or not content.endswith(after):
        return content
    body = content[len(before) : len(content) - len(after) if after else None]
    digits = len(body) - len(body.lstrip("0123456789"))
    middle = str(envelope.get("middle", ""))
    if not digits or not body[digits:].startswith(middle):
        return content
    inner = body[digits + len(middle) :]
    parsed = parse_json(inner)
    return parsed.value if parsed is not None and isinstance(parsed.value, str) else inner


def same_answer(left: str, right: str) -> bool:
    """Whether two texts of a tool's answer are equal, or the same JSON."""
    if left == right:
        return True
    one, other = parse_json(left), parse_json(right)
    return one is not None and other is not None and same_json(one.value, other.value)

"""Text of messages and arguments in one form, whatever form it was sent in.

Comes in: content as strings, lists of parts, objects. Goes out: plain text and JSON text.
"""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import orjson

from ingest.errors import BodyRefused
from ingest.otlp.limits import DEFAULT_LIMITS
from ingest.otlp.values import check_json

Json: TypeAlias = Any
"""A parsed JSON value, or an attribute value: whatever an untrusted sender put there."""

_TEXT_KEYS: Final = ("text", "content", "input_text", "output_text", "refusal")
_TEXT_TYPES: Final = frozenset({"text", "input_text", "output_text", "refusal", ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentText:
    """The text of one message."""

    text: str | None
    partial: bool = False
    """Whether something that is no text (an image, a file, a sound) was left out."""


def type_of(value: dict[str, Any]) -> str | None:
    """The `type` of an object, where it is a word."""
    kind = value.get("type")
    return kind if isinstance(kind, str) else None


def objects_in(value: Json) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def content_text(content: object) -> ContentText:
    """The text of a message's content: null, a string, one part or a list of parts."""
    if content is None or isinstance(content, str):
        return ContentText(text=content)
    if isinstance(content, dict):
        return content_text([content])
    if not isinstance(content, list):
        return ContentText(text=json_text(content))
    texts: list[str] = []
    partial = False
    for part in content:
        text = _part_text(part)
        if text is None:
            partial = True
        else:
            texts.append(text)
    return ContentText(text="\n".join(texts) if texts else None, partial=partial)


def _part_text(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return json_text(part)
    kind = part.get("type", "")
    if not isinstance(kind, str) or kind not in _TEXT_TYPES:
        return None
    for key in _TEXT_KEYS:
        value = part.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, dict) and isinstance(value.get("value"), str):
            return str(value["value"])
    # An object that is no part at all (a tool's result sent as a value) is its own text.
    return None if kind else json_text(part)


def json_text(value: object) -> str:
    """A value as JSON text; text stays as it is."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def json_bytes(value: object) -> bytes:
    """A value as UTF-8 JSON; whatever the standard library can read it can write."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def canonical(value: object) -> str:
    """A value as JSON text with sorted keys and no spaces: equal values give equal text."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        # Lone surrogates and integers beyond 64 bits: only the standard library writes them.
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def canonical_arguments(text: str) -> str:
    """Argument text in canonical form where it is JSON, else as it is."""
    try:
        return canonical(orjson.loads(text))
    except (ValueError, RecursionError):
        return text.strip()


def nests_deeper(value: Json, limit: int) -> bool:
    """Whether lists and maps stand inside each other deeper than a limit; follows them without recursion."""
    level = [value]
    for _ in range(limit + 1):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def whole_text(value: Json) -> Json:
    """The same value with every lone surrogate replaced, so that it can be written as UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, list):
        return [whole_text(item) for item in value]
    if isinstance(value, dict):
        return {whole_text(key): whole_text(item) for key, item in value.items()}
    return value


NOT_JSON: Final = object()
"""What `load_json` returns for text that is no JSON."""
NOT_UTF8: Final = "not UTF-8; save the file as UTF-8 (a spreadsheet as CSV UTF-8)"
"""What is wrong with a text in another encoding, and what to do."""


def is_utf8(raw: bytes) -> bool:
    """Whether bytes are UTF-8; they may end within a character."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(raw)
    except UnicodeDecodeError:
        return False
    return True


def why_no_json(raw: bytes) -> str:
    """What is wrong with a text that is no JSON, and what to do, in one sentence."""
    if not is_utf8(raw):
        return f"The text is {NOT_UTF8}."
    return "The text is not JSON, or is cut off; write one JSON value a line."


def load_json(raw: bytes) -> Json:
    """The JSON value, or a marker: orjson first, the slower reader where a text holds a lone surrogate.

    A text of more values than a body may hold counts as no JSON: nobody could hold it in memory.
    """
    try:
        check_json(raw, DEFAULT_LIMITS)
    except BodyRefused:
        return NOT_JSON
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        pass
    try:
        return whole_text(json.loads(raw))
    except (ValueError, RecursionError):
        return NOT_JSON

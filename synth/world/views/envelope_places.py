"""Envelope places: where in one result an envelope might be, and whether the constants around that place say that the call failed.

Comes in: the text of a result; goes to `envelopes`. Every place keeps the text before and after it, so that nothing of a result's
layout is lost. Not here: which of the places are envelopes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from environments.runtime.answers.outcome import ERROR_WORDS, GOOD_FLAGS
from environments.runtime.task.attempt import Json
from environments.runtime.values.literals import parse_json
from environments.runtime.values.mentions import leaves, names_in

MAX_KEYS: Final = 6
MAX_DEPTH: Final = 3
MAX_LINE: Final = 60
FAULT_WORDS: Final = ERROR_WORDS | {"fail", "denied", "rejected", "invalid", "refused"}
MARK: Final = "\x00inside\x00"

_DECODER: Final = json.JSONDecoder()
_GAP: Final = re.compile(r"[ \t\n\r]*")
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LINE: Final = re.compile(rf"[^\n]{{1,{MAX_LINE}}}\n")
_LAST: Final = re.compile(r"\n[^\w\s{}\[\]\"]{2,}\s*\Z")
_LEAD: Final = re.compile(rf"[^{{}}\[\]\"\n]{{1,{MAX_LINE}}}\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One place in one result, and what stands around it."""

    shape: tuple[object, ...]
    """The keys on the way to the place, each with those beside it."""
    whole: str
    middle: str
    around: tuple[str, str]
    text: bool = False
    """A JSON text stands there."""
    raw: bool = False
    """What stands there is no JSON of the result: its own text."""
    carries: bool = False
    """A record, a list or a sentence: more than one value of a record."""
    pad: str = ""


def places_of(content: str) -> Iterator[Place]:
    """Every place of one result, the outermost first."""
    parsed = parse_json(content)
    if parsed is None:
        yield from _lines(content)
    elif isinstance(parsed.value, str):
        yield _place(content, (0, len(content)), ("text",), parsed.value)
    elif isinstance(parsed.value, dict | list):
        yield from _inner(content, _GAP.match(content, 0).end(), ())  # type: ignore[union-attr]


def _place(content: str, span: tuple[int, int], shape: tuple[object, ...], value: Json) -> Place:
    before = content[: span[0]]
    line = before[before.rfind("\n") + 1 :] if "\n" in before else ""
    return Place(
        shape=shape,
        whole=content,
        middle=content[span[0] : span[1]],
        around=(before, content[span[1] :]),
        text=isinstance(value, str),
        carries=_carries(value),
        pad=line[: len(line) - len(line.lstrip())],
    )


def _carries(value: Json) -> bool:
    if isinstance(value, str):
        return any(char.isspace() for char in value) or value[:1] in "{["
    return isinstance(value, dict | list)


def _lines(content: str) -> Iterator[Place]:
    """A line before and signs after a text, or words right before its JSON."""
    first, last, lead = _LINE.match(content), _LAST.search(content), _LEAD.match(content)
    if first is not None and content[first.end() : first.end() + 1].strip():
        end = last.start() if last is not None and last.start() >= first.end() else len(content)
        yield _raw(content, first.end(), end)
    beyond = first is None or (lead is not None and lead.end() != first.end())
    if lead is not None and beyond and lead.end() < len(content):
        inner = parse_json(content[lead.end() :])
        if inner is not None and isinstance(inner.value, dict | list):
            yield _raw(content, lead.end(), len(content))


def _raw(content: str, start: int, end: int) -> Place:
    around = (content[:start], content[end:])
    return Place(
        shape=("line", around),
        whole=content,
        middle=content[start:end],
        around=around,
        text=True,
        raw=True,
        carries=_carries(content[start:end]),
    )


def _inner(content: str, at: int, shape: tuple[object, ...]) -> Iterator[Place]:
    spans = list(_children(content, at))
    if not spans or len(spans) > MAX_KEYS or (content[at] == "[" and len(spans) != 1):
        return
    beside = frozenset(key for key, _, _, _ in spans)
    for key, start, end, value in spans:
        # Below the outermost the only key may be the name of what is asked for, and differ from tool to tool.
        alone = content[at] == "{" and len(spans) == 1 and shape
        here = (*shape, (content[at],) if alone else (content[at], beside, key))
        yield _place(content, (start, end), here, value)
        if isinstance(value, dict | list) and len(here) < MAX_DEPTH:
            yield from _inner(content, start, here)


def _children(content: str, at: int) -> Iterator[tuple[str, int, int, Any]]:
    """Key, start, end and value of what a record or list holds."""
    record, close = content[at] == "{", "}" if content[at] == "{" else "]"
    at = _skip_gap(content, at + 1)
    while content[at] != close:
        key = ""
        if record:
            key, at = _DECODER.raw_decode(content, at)
            at = _skip_gap(content, _skip_gap(content, at) + 1)
        value, end = _DECODER.raw_decode(content, at)
        yield key, at, end, value
        at = _skip_gap(content, end)
        if content[at] == ",":
            at = _skip_gap(content, at + 1)


def _skip_gap(content: str, at: int) -> int:
    found = _GAP.match(content, at)
    return at if found is None else found.end()


def faulty(around: tuple[str, str], usual: tuple[str, str] | None) -> bool:
    """Whether what stands around a place says that the call failed; `usual` is what stands around results."""
    parsed = parse_json(around[0] + json.dumps(MARK) + around[1])
    if parsed is None:
        return bool(_words(around[0]) & FAULT_WORDS)
    normal = None if usual is None else parse_json(usual[0] + "null" + usual[1])
    flags = dict(_flags(None if normal is None else normal.value))
    return any(
        _says(key, value) or (isinstance(value, bool) and flags.get(key, value) is not value)
        for key, value in _flags(parsed.value)
    )


def shows(around: tuple[str, str]) -> bool:
    """Whether a record or a list beside a place names something: a result of its own, and no part of an envelope."""
    parsed = parse_json(around[0] + json.dumps(MARK) + around[1])
    return parsed is not None and _shows(parsed.value)


def _shows(value: Json) -> bool:
    inside = list(value.values()) if isinstance(value, dict) else value
    parts = (
        [part for part in inside if isinstance(part, dict | list)]
        if isinstance(inside, list)
        else []
    )
    return any(_shows(part) if MARK in leaves(part) else bool(names_in(part)) for part in parts)


def _says(key: str, value: Json) -> bool:
    if value is False:
        return key.casefold() in GOOD_FLAGS
    if isinstance(value, str) and value != MARK and _words(value) & FAULT_WORDS:
        return True
    return bool(value) and bool(_words(key) & FAULT_WORDS)


def _flags(value: Json) -> Iterator[tuple[str, Json]]:
    """Every key with its value, at every depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key, item
            yield from _flags(item)
    elif isinstance(value, list):
        for item in value:
            yield from _flags(item)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORDS.findall(text)}

"""What a conversation has shown so far: every value that could stand in the next call or sentence, and where it stood.

In: messages in OpenAI's shape. Out: `Known` values, each once, with the places they stood in. Knows no tool: results are JSON,
or lines of `key: value`; a user's words are split into tokens and runs of names and numbers. Not here: which value is chosen.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

Message = Mapping[str, Any]
"""In OpenAI's shape."""
Scalar = str | int | float | bool
_Shown = tuple[Scalar, str, int, tuple[str, ...], tuple[str, ...]]

USER: Final = "user"
_LINE: Final = re.compile(r"^\s*(?P<dash>- )?(?P<key>[A-Za-z_][\w ]{0,40}): (?P<value>.+)$")
_WORD: Final = re.compile(r"[^\s,;:!?()\"']+")
_LONGEST_RUN: Final = 4
_LONGEST_TEXT: Final = 120
_LONGEST_KIND: Final = 24
_MOST_KINDS: Final = 2
_SHORTEST: Final = 4
"""Letters of a user's word that is no number and no code."""


class Seen(NamedTuple):
    """One place in which a value stood."""

    place: str
    """The tool and the keys that lead to it, or `USER`."""
    at: int
    """Number of the message."""
    turn: int
    """Number among the values of its place in this message."""
    beside: tuple[str, ...]
    """Texts of the same record, in lower case; around a user's word, the words before and after it."""
    kinds: tuple[str, ...] = ()
    """Of these the record's own that look like one of few: a status, a kind."""


@dataclass(slots=True)
class Known:
    """A value with every place in which it stood."""

    value: Scalar
    seen: list[Seen] = field(default_factory=list)


def known_values(messages: Sequence[Message]) -> dict[tuple[str, Scalar], Known]:
    """Every value that users and tools have shown, by its kind and itself."""
    found: dict[tuple[str, Scalar], Known] = {}
    names = called(messages)
    for at, message in enumerate(messages):
        role, content = message.get("role"), str(message.get("content") or "")
        if role == "user":
            shown = _said(content)
        elif role == "tool":
            shown = _returned(names.get(str(message.get("tool_call_id")), ""), content)
        else:
            continue
        for value, place, turn, beside, kinds in shown:
            key = (type(value).__name__, value)
            seen = Seen(place, at, turn, beside, kinds)
            found.setdefault(key, Known(value)).seen.append(seen)
    return found


def called(messages: Sequence[Message]) -> dict[str, str]:
    """The tool of each call, by the call's id."""
    return {
        str(call["id"]): str(call["function"]["name"])
        for message in messages
        for call in message.get("tool_calls") or ()
    }


@lru_cache(maxsize=4096)
def _said(text: str) -> tuple[_Shown, ...]:
    """Words of a user's text, runs of names and numbers, quoted texts; each with what stands around it."""
    found: dict[str, tuple[str, ...]] = {}
    parts = re.split(r"[,;:!?()]|\.\s|\.$", text)
    for number, part in enumerate(parts):
        words = [word.rstrip(".") for word in _WORD.findall(part)]
        for start, length in _runs(words):
            end = start + length
            before = words[start - 1].casefold() if start else "^"
            after = words[end].casefold() if end < len(words) else "$"
            whole = "whole" if length == len(words) else "piece"
            place = f"{whole} {min(number, 6)} of {min(len(parts), 8)}"
            found[" ".join(words[start:end])] = (f"after {before}", f"before {after}", place)
    for quoted in re.findall(r"[\"']([^\"']{2,120})[\"']", text):
        found[quoted] = ("quoted",)
    return tuple(
        (word, USER, turn, found[word], ())
        for turn, word in enumerate(found)
        if len(word) >= _SHORTEST or not word.islower()
    )


def _runs(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where words and runs of names and numbers begin, and how long they are."""
    for length in range(1, _LONGEST_RUN + 1):
        for start in range(len(words) - length + 1):
            run = words[start : start + length]
            if length == 1 or all(word[:1].isupper() or word[:1].isdigit() for word in run):
                yield start, length


@lru_cache(maxsize=8192)
def _returned(tool: str, content: str) -> tuple[_Shown, ...]:
    """The leaves of a tool's answer, each with the texts beside it."""
    turns: dict[str, int] = {}
    found = []
    for value, place, beside, kinds in _leaves(parsed(content), tool, (), ()):
        turn = turns[place] = turns.get(place, -1) + 1
        found.append((value, place, turn, beside, kinds))
    return tuple(found)


def parsed(content: str) -> Any:  # noqa: ANN401 - whatever a tool answers
    """A tool's answer as data: JSON, or records of `key: value` lines, or the text itself."""
    try:
        return json.loads(content)
    except ValueError:
        pass
    records: list[dict[str, Any]] = [{}]
    for line in content.splitlines():
        if matched := _LINE.match(line):
            if matched["dash"]:
                records.append({})
            records[-1][matched["key"]] = _plain(matched["value"].strip())
    records = [record for record in records if record]
    return records or content


def _plain(text: str) -> Scalar:
    """A scalar as YAML writes it."""
    try:
        value = json.loads(text)
    except ValueError:
        return text.strip("'\"")
    return value if isinstance(value, str | int | float | bool) else text


def is_a_kind(value: object) -> bool:
    """Whether a value looks like one of few: a status, a kind, a flag."""
    return isinstance(value, bool) or (
        isinstance(value, str) and len(value) < _LONGEST_KIND and value.islower()
        and value.isascii() and not any(letter.isdigit() for letter in value)
    )  # fmt: skip


def _leaves(
    value: object, place: str, beside: tuple[str, ...], kinds: tuple[str, ...]
) -> Iterator[tuple[Scalar, str, tuple[str, ...], tuple[str, ...]]]:
    if isinstance(value, dict):
        texts = [v for v in value.values() if isinstance(v, str) and 2 < len(v) < 60]
        here = tuple(text.casefold() for text in texts)
        options = tuple(
            v.casefold()
            for inner in value.values()
            if isinstance(inner, dict)
            for v in inner.values()
            if isinstance(v, str) and 2 < len(v) < 60
        )
        own = tuple(text for text in texts if is_a_kind(text))[:_MOST_KINDS]
        for key, inner in value.items():
            yield from _leaves(inner, f"{place}.{key}", here + options, own)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, place, beside, kinds)
    elif isinstance(value, str | int | float) and (
        not isinstance(value, str) or 0 < len(value) < _LONGEST_TEXT
    ):
        yield value, place, beside, kinds

"""Finds learnt values in a text: every casing and spelling, inside identifiers, never inside a longer word or number.

In: folded values with their kinds, and a text. Out: matches as spans of the original, leftmost and longest first.
Decides where a value stands, not whether it is to be replaced there: that is `redact.scrub`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import ahocorasick

from redact.fold import Folded
from redact.kinds import KINDS

_MONEY: Final = frozenset("$€£¥")


class Match(NamedTuple):
    """One place where a value stands; a named tuple, because one is made per hit."""

    start: int
    end: int
    """Of the original text."""
    value: str
    """Folded."""
    kind: str
    local: bool
    """Learnt in this episode, not app-wide."""


class Matcher:
    """An automaton over folded values."""

    def __init__(self, values: Mapping[str, str], *, local: bool) -> None:
        self._local = local
        self._automaton = ahocorasick.Automaton()
        self._firsts: set[str] | None = set()
        for value, kind in values.items():
            if len(value) > 1:
                self._automaton.add_word(value, (value, kind))
                self._begin(value)
        self._empty = len(self._automaton) == 0
        if not self._empty:
            self._automaton.make_automaton()

    def _begin(self, value: str) -> None:
        first = _RUN.search(value)
        if first is None:
            self._firsts = None  # a value of signs only: every text is searched
        elif self._firsts is not None:
            self._firsts.add(first[0])

    def can_match(self, runs: frozenset[str] | None) -> bool:
        """Say whether a value can stand in a text of these runs (`runs_of`); None: the text says nothing."""
        return runs is None or self._firsts is None or not runs.isdisjoint(self._firsts)

    def matches(self, folded: Folded, original: str) -> list[Match]:
        """Return every bounded match in the text, overlapping ones included."""
        if self._empty:
            return []
        hits = list(self._automaton.iter(folded.text))
        return list(self._bounded(hits, folded, original)) if hits else hits

    def _bounded(
        self, hits: Iterable[tuple[int, tuple[str, str]]], folded: Folded, original: str
    ) -> Iterator[Match]:
        text = folded.text
        for last, (value, kind) in hits:
            start, end = last - len(value) + 1, last + 1
            if _opens(text, start, kind) and _closes(text, end, kind):
                if value.isdigit() and len(value) < 7 and _in_number(text, start, end):
                    continue
                begin, stop = folded.span(start, end)
                yield Match(begin, stop, value, kind, self._local)
            elif value.isalpha() and len(value) > 3:
                begin, stop = folded.span(start, end)
                if _camel(original, begin, stop):
                    yield Match(begin, stop, value, kind, self._local)


_RUN: Final = re.compile(r"[^\W\d_]+|\d+")
_CAMEL: Final = re.compile(r"[a-z][A-Z]")


def runs_of(folded: Folded, original: str) -> frozenset[str] | None:
    """Return the runs of letters and of digits in a text; None where a name could hide inside a run.

    A match begins where a run begins and ends where a run ends, but for names inside camelCase.
    """
    plain = folded.starts is None and original.isascii() and folded.text.isascii()
    return frozenset(_RUN.findall(folded.text)) if plain and not _CAMEL.search(original) else None


def _opens(text: str, start: int, kind: str) -> bool:
    if start == 0:
        return True
    before, first = text[start - 1], text[start]
    if first.isalpha():
        return not before.isalpha() and not (before.isdigit() and kind == "opaque_id")
    if first.isdigit():
        return not before.isalnum()
    return True


def _closes(text: str, end: int, kind: str) -> bool:
    if end >= len(text):
        return True
    last, after = text[end - 1], text[end]
    if last.isalpha():
        return not after.isalpha() and not (after.isdigit() and kind == "opaque_id")
    if last.isdigit():
        return not after.isalnum() or (kind == "birth_date" and after == "t")
    return True


def _in_number(text: str, start: int, end: int) -> bool:
    """Say whether digits are part of a longer number or an amount of money."""
    before = text[start - 1] if start else " "
    if before in _MONEY:
        return True
    if before in ".," and start > 1 and text[start - 2].isdigit():
        return True
    after = text[end : end + 2]
    return len(after) == 2 and after[0] in ".," and after[1].isdigit()


def _camel(original: str, start: int, end: int) -> bool:
    """Say whether a name stands as a word of a camelCase identifier: `getYusufRossi`."""
    if not original[start].isupper():
        return False
    opened = start == 0 or not original[start - 1].isupper()
    closed = end >= len(original) or not original[end].islower()
    return opened and closed and original[start + 1 : end].islower()


def resolve(matches: Iterable[Match]) -> list[Match]:
    """Return the matches without overlaps: the leftmost, among those the longest, among those the lowest rank."""
    ordered = sorted(matches, key=lambda match: (match.start, -match.end, KINDS[match.kind].rank))
    kept: list[Match] = []
    done = -1
    for match in ordered:
        if match.start >= done:
            kept.append(match)
            done = match.end
    return kept

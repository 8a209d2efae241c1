"""Finds learnt values in a text: every casing and spelling, inside identifiers, never inside a longer word or number.

In: folded values with their kinds, and a text. Out: matches as spans of the original, leftmost and longest first.
Decides where a value stands, not whether it is to be replaced there: that is `redact.apply.scrub`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import ahocorasick

from redact.bounds import BEFORE, LONGEST_PROSE, SHORT
from redact.fold import Folded
from redact.kinds import KINDS
from redact.values.scripts import FIRST, is_unspaced, is_word, without_gaps

_MONEY: Final = frozenset("$€£¥")
_FRACTION: Final = re.compile(r",\d{1,3}(?![\w-])")
"""What a comma parts from a number that goes on: thousands or decimals."""


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
    """An automaton over folded values: an app's, or those of many episodes, each of which takes the matches that are its own."""

    def __init__(
        self, *several: Mapping[str, str], everywhere: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """`several`: what `searched` returns, one for each episode; `everywhere`: the same of the app."""
        self._automaton = ahocorasick.Automaton()
        kinds: dict[str, tuple[tuple[str, bool], ...]]
        kinds = {value: ((kind, False),) for value, kind in everywhere.items()}
        for values in several:
            for value, kind in values.items():
                known, own = kinds.get(value), (kind, True)
                if known is None:
                    kinds[value] = (own,)
                elif own not in known and (kind, False) not in known:  # the app's match is enough
                    kinds[value] = (*known, own)
        self._repeating = {value: kinds.pop(value) for value in [*filter(_repeats, kinds)]}
        for value, every in kinds.items():
            self._automaton.add_word(value, (value, every, value.isdigit() and len(value) < 7))
        self._empty = not kinds
        if not self._empty:
            self._automaton.make_automaton()

    def matches(self, folded: Folded, original: str) -> list[Match]:
        """Return every bounded match in the text, overlapping ones included."""
        return self.matches_of([folded], [original])[0]

    def matches_of(self, folded: Sequence[Folded], originals: Sequence[str]) -> list[list[Match]]:
        """Return the bounded matches of each text, found in one walk over all of them."""
        found: list[list[Match]] = (
            [list(self._repeating_in(one)) for one in folded]
            if self._repeating
            else [[] for _ in folded]
        )
        if self._empty or not folded:
            return found
        texts = [one.text for one in folded]
        sizes = list(map(len, texts))
        # Between two texts, before the first and after the last stands what no value goes on with.
        text = _BETWEEN.join(["", *texts, ""])
        place, begun, ended = 0, 1, 1 + sizes[0]
        # A value may end in what stands between: behind the last text there is no other.
        for last, (value, kinds, short_number) in self._automaton.iter(text, 0, len(text) - 1):
            while last >= ended:
                begun = ended + 1
                place += 1
                ended = begun + sizes[place]
            start, end = last - len(value) + 1, last + 1
            if start < begun:
                continue  # it began in the text before
            before, after = text[start - 1].isalnum(), text[end].isalnum()
            for kind, local in kinds:
                # Beside what is neither letter nor digit every value begins and ends; most do, and a call costs more than the look.
                if (not before or _opens(text, start, kind)) and (
                    not after or _closes(text, end, kind)
                ):
                    if short_number and _in_number(text, start, end):
                        continue
                    first, stop = folded[place].span(start - begun, end - begun)
                    found[place].append(Match(first, stop, value, kind, local))
                elif value.isalpha() and len(value) > 3:
                    first, stop = folded[place].span(start - begun, end - begun)
                    if _camel(originals[place], first, stop):
                        found[place].append(Match(first, stop, value, kind, local))
        return found

    def _repeating_in(self, folded: Folded) -> Iterator[Match]:
        """Yield where values stand that repeat their beginning; in the automaton they cost the square of their length."""
        text = folded.text
        for value, kinds in self._repeating.items():
            start = text.find(value)
            while start >= 0:
                end = start + len(value)
                for kind, local in kinds:
                    if _opens(text, start, kind) and _closes(text, end, kind):
                        yield Match(*folded.span(start, end), value, kind, local)
                start = text.find(value, end)


def _repeats(value: str) -> bool:
    """Say whether a long value begins with a run that repeats itself: a hundred thousand zeros."""
    return len(value) > LONGEST_PROSE and value.find(value[:BEFORE], 1, 3 * BEFORE) > 0


def searched(values: Mapping[str, str]) -> dict[str, str]:
    """Return the values that are looked for, each with its kind: no single letters, and what is written without gaps besides."""
    kinds = {value: kind for value, kind in values.items() if is_word(value)}
    for value in values:
        gapless = None if value.isascii() else without_gaps(value)
        if gapless:
            kinds.setdefault(gapless, values[value])
    return kinds


_BETWEEN: Final = "\x00"


def _opens(text: str, start: int, kind: str) -> bool:
    if start == 0:
        return True
    before, first = text[start - 1], text[start]
    if (before >= FIRST or first >= FIRST) and (is_unspaced(before) or is_unspaced(first)):
        return True
    if first.isalpha():
        return not before.isalpha() and not (before.isdigit() and kind == "opaque_id")
    if first.isdigit():
        return not before.isalnum()
    return True


def _closes(text: str, end: int, kind: str) -> bool:
    if end >= len(text):
        return True
    last, after = text[end - 1], text[end]
    if (after >= FIRST or last >= FIRST) and (is_unspaced(after) or is_unspaced(last)):
        return True
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
    behind = before in ".," and start > 1 and text[start - 2].isdigit()
    if behind and (before == "." or end - start <= SHORT):
        return True
    after = text[end : end + 2]
    if len(after) < 2 or after[0] not in ".," or not after[1].isdigit():
        return False
    # In a row of cells, `Sales,159905,81-83-46`, a comma is no part of a number.
    return after[0] == "." or (before != "," and _FRACTION.match(text, end) is not None)


def _camel(original: str, start: int, end: int) -> bool:
    """Say whether a name stands as a word of a camelCase identifier: `getYusufRossi`."""
    if not original[start].isupper():
        return False
    opened = start == 0 or not original[start - 1].isupper()
    closed = end >= len(original) or not original[end].islower()
    return opened and closed and original[start + 1 : end].islower()


def resolve(matches: Sequence[Match]) -> list[Match]:
    """Return the matches without overlaps: the leftmost, among those the longest, among those the lowest rank.

    An identifier around one made of names is itself made of them: `x_order_payment_4421_y` of somebody called so.
    """
    if len(matches) < 2:
        return list(matches)
    ordered = sorted(matches, key=lambda match: (match.start, -match.end, KINDS[match.kind].rank))
    kept: list[Match] = []
    done = -1
    for match in ordered:
        if match.start >= done:
            kept.append(match)
            done = match.end
        elif match.kind == "named_id" and kept[-1].kind == "opaque_id" and match.end <= done:
            kept[-1] = kept[-1]._replace(kind="named_id")
    return kept

"""Leaves in which nothing is left to judge: `Anna Meier <anna@mail.example>` is a name and an address, both of them known.

In: a leaf that a verdict withholds, what is known of its episode, the words that many subjects saw at its place, and what stands elsewhere in
the episode. Out: yes or no. A name that may stay where it stands, as one that is also ordinary does, is left.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Final

from redact.apply.matcher import Match
from redact.bounds import LONGEST_VALUE, SEVERAL, STEM
from redact.fold import fold_value
from redact.lists.gazetteer import COMMON, ORDINARY, is_name

_WORD: Final = re.compile(r"[^\W_]+")
_GAP: Final = re.compile(r"\.? ?")


_NUMBERS: Final = re.compile(r"\d+(?:(?:[.,:/°'\"\u2032\u2033*#\u2013-]| ?- ?| )\d+)*")
_MEASURE: Final = re.compile(r"\d{1,3}(?:[.,:]\d{1,3})?")
_BEHIND: Final = re.compile(r" ?(%|°|[^\W\d_]{1,4}(?![^\W\d_]))")


@dataclass(frozen=True, slots=True)
class TextsElsewhere:
    """What an episode says outside of the leaves in question, and what its app's words are."""

    texts: str = ""
    words: frozenset[str] = frozenset()
    """Of the texts, as written."""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By word: the leaves of documents that hold it and that no verdict withholds."""
    language: Collection[str] = frozenset()
    """Folded words that the app writes small, or that are nobody's."""
    many: Collection[str] = frozenset()
    """Folded words that many subjects saw at the leaf's own place."""

    def explains(self, value: str, word: re.Match[str]) -> bool:
        """Say whether a word of a value reveals nothing: a small number, a word of the language, or one that the episode says anyhow.

        A word that people bear must stand in a value of its own with the words beside it.
        """
        text = word[0]
        if text.isdecimal():
            return self._is_told(value, word)
        if text in self.words and _is_joined(value, word):
            return True
        folded = fold_value(text)
        borne = folded in ORDINARY or is_name(folded)
        if borne and (text.isupper() or text.islower()) and folded in COMMON:
            return text in self.words or folded in self.language
        if borne and text[0].isupper():
            return self._is_in_value(value, word)
        return text in self.words or (folded in self.language and not is_name(folded))

    def _is_told(self, value: str, number: re.Match[str]) -> bool:
        """Say whether a number counts or measures something, or stands elsewhere with all that is joined to it.

        Groups of a few digits side by side are one number: of a telephone, an account, a position.
        """
        starts, runs = _numbers_of(value)
        place = bisect_right(starts, number.start()) - 1
        if place < 0 or number.start() >= runs[place].end():
            return False
        run = runs[place]
        if not _MEASURE.fullmatch(run[0]):
            return run[0] in self.texts
        if run[0] in self.words or len(run[0]) <= SEVERAL or not run[0].isdecimal():
            return True
        unit = _BEHIND.match(value, run.end())
        return unit is not None and (unit[1] in "%°" or unit[1] in self.words)

    def _is_in_value(self, value: str, word: re.Match[str]) -> bool:
        """Say whether a word stands in a value that no verdict withholds, as it is written there."""
        for line in self.values.get(word[0], ()):
            at = value.find(line, max(0, word.start() - len(line)))
            while 0 <= at <= word.start():
                if at + len(line) >= word.end() and _is_whole(value, at, at + len(line)):
                    return True
                at = value.find(line, at + 1)
        return False


@lru_cache(maxsize=16)
def _numbers_of(value: str) -> tuple[list[int], list[re.Match[str]]]:
    """Return where a value's numbers begin, and the numbers: each of them is asked for."""
    runs = list(_NUMBERS.finditer(value))
    return [run.start() for run in runs], runs


def _is_joined(text: str, word: re.Match[str]) -> bool:
    """Say whether a word is part of a mark: `DATE` of `ERR_CERT_DATE_INVALID`."""
    return "_" in {text[word.start() - 1 : word.start()], text[word.end() : word.end() + 1]}


def _is_whole(text: str, start: int, end: int) -> bool:
    """Say whether no word goes on beyond a span of a text."""
    return not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum()


def texts_elsewhere(
    texts: Iterable[str],
    withheld: Collection[str],
    values: Iterable[str],
    language: Collection[str],
) -> TextsElsewhere:
    """Return what texts say without the leaves that are withheld, however they are quoted."""
    spellings = sorted(
        {one for value in withheld for one in spellings_of(value)}, key=len, reverse=True
    )
    rest = "\n".join(dict.fromkeys(texts))
    for spelling in spellings:
        rest = rest.replace(spelling, "\n")
    words = frozenset(_WORD.findall(rest))
    by_word: dict[str, tuple[str, ...]] = {}
    for value in dict.fromkeys(values):
        for word in set(_WORD.findall(value)) if len(value) <= LONGEST_VALUE else ():
            by_word[word] = (*by_word.get(word, ()), value)
    return TextsElsewhere(rest, words, by_word, language)


def spellings_of(value: str) -> Iterator[str]:
    """Yield a leaf's text as it stands in prose, in JSON, and in JSON inside a string."""
    quoted = json.dumps(value, ensure_ascii=False)[1:-1]
    yield from (value, quoted, json.dumps(quoted, ensure_ascii=False)[1:-1])


NOWHERE: Final = TextsElsewhere()


def is_accounted_for(
    value: str,
    everywhere: Iterable[Match],
    own: Mapping[str, str],
    is_public: Callable[[str], bool],
    told: TextsElsewhere = NOWHERE,
) -> bool:
    """Say whether every word of a value is replaced where it stands, many subjects' or told elsewhere; `own` are the episode's words."""
    spans = sorted([(match.start, match.end) for match in everywhere])
    if not (spans or own or told.many or told.words):
        return False
    starts = [start for start, _ in spans]
    reached = [0, *accumulate((end for _, end in spans), max)]
    left = [
        word
        for word in _WORD.finditer(value)
        if reached[bisect_right(starts, word.start())] < word.end()
    ]
    replaced = [word for word in left if _is_replaced(word[0], own, is_public)]
    begins = {start for start, _ in spans} | {word.start() for word in replaced}
    return all(
        _is_replaced(word[0], own, is_public)
        or _is_initial(value, word, begins)
        or (
            not _is_begun(folded := fold_value(word[0]), own)
            and (folded in told.many or told.explains(value, word))
        )
        for word in left
    )


def _is_initial(value: str, word: re.Match[str], begins: Collection[int]) -> bool:
    """Say whether a word is one capital before a name that is replaced."""
    if len(word[0]) > 1 or not word[0].isupper():
        return False
    gap = _GAP.match(value, word.end())
    return gap is not None and gap.end() > word.end() and gap.end() in begins


def _is_begun(folded: str, own: Mapping[str, str]) -> bool:
    return any(folded.startswith(name) for name in own if len(name) >= STEM)


def _is_replaced(word: str, own: Mapping[str, str], is_public: Callable[[str], bool]) -> bool:
    folded = fold_value(word)
    return len(folded) > 1 and folded in own and folded not in ORDINARY and not is_public(word)

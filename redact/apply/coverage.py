"""Leaves in which nothing is left to judge: `Anna Meier <anna@mail.example>` is a name and an address, both of them known.

In: a leaf that a verdict withholds, what is known of its episode, the words that many subjects saw at its place, and what stands elsewhere in
the episode. Out: yes or no. Fails closed: a name that may stay where it stands, and a number that is said nowhere else, hold their leaf back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from redact.apply.matcher import Match
from redact.bounds import SEVERAL, SHORT
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_name

_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class TextsElsewhere:
    """What an episode says outside of the leaves in question, and what its app's words are."""

    words: frozenset[str] = frozenset()
    """Of the texts, as written."""
    language: Collection[str] = frozenset()
    """Folded words that the app writes small, or that are nobody's."""
    many: Collection[str] = frozenset()
    """Folded words that many subjects saw at the leaf's own place."""

    def explains(self, value: str, word: re.Match[str]) -> bool:
        """Say whether a word of a value reveals nothing: a small number, a word of the language, or one that the episode says anyhow."""
        text = word[0]
        folded = fold_value(text)
        if folded in self.many or (text in self.words and _is_joined(value, word)):
            return True
        if text.isdecimal():
            return len(text) <= SEVERAL and not _goes_on(value, word)
        borne = folded in ORDINARY or is_name(folded)
        return not borne and (text in self.words or folded in self.language)


NOWHERE: Final = TextsElsewhere()


def _is_joined(text: str, word: re.Match[str]) -> bool:
    """Say whether a word is part of a mark: `DATE` of `ERR_CERT_DATE_INVALID`."""
    return "_" in {text[word.start() - 1 : word.start()], text[word.end() : word.end() + 1]}


def _goes_on(text: str, number: re.Match[str]) -> bool:
    """Say whether other digits stand near a number: groups side by side are one, of a telephone or an account."""
    near = text[max(0, number.start() - SHORT) : number.start()]
    return any(map(str.isdigit, near + text[number.end() : number.end() + SHORT]))


def texts_elsewhere(
    texts: Iterable[str], withheld: Collection[str], language: Collection[str]
) -> TextsElsewhere:
    """Return what texts say without the leaves that are withheld, however they are quoted."""
    spellings = {one for value in withheld for one in spellings_of(value)}
    rest = "\n".join(dict.fromkeys(texts))
    for spelling in sorted(spellings, key=len, reverse=True):
        rest = rest.replace(spelling, "\n")
    return TextsElsewhere(frozenset(_WORD.findall(rest)), language)


def spellings_of(value: str) -> Iterator[str]:
    """Yield a leaf's text as it stands in prose, in JSON, and in JSON inside a string."""
    quoted = json.dumps(value, ensure_ascii=False)[1:-1]
    yield from (value, quoted, json.dumps(quoted, ensure_ascii=False)[1:-1])


def is_accounted_for(
    value: str,
    everywhere: Iterable[Match],
    own: Mapping[str, str],
    is_public: Callable[[str], bool],
    told: TextsElsewhere = NOWHERE,
) -> bool:
    """Say whether every word of a value is replaced where it stands, many subjects' or told elsewhere; `own` are the episode's words."""
    left = list(value)
    for match in everywhere:
        left[match.start : match.end] = " " * (match.end - match.start)
    return all(
        _is_replaced(word[0], own, is_public) or told.explains(value, word)
        for word in _WORD.finditer("".join(left))
    )


def _is_replaced(word: str, own: Mapping[str, str], is_public: Callable[[str], bool]) -> bool:
    folded = fold_value(word)
    return len(folded) > 1 and folded in own and folded not in ORDINARY and not is_public(word)

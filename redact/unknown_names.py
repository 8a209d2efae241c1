"""Runs of capitalised words in prose that nobody knows: a person whom no list, no key and no introduction tells of.

In: a text, then the words that an app's own language holds. Out: the runs that may be names, and of each what the language leaves unexplained.
Fails closed: two capitalised words side by side that the app never writes small, and that stand in no definition, prompt, key or value of
everybody's, are somebody's name. A single one is only where a list of names has it and it begins no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from redact.fold import fold_value
from redact.gazetteer import ORDINARY, is_name
from redact.months import MONTH
from redact.surrogates import PARTICLES, STREET_WORDS
from redact.value_sets import PLACES

UNKNOWN_NAMES: Final = "~^"
"""The path of the place where such runs are counted."""
_PARTS: Final = re.compile(r"[^\W\d_]+")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019\-][^\W\d_]+)*")
_ENDED: Final = re.compile(r"(?<=[^\W\d_]{3}\.) ")
_INSIDE: Final = re.compile(r"[^\W\d_,)] ")
_OWN: Final = re.compile(r"['\u2019]s$")
_IS_MONTH: Final = re.compile(MONTH, re.IGNORECASE)
_TWO: Final = 2


def unknown_runs(text: str, runs: Iterable[str], *, alone: bool) -> list[str]:
    """Return what of a text's runs may be names; `alone`: single words too, a listed one anywhere and another inside a sentence."""
    found = list(filter(None, map(_possible, runs)))  # nine of ten runs end here
    if not found:
        return _NONE
    return [
        part
        for part in dict.fromkeys(chain.from_iterable(found))
        if " " in part or (alone and (is_listed(part) or _is_inside(part, text)))
    ]


_NONE: Final[list[str]] = []


def _is_inside(word: str, text: str) -> bool:
    """Say whether a word stands behind another or a comma, which no sentence begins with."""
    at = text.find(word)
    while at >= 0:
        if _INSIDE.fullmatch(text, max(0, at - 2), at):
            return True
        at = text.find(word, at + 1)
    return False


@lru_cache(maxsize=65_536)
def _possible(run: str) -> tuple[str, ...]:
    """Return the parts of a run that may be names: a dot behind three letters ends a sentence."""
    if " " not in run:
        single = _OWN.sub("", run.rstrip("."))
        return (single,) if _may_be_own(single) else ()
    if not any(map(_may_be_own, run.split())):
        return ()
    found: list[str] = []
    for part in _ENDED.split(run):
        if _rest(part, ()):
            found.append(part)
        else:
            single_words = (_OWN.sub("", word.rstrip(".")) for word in part.split())
            found += [word for word in single_words if _may_be_own(word) and is_listed(word)]
    return tuple(found)


@lru_cache(maxsize=65_536)
def _may_be_own(word: str) -> bool:
    """Say whether a word of a run is not surely a common one, a place, a month or a mark."""
    plain = word.rstrip(".")
    if plain.casefold() in ORDINARY:
        return False
    return len(plain) > _TWO and not _is_known(plain, ()) and not _IS_MONTH.fullmatch(plain)


@lru_cache(maxsize=65_536)
def is_listed(word: str) -> bool:
    """Say whether a list of names has a word."""
    return is_name(fold_value(word))


def unexplained_in(run: str, words: Collection[str]) -> list[str]:
    """Return what of a run the language does not explain: two words or more side by side, or a single one that is all of it."""
    if " " not in run:
        return [] if _is_known(run, words) else [run]
    return _rest(run, words)


def _rest(run: str, words: Collection[str]) -> list[str]:
    kept: list[str] = []
    own: list[str] = []
    for word in [*_WORD.findall(run), ""]:
        if word and word.casefold() in PARTICLES and own:
            own.append(word)
        elif word and not _is_known(word, words):
            own.append(_OWN.sub("", word))
        else:
            while own and own[-1].casefold() in PARTICLES:
                own.pop()
            if sum(one.casefold() not in PARTICLES for one in own) >= _TWO:
                kept.append(" ".join(own))
            own = []
    return kept


def _is_known(word: str, words: Collection[str]) -> bool:
    """Say whether a word is one of the language, or a mark, or holds one."""
    if word.isupper():
        return True
    parts = [part for part in _PARTS.findall(word) if not part[0].islower() and len(part) > 1]
    return not parts or any(_is_plain(part) or fold_value(part) in words for part in parts)


@lru_cache(maxsize=65_536)
def _is_plain(part: str) -> bool:
    folded = fold_value(part)
    return folded in ORDINARY or folded in PLACES or folded in STREET_WORDS


def told_words(text: str) -> Iterator[str]:
    """Yield the folded words of a text."""
    return (
        map(fold_value, set(_PARTS.findall(text)))
        if not text.isascii()
        else iter(set(_PARTS.findall(text.lower())))
    )


def key_words(path: str) -> Iterator[str]:
    """Yield the folded words of keys, of `lockStatus` both."""
    return map(fold_value, _CASED.findall(path))


_CASED: Final = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[^\W\d_][^\W\d_A-Z]*")


def small_words(said: Iterable[str]) -> Iterator[str]:
    """Yield the folded words that are written small."""
    return (fold_value(word) for word in said if word.islower() and word.isalpha())

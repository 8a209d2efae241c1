"""Runs of capitalised words in prose that nobody knows: a person whom no list, no key and no introduction tells of.

In: a text, then the words that an app's own language holds. Out: the runs that may be names, and of each what the language leaves unexplained.
Fails closed: two capitalised words side by side that the app never writes small, and that stand in no definition, prompt, key or value of
everybody's, are somebody's name. A single one is only where a list of names has it and it begins no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import chain
from typing import Final

from redact.bounds import SEVERAL, STEM
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_compound, is_name
from redact.lists.word_lists import PARTICLES, PLACES, STREET_WORDS, word_list
from redact.values.months import MONTH
from redact.values.scripts import is_word, without_gaps

_PARTS: Final = re.compile(r"[^\W\d_]+")
_WORD: Final = re.compile(r"[^\W\d_]\.(?= )|[^\W\d_]+(?:['\u2019\-][^\W\d_]+)*")
"""A word; an initial is one with its dot."""
_ENDED: Final = re.compile(r"(?<=[^\W\d_]{3}\.) ")
_OWN: Final = ("'s", "\u2019s")
_IS_MONTH: Final = re.compile(MONTH, re.IGNORECASE)


def unknown_runs(text: str, runs: Iterable[str], *, alone: bool, listed: bool = True) -> list[str]:
    """Return what of a text's runs may be names; `alone`: single words inside a sentence too, and `listed` ones anywhere."""
    found = list(filter(None, map(_possible, runs)))  # nine of ten runs end here
    if not found:
        return _NONE
    return [
        part
        for part in dict.fromkeys(chain.from_iterable(found))
        if not (fold_value(part) in _GREETINGS and text.lstrip().startswith(part))  # `Olá, dá para`
        if " " in part or (alone and ((listed and is_listed(part)) or _is_inside(part, text)))
    ]


_NONE: Final[list[str]] = []


_IS_CALLED: Final = re.compile(r"[.?!]?\s*\Z| here\b")
"""What stands behind a name by which somebody is called, or calls himself: `Anything else, Ana?`, `Hi, Ana here`."""


def _is_inside(word: str, text: str) -> bool:
    """Say whether a word stands behind another, which no sentence begins with, or somebody is called by it or signs with it."""
    if text.endswith(f"\n{word}") and not text[: -len(word)].isspace():
        return True  # all of the last line
    inside = f" {word}"
    at = text.find(inside, 1)
    while at >= 0:
        before = text[at - 1]
        if before == "&" or (before.isalnum() and not before.isdecimal()):
            return True
        if before == "," and _IS_CALLED.match(text, at + len(inside)):
            return True
        at = text.find(inside, at + 1)
    return False


@lru_cache(maxsize=65_536)
def _possible(run: str) -> tuple[str, ...]:
    """Return the parts of a run that may be names: a dot behind three letters ends a sentence."""
    if " " not in run:
        single = _bare_word(run)
        return (single,) if _may_be_own(single) else ()
    words = run.split()
    if not any(map(_may_be_own, words)):
        return ()
    found: list[str] = []
    for part in _ENDED.split(run) if "." in run else (run,):
        if _unknown_rest(part, _NO_WORDS):
            found.append(part)
        else:
            singles = filter(_may_be_own, map(_bare_word, part.split()))
            found += singles if " " not in part else filter(is_listed, singles)
    return tuple(found)


def _bare_word(word: str) -> str:
    """Return a word without the dot behind it and without a possessive."""
    plain = word.rstrip(".")
    return plain[:-2] if plain.endswith(_OWN) else plain


@lru_cache(maxsize=65_536)
def _may_be_own(word: str) -> bool:
    """Say whether a word of a run is not surely a common one, a place, a month or a mark."""
    plain = word.rstrip(".")
    if len(plain) <= SEVERAL or _is_common(plain) or plain.casefold() in ORDINARY:
        return False
    return not _IS_MONTH.fullmatch(plain)


@lru_cache(maxsize=65_536)
def is_listed(word: str) -> bool:
    """Say whether a list of names has a word."""
    return is_name(fold_value(word))


def unexplained_in(run: str, words: AbstractSet[str]) -> list[str]:
    """Return what of a run the language does not explain: two words or more side by side, or a single one that is all of it."""
    if " " not in run:
        return [] if _is_known(run, words) else [run]
    gapless = None if run.isascii() else without_gaps(run)
    if gapless and (fold_value(gapless) in words):
        return []
    return _unknown_rest(run, words)


def _unknown_rest(run: str, words: AbstractSet[str]) -> list[str]:
    told = _words_in(run)
    # Whom a greeting greets is somebody, though the greeting is a word of the language.
    known = [
        word[-1] != "." and word.casefold() not in _GREETINGS and _is_known(word, words)
        for word, _ in told
    ]
    own = [word for one, (word, particle) in zip(known, told, strict=True) if not (one or particle)]
    if len(own) < SEVERAL or all(word[-1] == "." for word in own):
        return []  # nearly all of them: one sentence's first word, two of the app's
    kept: list[str] = []
    own = []
    for one, (word, particle) in zip([*known, True], [*told, ("", False)], strict=True):
        if particle and own:
            own.append(word)
        elif not one:
            own.append(word[:-2] if word.endswith(_OWN) else word)
        else:
            while own and own[-1].casefold() in PARTICLES:
                own.pop()
            if len(own) >= SEVERAL and own[0].casefold() in _GREETINGS:
                kept.append(" ".join(own[1:]))  # the greeting stays, who is greeted goes
            elif sum(name.casefold() not in PARTICLES for name in own) >= SEVERAL:
                kept.append(" ".join(own))
            own = []
    return kept


@lru_cache(maxsize=65_536)
def _words_in(run: str) -> tuple[tuple[str, bool], ...]:
    """Return the words of a run, and whether each is a particle."""
    return tuple([(word, word.casefold() in PARTICLES) for word in _WORD.findall(run)])


def _is_known(word: str, words: AbstractSet[str]) -> bool:
    """Say whether a word is one of the language, or a mark, or holds one."""
    return _is_common(word) or not words.isdisjoint(_parts_of(word))


@lru_cache(maxsize=65_536)
def _is_common(word: str) -> bool:
    """Say whether a word is a mark, or holds one that is nobody's in any app."""
    mark = word.isupper() and not (len(word) >= STEM and is_listed(word))  # `KOWALSKI Anna`
    return mark or is_compound(word) or not _COMMON.isdisjoint(_parts_of(word) or _COMMON)


@lru_cache(maxsize=65_536)
def _parts_of(word: str) -> tuple[str, ...]:
    """Return the folded parts of a word that are written with a capital."""
    parts = (word,) if word.isalpha() else _PARTS.findall(word)
    return tuple([fold_value(part) for part in parts if not part[0].islower() and is_word(part)])


_COMMON: Final = frozenset({*ORDINARY, *PLACES, *STREET_WORDS})
_GREETINGS: Final = word_list("greetings")
_NO_WORDS: Final[frozenset[str]] = frozenset()

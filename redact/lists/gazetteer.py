"""Names that people bear, from Faker's locale lists: evidence that a word is a name, never proof.

In: a folded word. Out: whether some locale lists it. Loaded on first use (0.5 s, 50 thousand words). Words that are also
ordinary English are left out, because "May I order a brown shirt" is three names.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

from redact.bounds import LONG_NUMBER, STEM
from redact.fold import fold_value, fold_words
from redact.lists.dictionary import (
    ENGLISH,
    GERMAN,
    LANGUAGES,
    commonest_of,
    rare_words_of,
    words_of,
)
from redact.lists.word_lists import word_list

ORDINARY: Final = word_list("ordinary") | frozenset(map(fold_value, word_list("weekdays")))
"""Words of ordinary English that are also names, and the days of the week."""
COMMON: Final = word_list("common")
"""Other words of English that some people bear and that nobody means by them where they are written small."""
_COUNTED: Final = ("en_US", "en_GB")
"""Faker's lists of the names that are most frequent; its long list of English names has words such as Add and Author."""
_LOCALES: Final = 3
"""A word of the dictionary is a name where so many locales list it."""


@lru_cache(maxsize=1)
def _borne() -> Mapping[str, frozenset[str]]:
    """Return every listed name with the locales that list it."""
    # Local import: Faker costs 0.5 s, and only texts without a structure to learn from need it.
    providers = importlib.import_module("faker.providers.person")
    found: dict[str, set[str]] = {}
    for module in pkgutil.iter_modules(providers.__path__):
        provider = importlib.import_module(f"faker.providers.person.{module.name}").Provider
        for listed in ("first_names", "first_names_female", "first_names_male", "last_names"):
            names = getattr(provider, listed, ())
            for name in () if isinstance(names, property) else fold_words(map(str, names)):
                for word in name.replace("-", " ").split():
                    found.setdefault(word, set()).add(module.name)
    return {name: frozenset(locales) for name, locales in found.items() if len(name) > 1}


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    words = words_of(ENGLISH)
    return frozenset(
        name
        for name, locales in _borne().items()
        if name not in words
        or name in ORDINARY
        or len(locales) >= _LOCALES
        or not locales.isdisjoint(_COUNTED)
    )


@lru_cache(maxsize=1)
def han_surnames() -> frozenset[str]:
    """Return the Chinese surnames of one letter that Faker's lists have."""
    found: set[str] = set()
    for locale in ("zh_CN", "zh_TW"):
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        found.update(name for name in provider.last_names if len(name) == 1)
    return frozenset(found)


def is_name(word: str) -> bool:
    """Say whether a folded word is a name in some locale and not an ordinary English word."""
    return word in _names() and word not in ORDINARY


def is_borne(word: str) -> bool:
    """Say whether a folded word is a name that people bear, also where it is an ordinary word."""
    return word in _names()


def is_listed(word: str) -> bool:
    """Say whether some locale lists a folded word, however rare it is as a name: beside another name it is one."""
    return word in _borne()


@lru_cache(maxsize=65_536)
def is_compound(word: str) -> bool:
    """Say whether a word is several English words, each with a capital and not all of them names: `AlphaCode`, and not `McCall` or `MaryBeth`."""
    parts = [part.casefold() for part in _CAPITALS.findall(word)]
    return (
        len(parts) > 1
        and sum(map(len, parts)) == len(word)
        and words_of(ENGLISH).issuperset(parts)
        and not nobodys_words(ENGLISH).isdisjoint(parts)
        and parts[0] not in _OF_SURNAMES
    )


_CAPITALS: Final = re.compile(r"[A-Z][a-z]{2,}")
_OF_SURNAMES: Final = word_list("particles") | {"fitz", "mac", "saint", "san"}


def is_joined(word: str, words: AbstractSet[str]) -> bool:
    """Say whether a folded word is two German ones, the second of these words, that nobody bears: `auftragsnummer`, and not `feldhaus` or `bergmann`."""
    ends = [cut for cut in range(STEM, len(word) - LONG_NUMBER + 1) if word[cut:] in words]
    return any(
        word[cut:] in _german() and not _german().isdisjoint({word[:cut], word[:cut].rstrip("sn")})
        for cut in ends
    )


@lru_cache(maxsize=1)
def _german() -> frozenset[str]:
    return frozenset(word for word in words_of(GERMAN) if len(word) >= STEM) - _borne().keys()


@lru_cache(maxsize=20_000)
def is_thing(word: str) -> bool:
    """Say whether a folded word is among the commonest of a language, and no locale lists it as a name: `therapie`."""
    return not is_listed(word) and any(word in commonest_of(one) for one in LANGUAGES)


@lru_cache(maxsize=64)
def nobodys_words(language: str, *, large: bool = False) -> frozenset[str]:
    """Return the words of a language that nobody bears as a name: of rare ones those that no locale lists at all.

    `large`: of words with a capital. German begins every noun so; elsewhere it shows a name, of which only the commonest words are free.
    """
    words = words_of(language)
    if language == ENGLISH:
        return words - _names()
    borne = _borne()
    large = large and language != GERMAN
    common = commonest_of(language) if large else words
    known = frozenset(word for word in common if len(borne.get(word, ())) < _LOCALES)
    return known | ((words if large else rare_words_of(language)) - borne.keys())

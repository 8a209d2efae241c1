"""Words of a language, as a dictionary or a frequency list has them: evidence that a word is nobody's name.

In: a language's code. Out: its common words, folded, and no proper names: English from hunspell's dictionary, which writes
those with a capital; other languages from wordfreq's lists, by how often a word is written. Loaded on first use.
Which of these words people bear as names is `redact.lists.gazetteer`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from redact.bounds import MOST
from redact.fold import fold_words

ENGLISH: Final = "en"
GERMAN: Final = "de"
CHINESE: Final = "zh"
JAPANESE: Final = "ja"
LANGUAGES: Final = (
    "da", "de", "es", "fi", "fr", "id", "it", "nb", "nl", "pl", "pt", "ro", "ru", "sv", "tr", "uk",
)  # fmt: skip
"""Languages with spaces between words that an app is tested for, besides English."""
_LOOKED_UP: Final = 700
"""Centibels below certainty down to which words are looked up in a dictionary: a word in ten million."""
_COMMON: Final = 550
"""Where no dictionary tells proper names apart: a word in three hundred thousand."""
_COMMONEST: Final = 480
"""What is written so often is a word, whoever is called like it: a word in sixty thousand."""
_FEWEST: Final = 20
"""Fewer different words show no language: neighbours share the shortest."""


@cache
def words_of(language: str) -> frozenset[str]:
    """Return the folded common words of a language, without its proper names where a dictionary tells them apart."""
    if language != ENGLISH:
        return frozenset(fold_words(_words_of(language, _COMMON)))
    # Local import: the dictionary is read from a file.
    from hunspell import Hunspell  # noqa: PLC0415

    spelt = Hunspell("en_US").spell
    return frozenset(
        word for word in _words_of(ENGLISH, _LOOKED_UP) if word.isascii() and spelt(word)
    )


@cache
def commonest_of(language: str) -> frozenset[str]:
    """Return the folded words of a language that are written so often that few mean a person by them."""
    return frozenset(fold_words(_words_of(language, _COMMONEST)))


@cache
def rare_words_of(language: str) -> frozenset[str]:
    """Return the folded words of a language that are written at least as often as an English word is looked up; proper names are among them."""
    return frozenset(fold_words(_words_of(language, _LOOKED_UP)))


def languages_spoken(small: Collection[str]) -> tuple[str, ...]:
    """Return the languages whose common words most of an app's words in small letters are, English among them always.

    Where most are English words, no other language's are: its list is not read (16 of them take a quarter of a second).
    """
    if len(small) < _FEWEST or _share(small, words_of(ENGLISH)) >= MOST:
        return (ENGLISH,)
    known = (one for one in LANGUAGES if _share(small, words_of(one)) >= MOST)
    return (ENGLISH, *known)


def _share(words: Collection[str], known: Collection[str]) -> float:
    return sum(word in known for word in words) / len(words)


def _words_of(language: str, rarest: int) -> Iterator[str]:
    """Yield the words of a language from the most frequent on."""
    # Local import: its lists are read from files.
    from wordfreq import get_frequency_list  # noqa: PLC0415

    # Every language has a list of its common words beside the one of all its words, which is twenty times as large and stays in memory.
    listed = get_frequency_list(language, "small" if rarest <= _COMMON else "best")
    for words in listed[:rarest]:
        yield from (word for word in words if len(word) > 1 and word.isalpha())

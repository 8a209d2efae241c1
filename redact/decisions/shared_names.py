"""Places that hold names of people whom several subjects know: officers, mediators, coaches.

In: the evidence of an app, what was judged of it, the app's language. Out: places. What k people share is a list of choices, unless
its values are names: words that the language lacks, half of which begin with a listed name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Final

from redact.bounds import NEARLY_ALL, SEVERAL
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_name
from redact.lists.lexicon import key_words, word_group
from redact.lists.word_lists import PARTICLES, PLACES, STREET_WORDS, word_list
from redact.readers.place import UNKNOWN, Place, last_key
from redact.values.forms import commonest
from redact.values.scripts import is_word

_JOINTS: Final = re.compile(r"[._-]")


def shared_names(
    evidence: Mapping[str, Mapping[str, list[int]]],
    judged: Collection[str],
    language: Collection[str],
) -> Iterator[str]:
    """Yield the keys of places whose values are names of people that nothing else showed, and where else these stand."""
    found = list(_named(evidence, judged, language))
    people = {_spaced(value) for key in found for value in evidence[key]}
    yield from found
    for key, seen in evidence.items() if people else ():
        if len(seen) > SEVERAL * len(people) or key in judged or key in found:
            continue
        if Place.of(key).kind != UNKNOWN:
            continue
        known = sum(_spaced(value) in people for value in seen)
        if known == len(seen) or (known >= SEVERAL and known * 2 >= len(seen)):
            yield key


def _spaced(value: str) -> str:
    """Return a name as words: `chidi.nwosu` is Chidi Nwosu."""
    return _JOINTS.sub(" ", fold_value(value))


def _named(
    evidence: Mapping[str, Mapping[str, list[int]]],
    judged: Collection[str],
    language: Collection[str],
) -> Iterator[str]:
    for key, seen in evidence.items():
        place = Place.of(key)
        who = says_who(last_key(place.path))
        if key in judged or place.kind != UNKNOWN or (len(seen) < SEVERAL and not who):
            continue
        values = list(seen)
        if commonest(values) != "names":
            continue
        names = [value for value in map(_untitled, values) if value]
        # Ugochukwu Court approves: under a key that asks who, one word of two may be any.
        says = _says_all if who else _says_something
        own = [value for value in names if not says(value, language)]
        if len(own) < NEARLY_ALL * len(values):
            continue
        listed = sum(is_name(fold_value(word)) for value in own for word in value.split()[:1])
        listed = max(listed, sum(map(_is_titled, values)))
        if who or (len(own) >= SEVERAL and listed >= max(SEVERAL, len(values) / SEVERAL)):
            yield key


def _is_titled(value: str) -> bool:
    """Say whether a value is a title with one or two words behind it: `Mang Kanor`."""
    first, _, rest = value.partition(" ")
    return bool(rest) and first.casefold().rstrip(".").replace("\u2019", "'") in _TITLES


def _untitled(value: str) -> str:
    return value.partition(" ")[2] if _is_titled(value) else value


_TITLES: Final = word_list("titles")


@lru_cache(maxsize=65_536)
def says_who(key: str) -> bool:
    """Say whether a key asks who did something or what somebody is: `approved_by`, `agent`."""
    words = key_words(key)
    return bool(words) and (words[-1] == "by" or words[-1] in word_group("person"))


def _says_something(value: str, language: Collection[str]) -> bool:
    """Say whether a word of a value is one of the language."""
    return any(_what_says(value, language))


def _says_all(value: str, language: Collection[str]) -> bool:
    """Say whether every word of a value is one of the language."""
    return all(_what_says(value, language))


def _what_says(value: str, language: Collection[str]) -> Iterator[bool]:
    """Yield of each word of a value whether it is one of the language."""
    words = [word.strip(".") for word in fold_value(value).split()]
    parted = sum(is_word(word) for word in words) > 1  # Devon Mukasa is no place, Boston A is
    for word in words:
        if word not in PARTICLES and is_word(word):
            yield (
                word in ORDINARY
                or (word in PLACES and not (parted and is_name(word)))
                or word in STREET_WORDS
                or word in language
            )

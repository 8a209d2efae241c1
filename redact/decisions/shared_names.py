"""Places that hold names of people by what other places show, or whom several subjects know: officers, mediators, coaches.

In: an app's places, and what was decided of them. Out: places. What k people share is a list of choices, unless
its values are names: words that the language lacks, half of which begin with a listed name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final

from redact.bounds import CODE_LENGTH, LONG_NUMBER, MOST, NEARLY_ALL, SEVERAL, TWICE, VARIED
from redact.decisions.field_forms import is_name_like
from redact.decisions.profile import App
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_name
from redact.lists.lexicon import key_words, word_group
from redact.lists.word_lists import PARTICLES, PLACES, STREET_WORDS, word_list
from redact.readers.place import UNKNOWN, last_key
from redact.values.forms import commonest
from redact.values.scripts import SIGNS, is_word

_WORD: Final = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{SIGNS}])+")
_JOINTS: Final = re.compile(r"[._-]")


def shared_names(app: App) -> Iterator[str]:
    """Yield the keys of places whose values are names of people that nothing else showed, and where else these stand."""
    found = list(_keys_named(app))
    people = {_spaced(value) for key in found for value in app.evidence[key]}
    yield from found
    for key, seen in app.evidence.items() if people else ():
        if len(seen) > TWICE * len(people) or key in app.decided or key in found:
            continue
        if app.places[key].kind != UNKNOWN:
            continue
        known = sum(_spaced(value) in people for value in seen)
        if known == len(seen) or (known >= SEVERAL and known * 2 >= len(seen)):
            yield key


def named_elsewhere(app: App) -> Iterator[str]:
    """Yield the keys of places whose single words are words of the people named at other places: a first name many share."""
    named = app.keys_of_names()
    words = {
        word
        for key in named
        for value in app.evidence[key]
        if len(parts := _WORD.findall(fold_value(value))) > 1
        for word in parts
    }
    for key, seen in app.evidence.items():
        place = app.places[key]
        if not place.free or place.kind != UNKNOWN or key in named:
            continue
        mine = [value for value in seen if is_name_like(value) and len(value.split()) == 1]
        known = sum(fold_value(value) in words for value in mine)
        if known > 1 and known * 2 > len(seen):
            yield key


def beside_names(app: App) -> Iterator[str]:
    """Yield the keys of places beside names, as varied as they are, whose words are of a script without capitals."""
    named = app.keys_of_names()
    varied: dict[str, int] = {}
    for key in named:
        record = key.rpartition(".")[0]
        varied[record] = max(varied.get(record, 0), len(app.evidence[key]))
    for key, seen in app.evidence.items():
        place = app.places[key]
        most = varied.get(key.rpartition(".")[0], 0)
        if not place.free or place.kind != UNKNOWN or key in named or most < VARIED:
            continue
        uncased = sum(_is_uncased(value) for value in seen)
        if len(seen) >= MOST * most and uncased > MOST * len(seen):
            yield key


def _is_uncased(value: str) -> bool:
    """Say whether a value is a few short words whose letters have no case."""
    words = value.split()
    return 0 < len(words) <= LONG_NUMBER and all(
        len(word) <= CODE_LENGTH
        and all(letter.upper() == letter.lower() and not letter.isdigit() for letter in word)
        for word in words
    )


def _spaced(value: str) -> str:
    """Return a name as words: `chidi.nwosu` is Chidi Nwosu."""
    return _JOINTS.sub(" ", fold_value(value))


def _keys_named(app: App) -> Iterator[str]:
    for key, seen in app.evidence.items():
        place = app.places[key]
        who = says_who(last_key(place.path))
        if key in app.decided or place.kind != UNKNOWN or (len(seen) < SEVERAL and not who):
            continue
        values = list(seen)
        if commonest(values) != "names":
            continue
        names = [value for value in map(_untitled, values) if value]
        # Ugochukwu Court approves: under a key that asks who, one word of two may be any.
        says = _says_all if who else _says_something
        own = [value for value in names if not says(value, app.language)]
        if len(own) < NEARLY_ALL * len(values):
            continue
        listed = sum(is_name(fold_value(word)) for value in own for word in value.split()[:1])
        listed = max(listed, sum(map(_is_titled, values)))
        if who or (len(own) >= SEVERAL and listed >= max(SEVERAL, len(values) / TWICE)):
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

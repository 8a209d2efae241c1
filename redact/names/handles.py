"""User names that are words, in text of unknown form: `pszczbo`, which Bogumi\u0142 Pszczo\u0142a sees.

In: the evidence of an app, and the places that hold people's names. Out: the places that hold such words. A user name shows by being made
of its owner's names; where many people were seen, by being each one's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from redact.decisions.free_text import are_own, subjects_of
from redact.evidence.people_places import UNKNOWN
from redact.evidence.place import Place
from redact.lists.dictionary import ENGLISH
from redact.lists.gazetteer import nobodys_words
from redact.values.fold import fold_value

_HANDLE: Final = re.compile(r"[^\W_][\w.-]{3,31}")
_RUN: Final = re.compile(r"[^\W\d_]{3,}")
_BEGIN: Final = 3
"""So many first letters of a name in a word make it one of hers."""
_LEAST_SUBJECTS: Final = 10
_OWN: Final = 0.8


def handle_places(
    evidence: Mapping[str, Mapping[str, list[int]]], named: Collection[str], *, k: int
) -> Iterator[str]:
    """Yield the keys of places in text of unknown form whose values are people's user names."""
    names = _names_by_subject(evidence, named)
    for key, seen in evidence.items():
        place = Place.of(key)
        if not place.free or place.kind != UNKNOWN or key in named:
            continue
        mine = {value: listed for value, listed in seen.items() if is_handle(value)}
        if not mine or len(mine) * 2 < len(seen):
            continue
        made = sum(_is_made_of(value, listed, names) for value, listed in mine.items())
        many = subjects_of([mine]) >= _LEAST_SUBJECTS and len(mine) >= _OWN * subjects_of([mine])
        if made * 2 > len(mine) or (many and are_own(mine, k=k, fits=is_handle)):
            yield key


def is_handle(value: str) -> bool:
    """Say whether a value is one word in small letters, as user names are, and no word of a dictionary."""
    if not value.islower() or _HANDLE.fullmatch(value) is None:
        return False
    return value not in nobodys_words(ENGLISH)


def _names_by_subject(
    evidence: Mapping[str, Mapping[str, list[int]]], named: Collection[str]
) -> dict[int, set[str]]:
    """Return the beginnings of the names that each subject saw."""
    names: dict[int, set[str]] = {}
    for key in named:
        for value, listed in evidence[key].items():
            begins = {word[:_BEGIN] for word in _RUN.findall(fold_value(value))}
            for subject in listed:
                names.setdefault(subject, set()).update(begins)
    return names


def _is_made_of(value: str, listed: list[int], names: Mapping[int, set[str]]) -> bool:
    folded = fold_value(value)
    return any(begin in folded for subject in listed for begin in names.get(subject, ()))

"""Words that are people's keys: `luz` or `bcd` under an argument that asks for one person's record.

In: the evidence of an app and its places. Out: the places whose values are such keys. A user name that is a word looks like a
choice; what it is shows in its use: one word, asked of a tool that answers with a person's record, and each person's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from redact.evidence.people_places import UNKNOWN
from redact.evidence.place import ARGUMENT, RESULT, Place
from redact.lists.dictionary import ENGLISH
from redact.lists.gazetteer import ORDINARY, nobodys_words
from redact.values.fold import fold_value

_WORD: Final = re.compile(r"(?=.*[^\W\d_])[\w.-]{2,32}")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_MOST: Final = 0.9
_LEAST_NAMES: Final = 2


def person_keys(
    evidence: Mapping[str, Mapping[str, list[int]]],
    places: Mapping[str, Place],
    public: frozenset[str],
    *,
    k: int,
) -> frozenset[str]:
    """Return the evidence keys of places that hold such words."""
    records = [place for place in places.values() if place.origin == RESULT and place.personal]
    arguments = Counter(
        _tool(path) for path in {p.path for p in places.values() if p.origin == ARGUMENT}
    )
    answering = {_tool(place.path) for place in records}
    echoes = {(_tool(place.path), _last(place.path)) for place in records}
    words: set[str] = set()
    found: set[str] = set()
    for key, seen in evidence.items():
        place = places[key]
        tool = _tool(place.path)
        if place.origin != ARGUMENT or place.kind != UNKNOWN or tool not in answering:
            continue
        if not _are_words(seen, public):
            continue
        echoed = (tool, _last(place.path)) in echoes
        alone = arguments[tool] == 1 and not place.personal
        if _is_each_ones(seen, k=k, alone=alone, echoed=echoed):
            found.add(key)
            words.update(seen)
    for key, seen in evidence.items():  # where else they stand: in answers, in other calls
        place = places[key]
        known = sum(value in words for value in seen)
        most = known == len(seen) or (known >= _LEAST_NAMES and known * 2 >= len(seen))
        if most and place.kind == UNKNOWN and _are_words(seen, public):
            found.add(key)
    return frozenset(found)


def _are_words(values: Iterable[str], public: frozenset[str]) -> bool:
    listed = list(values)
    return not any(value in public for value in listed) and all(map(_WORD.fullmatch, listed))


def _is_each_ones(seen: Mapping[str, list[int]], *, k: int, alone: bool, echoed: bool) -> bool:
    """Say whether the words are people's own: nobody else's where many ask, and no plain words where few do."""
    subjects = {subject for listed in seen.values() for subject in listed}
    plain = sum(map(_is_plain, seen)) * 2 > len(seen)
    if len(subjects) < k or len(seen) < k:
        return alone and not plain and len(seen) * 2 > len(subjects)
    own = sum(len(listed) == 1 for listed in seen.values())
    return own >= _MOST * len(seen) and (alone or echoed or not plain)


def _is_plain(value: str) -> bool:
    """Say whether a value is made of ordinary words: `DISPUTE_CHARGE`."""
    words = _LETTERS.findall(fold_value(value))
    return all(word in ORDINARY or word in nobodys_words(ENGLISH) for word in words)


def _tool(path: str) -> str:
    return path.partition(".")[0]


def _last(path: str) -> str:
    return path.rpartition(".")[2].casefold()

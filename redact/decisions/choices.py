"""What many had under keys of one name, whichever tool showed it: `card_type` of accounts and of payments is one list of choices.

In: the evidence of an app and its people's words. Out: a place's values with all subjects who saw them under such a key, and whether values
are sorts of one thing. Fails closed: where people's words stand, or names that are listed, nothing is counted together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from redact.bounds import (
    A_SMALL_SHARE,
    ENOUGH,
    LONGEST_VALUE,
    MOST,
    NEARLY_ALL,
    SEVERAL,
    TWICE,
    VARIED,
)
from redact.decisions.field_forms import bare_token
from redact.decisions.profile import App, Evidence, Profile
from redact.evidence.app_values import SUBJECTS_KEPT, AppLearnt
from redact.fold import fold_value
from redact.kinds import KINDS
from redact.lists.gazetteer import COMMON, ORDINARY, is_name
from redact.lists.lexicon import key_words
from redact.readers.place import UNKNOWN, Place
from redact.values.free_ids import FREE
from redact.values.value_sets import are_places

_WORD: Final = re.compile(r"[^\W\d_]+")
_ENGLISH: Final = ORDINARY | COMMON
_OF_PEOPLE: Final = frozenset({"name", "street", "identifier"})


def shown_alike(
    app: App, worded: Mapping[str, Profile], is_kept: Callable[[Profile], bool]
) -> Iterator[str]:
    """Yield the keys of places of words that are lists of choices: by all who had them under such keys, as sorts, or as both elsewhere."""
    if not worded:
        return
    spread, people = _PlacesByName(app.evidence), _words_of_people(app.learnt)
    nobodys: set[str] = set()
    left: list[str] = []
    for key, place in worded.items():
        if not _may_be_nobodys(place.values, people):
            continue
        more = spread.seen_by_name(key, place.seen)
        kept = more is not place.seen and is_kept(replace(place, seen=more))
        if kept or are_sorts(more, people, app.dictionary, k=app.k):
            nobodys.update(place.seen)
            yield key
        else:
            left.append(key)
    for key in left:
        seen = worded[key].seen
        if sum(value in nobodys for value in seen) >= max(SEVERAL, len(seen) / TWICE):
            yield key


def _may_be_nobodys(values: Collection[str], people: Collection[str]) -> bool:
    """Say whether values are no names, no places, and no words of people: a town of somebody's address goes with it."""
    if not _name_few(values) or are_places(list(values)):
        return False
    return sum(fold_value(value) in people for value in values) < min(SEVERAL, len(values))


def _words_of_people(app: AppLearnt) -> frozenset[str]:
    """Return the folded words that are some episode's people's."""
    return frozenset(
        word
        for local in app.local.values()
        for word, kind in local.items()
        if KINDS[kind].family in _OF_PEOPLE
    )


class _PlacesByName:
    """An app's places by the last words of their paths, counted together where they are asked for."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._keys: dict[str, list[str]] = {}
        self._counted: dict[str, dict[str, set[int]]] = {}
        for key in evidence:
            name = _name_of(key)
            if name:
                self._keys.setdefault(name, []).append(key)

    def seen_by_name(self, key: str, seen: Mapping[str, list[int]]) -> Mapping[str, list[int]]:
        """Return a place's values with everybody who saw them under a key of its name."""
        name = _name_of(key)
        if len(self._keys.get(name, ())) < SEVERAL:
            return seen
        counted = self._counted.get(name)
        if counted is None:
            counted = self._counted[name] = self._count(name)
        return {value: sorted(counted[bare_token(value)])[:SUBJECTS_KEPT] for value in seen}

    def _count(self, name: str) -> dict[str, set[int]]:
        """Return everybody who saw a value; it counts however it is spelt: `late_fee` is chosen, and shown as `Late Fee`."""
        counted: dict[str, set[int]] = {}
        for key in self._keys[name]:
            for value, subjects in self._evidence[key].items():
                counted.setdefault(bare_token(value), set()).update(subjects)
        return counted


def are_sorts(
    seen: Mapping[str, list[int]], people: Collection[str], language: Collection[str], *, k: int
) -> bool:
    """Say whether values are sorts of one thing: most end in one word, and what stands before it comes again and is nobody's.

    `Lynx Rewards Card`, `Otter Rewards Card`: accounts that are called after their owners hold words of the app's people. Where hardly
    anybody's name is known, only ordinary words and those that many saw are nobody's.
    """
    told = {value: _words_of(value) for value in seen}
    ends = Counter(words[-1] for words in told.values() if len(words) > 1)
    if not ends:
        return False
    end, most = ends.most_common(1)[0]
    if most < VARIED or most < MOST * len(seen) or is_name(end):
        return False
    values = Counter(word for words in told.values() for word in set(words))
    subjects: dict[str, set[int]] = {}
    for value, words in told.items():
        for word in words:
            subjects.setdefault(word, set()).update(seen[value])
    enough = k if len(people) < ENOUGH else SEVERAL
    nobodys = {
        word
        for word, listed in subjects.items()
        if word in _ENGLISH or word in language or len(listed) >= enough
        if word not in people or word in _ENGLISH
    }
    if len(people) >= ENOUGH:
        nobodys.update(word for word, times in values.items() if times > 1 and word not in people)
    known = sum(nobodys.issuperset(words) for words in told.values())
    return known >= NEARLY_ALL * len(seen)


def _name_few(values: Collection[str]) -> bool:
    """Say whether hardly a value holds a word that a list of names has and that is no word besides."""
    named = sum(any(map(_is_borne, _words_of(value))) for value in values)
    return named <= A_SMALL_SHARE * len(values)


@lru_cache(maxsize=20_000)
def _words_of(value: str) -> tuple[str, ...]:
    return tuple(map(fold_value, _WORD.findall(value))) if len(value) <= LONGEST_VALUE else ()


def _is_borne(word: str) -> bool:
    return word not in COMMON and is_name(word)


@lru_cache(maxsize=20_000)
def _name_of(key: str) -> str:
    """Return the last key of a place that no rule knows as one word: `Card Type` and `cardType` are one."""
    place = Place.from_key(key)
    last = place.path.rpartition(".")[2]
    return "" if place.kind != UNKNOWN or last.startswith(FREE) else "".join(key_words(last))

"""Catalogues among an app's evidence: long lists of keys, and places that show everybody the same things.

In: the evidence that `redact.apply.learn` gathered and what was judged of it. Out: paths and places that are a catalogue's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, TypeAlias

from redact.bounds import A_SMALL_SHARE, ENOUGH, NEARLY_ALL, SEVERAL, TWICE, VARIED
from redact.evidence.app_values import SUBJECTS_KEPT
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_listed, is_name
from redact.lists.word_lists import PARTICLES, STREET_WORDS
from redact.readers.place import RESULT, UNKNOWN, Place
from redact.values.forms import commonest

_LIST: Final = TWICE * ENOUGH
"""So many keys beside each other are data: no person has so many keys of one shape."""
_WORD: Final = re.compile(r"[^\W\d_]+")

Evidence: TypeAlias = Mapping[str, Mapping[str, list[int]]]


def long_lists(evidence: Iterable[str]) -> frozenset[str]:
    """Return the paths of long lists `{"name": "key", ...}` that stand beside no person."""
    below: dict[str, list[str]] = {}
    for place in map(Place.from_key, evidence):
        if place.origin == RESULT and not place.personal and place.kind == UNKNOWN:
            below.setdefault(place.path.rpartition(".")[0], []).append(place.path)
    return frozenset(path for paths in below.values() if len(paths) >= _LIST for path in paths)


@dataclass(frozen=True, slots=True)
class Catalogues:
    """Places that show everybody the same things, several to each, and what stands there."""

    places: frozenset[str] = frozenset()
    """Their keys in the evidence."""
    names: frozenset[str] = frozenset()
    """Of what stands there, what is made of people's names only."""
    phrases: frozenset[str] = frozenset()
    """The other values, and the words side by side in them."""
    language: Collection[str] = frozenset()
    """Folded words that the app writes small, or that all of its prompts hold."""

    def hold(self, value: str) -> bool:
        """Say whether a value stands in a catalogue, or is made of the app's own words, none of which anybody bears."""
        if value in self.phrases:
            return True
        words = [fold_value(word) for word in _WORD.findall(value)]
        return not any(word not in self.language or is_name(word) for word in words) and any(
            word not in ORDINARY for word in words
        )


NO_LISTS: Final = Catalogues()


def catalogues_of(
    evidence: Evidence, language: Collection[str], own_words: Collection[str]
) -> Catalogues:
    """Return an app's catalogues: places of results that show several things to each subject, the same ones to many.

    So does a list of officers: at least some of the values must hold what no name does. `own_words` are those of the
    language that the app itself writes: among people a word of a mere dictionary is a surname.
    """
    by_path: dict[str, list[str]] = {}
    for key in evidence:
        place = Place.from_key(key)
        if place.origin == RESULT and place.kind == UNKNOWN and not place.free:
            by_path.setdefault(place.path, []).append(key)
    places: set[str] = set()
    names: set[str] = set()
    phrases: set[str] = set()
    for keys in by_path.values():
        seen: dict[str, set[int]] = {}
        for key in keys:
            for value, listed in evidence[key].items():
                seen.setdefault(value, set()).update(listed)
        if not _is_catalogue(seen, language):
            continue
        places.update(keys)
        borne = {value for value in seen if " " in value and all(map(_is_borne, value.split()))}
        # Of words that a dictionary has (`Yoga Mat`) people are called too, but then others in the list have names.
        own = {value for value in borne if any(is_name(fold_value(w)) for w in value.split())}
        if len(own) >= max(
            SEVERAL, A_SMALL_SHARE * len(seen)
        ):  # among people an unlisted name is one too
            own.update(borne, (v for v in seen if " " in v and not _names_nobody(v, own_words)))
        names.update(own)
        for value in seen.keys() - own:
            phrases.update(_phrases_of(value))
    return Catalogues(frozenset(places), frozenset(names), frozenset(phrases), language)


def _is_catalogue(seen: Mapping[str, AbstractSet[int]], language: Collection[str]) -> bool:
    """Say whether each subject saw several of few values, which many others saw too, and some of them name nobody."""
    if len(seen) < VARIED or commonest(list(seen)) not in _WORDED:
        return False
    # Only the smallest hashes of subjects are kept of what many saw: of those all that they saw is known.
    subjects = sorted(set().union(*seen.values()))[:SUBJECTS_KEPT]
    if len(subjects) < ENOUGH:
        return False
    asked = frozenset(subjects)
    counts = [len(listed & asked) for listed in seen.values()]
    sightings = sum(counts)
    again = sum(len(listed) > 1 for listed in seen.values())
    if sightings < TWICE * len(subjects) or sightings < TWICE * len(seen):
        return False
    telling = sum(_names_nobody(value, language) for value in seen)
    return again >= NEARLY_ALL * len(seen) and telling >= max(SEVERAL, A_SMALL_SHARE * len(seen))


def _names_nobody(value: str, language: Collection[str]) -> bool:
    """Say whether a value holds what no name of a person does: a number, a small word, a word of the app's language."""
    if value.startswith("\x00") or any(map(str.isdigit, value)):
        return True
    return any(
        (word.islower() and word not in PARTICLES)
        or (
            ((folded := fold_value(word)) in STREET_WORDS or folded in language)
            and folded not in ORDINARY
            and not is_name(folded)
        )
        for word in _WORD.findall(value)
        if len(word) > 1
    )


def _phrases_of(value: str) -> set[str]:
    """Return a value and the words side by side in it, unless all of them are names."""
    words = value.split()
    found = {value}
    if len(words) <= ENOUGH:
        found.update(
            " ".join(words[first:last])
            for first in range(len(words))
            for last in range(first + 1, len(words) + 1)
            if not all(_is_borne(word) for word in words[first:last])
        )
    return found


def _is_borne(word: str) -> bool:
    folded = fold_value(word.strip("."))
    return is_listed(folded) or folded in ORDINARY


_WORDED: Final = frozenset({"names", "text"})

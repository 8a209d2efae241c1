"""Catalogues among an app's evidence: long lists of keys, and maps of many attributes that customers' records share.

In: the evidence that `redact.apply.learn` gathered and what was judged of it. Out: paths and places that are a catalogue's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, TypeAlias

from redact.bounds import A_SMALL_SHARE, A_THIRD, ENOUGH, NEARLY_ALL, SEVERAL, VARIED
from redact.evidence.app_values import SUBJECTS_KEPT
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_listed, is_name
from redact.lists.word_lists import PARTICLES, STREET_WORDS
from redact.readers.place import RESULT, UNKNOWN, Place
from redact.values.forms import commonest, shape_of

_LIST: Final = SEVERAL * ENOUGH
"""So many keys beside each other are data: no person has so many keys of one shape, and no form so many fields."""
_WORD: Final = re.compile(r"[^\W\d_]+")

Evidence: TypeAlias = Mapping[str, Mapping[str, list[int]]]


def long_lists(evidence: Iterable[str]) -> frozenset[str]:
    """Return the paths of long lists `{"name": "key", ...}` that stand beside no person."""
    below: dict[str, list[str]] = {}
    for place in map(Place.from_key, evidence):
        if place.origin == RESULT and not place.personal and place.kind == UNKNOWN:
            below.setdefault(place.path.rpartition(".")[0], []).append(place.path)
    return frozenset(path for paths in below.values() if len(paths) >= _LIST for path in paths)


def attributes(evidence: Evidence, withheld: AbstractSet[str]) -> frozenset[str]:
    """Return withheld places of capitalised words that are attributes in a catalogue's map.

    `USB-A` and `USB-C` in two orders look like two people's names. The map is judged as a whole, over all tools that
    show it: it has many keys, hardly one of which holds anybody's own words, and several customers share values of this
    one. A word that some people bear, or initials, is reason enough to withhold all the same: an engraving is an
    option of an item too.
    """
    places = [(key, Place.from_key(key)) for key in evidence]
    maps: dict[str, dict[str, list[str]]] = {}
    for key, place in places:
        if place.origin == RESULT and place.kind == UNKNOWN and not place.free:
            above, _, name = _below_tool(place.path).rpartition(".")
            if above:
                maps.setdefault(above, {}).setdefault(name, []).append(key)
    found: set[str] = set()
    for keys in maps.values():
        own = {name for name, listed in keys.items() if not withheld.isdisjoint(listed)}
        if len(keys) >= _LIST and len(own) <= (1 - NEARLY_ALL) * len(keys):
            for name in own:
                if _is_attribute([evidence[key] for key in keys[name]]):
                    found.update(key for key in keys[name] if key in withheld)
    return frozenset(found)


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
    if sightings < SEVERAL * len(subjects) or sightings < SEVERAL * len(seen):
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


def _below_tool(path: str) -> str:
    return path.partition(".")[2]


def _is_attribute(listed: list[Mapping[str, list[int]]]) -> bool:
    """Say whether nothing under a key names anybody, and customers share enough of what is there."""
    seen: dict[str, set[int]] = {}
    for values in listed:
        for value, subjects in values.items():
            seen.setdefault(value, set()).update(subjects)
    # What is no word of its own ("none", a number) vouches for nothing.
    worded = [subjects for value, subjects in seen.items() if shape_of(value) == "names"]
    shared = sum(len(subjects) > 1 for subjects in worded)
    return shared >= A_THIRD * len(worded) and not any(map(_may_name, seen))


def _may_name(value: str) -> bool:
    """Say whether a value has a word that people bear, ordinary or not, or nothing but initials."""
    words = [word for word in _WORD.findall(fold_value(value)) if len(word) >= SEVERAL]
    return not words or any(is_name(word) or word in ORDINARY for word in words)

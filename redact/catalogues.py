"""Catalogues among an app's evidence: long lists of keys, and maps of many attributes that customers' records share.

In: the evidence that `redact.learn` gathered and what was judged of it. Out: paths and places that are a catalogue's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from redact.fold import fold_value
from redact.forms import shape_of
from redact.gazetteer import ORDINARY, is_name
from redact.people_places import UNKNOWN
from redact.place import RESULT, Place

_LIST: Final = 20
"""So many keys beside each other are data: no person has so many keys of one shape, and no form so many fields."""
_MOST: Final = 0.9
"""A map is a catalogue's where at least this share of its keys hold what differs from no person to person."""
_SHARED: Final = 0.3
"""An attribute is a catalogue's when at least this share of its values was seen with several subjects."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_LETTERS: Final = 2

Evidence: TypeAlias = Mapping[str, Mapping[str, list[int]]]


def long_lists(evidence: Iterable[str]) -> frozenset[str]:
    """Return the paths of long lists `{"name": "key", ...}` that stand beside no person."""
    below: dict[str, list[str]] = {}
    for place in map(Place.of, evidence):
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
    places = [(key, Place.of(key)) for key in evidence]
    maps: dict[str, dict[str, list[str]]] = {}
    for key, place in places:
        if place.origin == RESULT and place.kind == UNKNOWN and not place.free:
            above, _, name = _below_tool(place.path).rpartition(".")
            if above:
                maps.setdefault(above, {}).setdefault(name, []).append(key)
    found: set[str] = set()
    for keys in maps.values():
        own = {name for name, listed in keys.items() if not withheld.isdisjoint(listed)}
        if len(keys) >= _LIST and len(own) <= (1 - _MOST) * len(keys):
            for name in own:
                if _is_attribute([evidence[key] for key in keys[name]]):
                    found.update(key for key in keys[name] if key in withheld)
    return frozenset(found)


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
    return shared >= _SHARED * len(worded) and not any(map(_may_name, seen))


def _may_name(value: str) -> bool:
    """Say whether a value has a word that people bear, ordinary or not, or nothing but initials."""
    words = [word for word in _WORD.findall(fold_value(value)) if len(word) >= _LETTERS]
    return not words or any(is_name(word) or word in ORDINARY for word in words)

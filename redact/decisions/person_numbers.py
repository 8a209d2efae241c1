"""Numbers of five to seven digits by which tools are asked for somebody: `family=10005` in two calls, under a key that says nothing of an id.

In: the evidence of an app and its places. Out: the places that hold such numbers. What counts something is asked for once, ends in 0 or 5,
or has other lengths; what somebody is known by is given to several tools, and is the same each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from redact.decisions.free_text import enough_of, subjects_of
from redact.evidence.place import ARGUMENT, Place, last_key
from redact.values.numbers import ASKED, says_amount

_TOOLS: Final = 2
_LEAST_NUMBERS: Final = 10
_MOSTLY: Final = 0.8
_ENDS: Final = 0.4
_ONE_EACH: Final = 1.3
"""So many numbers a subject: one, and seldom two."""


def asked_numbers(
    evidence: Mapping[str, Mapping[str, list[int]]], places: Mapping[str, Place], *, k: int
) -> Iterator[str]:
    """Yield the keys of the places that hold them."""
    numbered = {key: place for key, place in places.items() if place.kind == ASKED}
    asked: dict[str, list[str]] = {}
    for key, place in numbered.items():
        if place.origin == ARGUMENT and not says_amount(place.path.rpartition(".")[2]):
            asked.setdefault(last_key(place.path), []).append(key)
    known: set[str] = set()
    for keys in asked.values():
        if len({numbered[key].path.partition(".")[0] for key in keys}) >= _TOOLS:
            seen = [evidence[key] for key in keys]
            if _are_ones_own(seen, k):
                known.update(*seen)
    for key in numbered if known else ():
        values = evidence[key]
        if sum(value in known for value in values) >= _MOSTLY * len(values):
            yield key


def _are_ones_own(places: list[Mapping[str, list[int]]], k: int) -> bool:
    """Say whether each subject asks for one number, which few others ask for."""
    together: dict[str, set[int]] = {}
    for seen in places:
        for value, listed in seen.items():
            together.setdefault(value, set()).update(listed)
    if len({len(value) for value in together}) > 1:
        return False
    fives = sum(value[-1] in "05" for value in together)
    if len(together) > _LEAST_NUMBERS and fives > _ENDS * len(together):
        return False
    subjects = subjects_of(places)
    least = enough_of(k, subjects)
    own = sum(len(listed) < least for listed in together.values())
    sightings = sum(map(len, together.values()))
    return own >= _MOSTLY * len(together) and sightings <= _ONE_EACH * subjects

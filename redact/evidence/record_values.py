"""What under a record's key is a person's after all: values drawn by chance, and the rooms and places that one person has.

In: the evidence of an app and its places. Out: places and the kind of what they hold. An order's number stays, because worlds learn from its
counters; a session's token counts nothing, and `"room": "A1.13"` in somebody's own record says where to find her.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from redact.decisions.free_text import enough_of, subjects_of
from redact.evidence.forms import is_random
from redact.evidence.place import RESULT, Place, last_key
from redact.values.numbers import says_id

_RECORD: Final = "record"
_SHORT: Final = re.compile(
    r"(?=.*\d)(?=.*[^\W\d])(?!.*\d{4})(?:[^\W_]{1,5}|[^\W\d_]{3,12}(?=[.-]))(?:[.-][^\W_]{1,4}){0,3}"
)
_LONGEST: Final = 16
_MOSTLY: Final = 0.8


def personal_records(
    evidence: Mapping[str, Mapping[str, list[int]]], places: Mapping[str, Place], *, k: int
) -> Iterator[tuple[str, str]]:
    """Yield the keys of places of records that hold what is a person's, each with the kind of it."""
    mine = [
        key for key, seen in evidence.items() if places[key].kind == _RECORD and _are_own(seen, k=k)
    ]
    yield from ((key, "opaque_id") for key in mine if all(map(is_random, evidence[key])))
    rooms = [key for key in mine if _are_rooms(places[key], evidence[key])]
    public: set[str] = set()
    for key, seen in evidence.items() if rooms else ():
        if places[key].origin == RESULT and not (places[key].personal or places[key].free):
            public.update(seen)
    yield from ((key, "code") for key in rooms if public.isdisjoint(evidence[key]))


def _are_rooms(place: Place, values: Iterable[str]) -> bool:
    """Say whether a few letters and digits say in people's records which room, seat or desk is theirs."""
    if place.origin != RESULT or not (place.personal or place.free):
        return False
    if says_id(last_key(place.path)):
        return False
    return all(len(value) <= _LONGEST and _SHORT.fullmatch(value) for value in values)


def _are_own(seen: Mapping[str, list[int]], *, k: int) -> bool:
    """Say whether nearly all of the values are few people's."""
    least = enough_of(k, subjects_of([seen]))
    return sum(len(listed) < least for listed in seen.values()) >= _MOSTLY * len(seen)

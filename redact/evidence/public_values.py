"""Which values are nobody's, and what was seen at a place in all documents.

In: the evidence of an app, its places, those that hold people. Out: values that are enumerated, keys of records, or shared by k subjects.
Fails closed: words that only one person's answers show are public where the tool shows nobody at all, and few people have one of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from redact.bounds import ENOUGH, SEVERAL, TWICE
from redact.evidence.app_values import AppLearnt, merge_subjects
from redact.evidence.catalogues import long_lists
from redact.evidence.definitions import public_choices
from redact.evidence.subjects import enough_of, subjects_of, subjects_up_to
from redact.readers.place import RESULT, Place, tool_of
from redact.values.forms import is_random, is_reference, shape_of

_WORDS: Final = frozenset({"names", "text", "street"})
"""Shapes of what may be a person's even in a record without any trace of one."""


def recorded_values(app: AppLearnt, k: int) -> frozenset[str]:
    """Return values that are enumerated, or stand under the key of a mere record."""
    recorded = public_choices(app, k=k)
    for key, seen in app.evidence.items():
        if Place.from_key(key).kind in {"record", "public"}:
            recorded.update(value for value in seen if not is_random(value))
    return frozenset(recorded)


def public_values(
    app: AppLearnt, k: int, people: Collection[str], places: Mapping[str, Place]
) -> frozenset[str]:
    """Return values that are nobody's: enumerated, shared by k subjects, a record's key, or seen without a person."""
    public = public_choices(app, k=k)
    lists = long_lists(app.evidence)
    of_people = {tool_of(place.path) for place in places.values() if place.personal}
    for key, seen in app.evidence.items():
        place = places[key]
        if key in people:
            continue
        if place.kind in {"record", "public"}:
            public.update(value for value in seen if not is_random(value))
        elif place.origin == RESULT and not place.personal:
            # A look-up by e-mail address answers with an account's key and nothing else of the person.
            subjects = subjects_of([seen])
            whose = tool_of(place.path) in of_people or _is_ones_own(seen, subjects, k)
            least = enough_of(k, subjects) if whose and subjects >= SEVERAL else 1
            public.update(
                value
                for value, listed in seen.items()
                if place.path in lists
                or (
                    (len(listed) >= least or shape_of(value) not in _WORDS)
                    and not is_reference(value)
                )
            )
        else:
            public.update(value for value, subjects in seen.items() if len(subjects) >= k)
    return frozenset(public)


def seen_at(
    evidence: Mapping[str, Mapping[str, list[int]]], place: Place, seen: Mapping[str, list[int]]
) -> Mapping[str, list[int]]:
    """Return what was seen at a place of personal documents, with what stood there in documents that showed nobody."""
    if not place.personal or place.free or subjects_up_to([seen], ENOUGH) == ENOUGH:
        return seen
    other = evidence.get(replace(place, personal=False).key())
    if not other:
        return seen
    both = dict(other)
    for value, listed in seen.items():
        known = both.get(value)
        both[value] = listed if known is None else merge_subjects(known, listed)
    return both


def _is_ones_own(seen: Mapping[str, list[int]], subjects: int, k: int) -> bool:
    """Say whether each of many subjects saw one value or two, as nobody does of a catalogue."""
    return subjects >= TWICE * k and len(seen) <= TWICE * subjects

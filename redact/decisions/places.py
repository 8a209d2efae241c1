"""Judges one place of the evidence by the values seen there: whether they are somebody's, and what is done with them.

In: a place, its values with their subjects, what is public in the app. Out: a `Verdict`. What several places say together
is `redact.decisions.unknown_keys`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from redact.decisions.free_text import (
    are_numbered,
    are_own,
    enough_of,
    is_letters_between,
    is_line,
    is_plate,
    least_of,
)
from redact.decisions.verdicts import (
    BIRTHS,
    CITY,
    CODE,
    CODED,
    IDENTIFIERS,
    KEPT,
    NAME,
    NAMELIKE,
    OWN_WORDS,
    PHONES,
    STREETS,
    TEXTS,
    WITHHOLD,
    Verdict,
)
from redact.evidence.forms import commonest, is_code, is_mark, is_version
from redact.evidence.place import ARGUMENT, RESULT, Place, last_key
from redact.evidence.value_sets import (
    UNLABELLED,
    are_amounts,
    are_names,
    are_old,
    are_pairs_of_no_day,
    are_places,
    are_round,
    is_key,
    span_lives,
)
from redact.values.free_ids import FREE
from redact.values.numbers import NUMBERED, are_days, says_amount, says_id, shape_of_numbers

_SHARED_ENOUGH: Final = 0.3
"""A key is a catalogue's when at least this share of its values was seen with several subjects."""
_MARKS: Final = frozenset({"identifier", "phone", "street"})
_CODES: Final = 3
"""So many different short digit strings in personal records are codes, not quantities."""
_LEAST_SUBJECTS: Final = 2
"""Fewer subjects than this say nothing about whether values differ from person to person."""
_THIN: Final = 5
"""With fewer subjects nothing shows that a value is nobody's: what could be a person's is taken for one's."""
_SUBJECTS_FOR_SHARES: Final = 10
"""With fewer subjects a catalogue must show in more of its values: two of six people live in one town."""
_SHARED_BY_FEW: Final = 0.6


_LITERALS: Final = frozenset({"true", "false", "none", "null", "nil", "n/a", "nan"})
"""What programs write for yes, no and nothing."""


def _is_literal(value: str) -> bool:
    return value.casefold() in _LITERALS


def judge_place(
    place: Place,
    seen: Mapping[str, list[int]],
    public: frozenset[str],
    latest: int,
    k: int,
) -> Verdict:
    """Return the verdict over one place by what was seen there."""
    if place.kind == NUMBERED:
        return _judge_numbers(place, seen, public, latest, k)
    if place.free and not all(map(_is_literal, seen)) and are_own(seen, k=k):
        return OWN_WORDS
    if place.free and are_own(seen, k=k, fits=is_line):
        return STREETS
    if place.free and are_days(list(seen)):
        return BIRTHS if are_old(list(seen), latest, since=UNLABELLED) else KEPT
    # In a record `512GB SSD` is shaped like a plate as well.
    plates = is_plate if place.free else is_letters_between
    if (place.free or place.personal) and are_own(seen, k=k, fits=plates):
        return IDENTIFIERS
    verdict = _judge_shape(place, seen, public, latest, k)
    unnamed = place.free and last_key(place.path).startswith(FREE)
    # A place that no label names holds anything: only what shows by its own shape is taken from it.
    return KEPT if unnamed and verdict.action in {NAME, CITY, CODE, WITHHOLD} else verdict


def _judge_numbers(
    place: Place, seen: Mapping[str, list[int]], public: frozenset[str], latest: int, k: int
) -> Verdict:
    own = [value for value in seen if value not in public]
    shape = shape_of_numbers(own, place.path.rpartition(".")[2], latest)
    if shape == "day" and place.personal and (span_lives(own) or are_old(own, latest)):
        return BIRTHS
    subjects = len({subject for listed in seen.values() for subject in listed})
    several = (
        least_of(k, subjects) if place.personal or place.origin == ARGUMENT else _LEAST_SUBJECTS
    )
    shared = subjects >= _LEAST_SUBJECTS and _is_shared(
        seen, public, _SHARED_ENOUGH, several=several
    )
    return IDENTIFIERS if shape == "identifier" and not shared else KEPT


def _judge_shape(
    place: Place, seen: Mapping[str, list[int]], public: frozenset[str], latest: int, k: int
) -> Verdict:
    own = [value for value in seen if value not in public]
    if all(map(_is_literal, own)):
        return KEPT
    shape = commonest(own)
    every = shape if len(own) == len(seen) else commonest(list(seen))
    closed = all(len(listed) >= k for listed in seen.values())
    if every == "names" and are_names(list(seen), each=closed):
        return Verdict(NAME, "looks like names of people")
    if own and shape == "names" and place.personal and are_places(own):
        return Verdict(CITY, "looks like towns in records of people")
    if shape == "moment" and place.personal and (span_lives(own) or are_old(own, latest)):
        return BIRTHS
    subjects = {subject for listed in seen.values() for subject in listed}
    alone = len(subjects) < _LEAST_SUBJECTS
    some = place.personal and shape == "names" and len(subjects) < _SUBJECTS_FOR_SHARES
    # Who comes back under another request is two subjects: what marks a person is a catalogue's only where k have it.
    asked = place.personal or place.origin == ARGUMENT
    marked = shape in _MARKS and asked and (place.personal or 2 * sum(map(is_key, own)) > len(own))
    several = least_of(k, len(subjects)) if marked else enough_of(k, len(subjects))
    enough = _SHARED_BY_FEW if some else _SHARED_ENOUGH
    counted = _are_amounts(place, own) or (
        shape == "identifier" and 2 * sum(map(is_version, own)) > len(own)
    )
    if counted or (not alone and _is_shared(seen, public, enough, several=several)):
        return KEPT
    return _BY_SHAPE.get(shape) or _unshared(place, shape, own, len(subjects))


def _are_amounts(place: Place, own: list[str]) -> bool:
    """Say whether digits count something, each a whole thousand or under a key that says so."""
    key = place.path.rpartition(".")[2]
    told = says_amount(key) and not says_id(key) and all(map(str.isdecimal, own))
    return told or are_round(own)


_BY_SHAPE: Final = {"street": STREETS, "phone": PHONES, "identifier": IDENTIFIERS}


def _unshared(place: Place, shape: str, own: list[str], subjects: int) -> Verdict:
    """Judge values that no two subjects share by their shape."""
    verdict = KEPT
    shown = place.origin == RESULT
    if shape == "moment" and are_pairs_of_no_day(own):
        verdict = IDENTIFIERS
    elif shape == "code" and place.personal:
        codes = len(own) >= _CODES or (subjects < _THIN and bool(own))
        verdict = CODED if codes and not are_amounts(own) else KEPT
    elif shape == "names":
        own_marks = shown and all(map(is_mark, own))
        withheld = NAMELIKE if place.personal or subjects >= _LEAST_SUBJECTS else KEPT
        verdict = IDENTIFIERS if own_marks else withheld
    elif shape == "text" and shown:
        if all(map(is_code, own)):
            verdict = IDENTIFIERS
        elif 2 * sum(map(is_line, own)) > len(own):
            verdict = KEPT if are_numbered(own) else STREETS
        elif place.personal or subjects > _LEAST_SUBJECTS:
            verdict = TEXTS
    return verdict


def _is_shared(
    seen: Mapping[str, list[int]], public: frozenset[str], enough: float, *, several: int
) -> bool:
    """Say whether a catalogue stands behind the key: many of its values belong to several subjects or to none."""
    shared = sum(len(subjects) >= several or value in public for value, subjects in seen.items())
    return shared >= enough * len(seen)

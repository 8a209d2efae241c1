"""By what people are known to tools: words, numbers and user names that are each person's own, and what a record says where one person is.

In: the evidence of an app and its places. Out: places. A user name that is a word looks like a choice, and a family's number like an amount; what
they are shows in their use: asked of a tool that answers with a person's record, the same each time, and nobody else's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from redact.bounds import A_THIRD, CODE_LENGTH, ENOUGH, NEARLY_ALL, SEVERAL
from redact.decisions.profile import App
from redact.evidence.subjects import enough_of, subjects_of
from redact.fold import fold_value
from redact.lists.dictionary import ENGLISH
from redact.lists.gazetteer import ORDINARY, nobodys_words
from redact.readers.place import ARGUMENT, RESULT, UNKNOWN, Place, last_key, tool_of
from redact.values.forms import is_random
from redact.values.numbers import ASKED, says_amount, says_id

_WORD: Final = re.compile(r"(?=.*[^\W\d_])[\w.-]{2,32}")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def person_keys(app: App) -> frozenset[str]:
    """Return the places that hold words by which a tool is asked for one person's record."""
    records = [place for place in app.places.values() if place.origin == RESULT and place.personal]
    arguments = Counter(
        tool_of(path) for path in {p.path for p in app.places.values() if p.origin == ARGUMENT}
    )
    answering = {tool_of(place.path) for place in records}
    echoes = {(tool_of(place.path), last_key(place.path)) for place in records}
    words: set[str] = set()
    found: set[str] = set()
    for key, seen in app.evidence.items():
        place = app.places[key]
        tool = tool_of(place.path)
        if place.origin != ARGUMENT or place.kind != UNKNOWN or tool not in answering:
            continue
        if not _are_words(seen, app.public):
            continue
        echoed = (tool, last_key(place.path)) in echoes
        alone = arguments[tool] == 1 and not place.personal
        if _is_each_ones(seen, k=app.k, alone=alone, echoed=echoed):
            found.add(key)
            words.update(seen)
    for key, seen in app.evidence.items():  # where else they stand: in answers, in other calls
        place = app.places[key]
        known = sum(value in words for value in seen)
        most = known == len(seen) or (known >= SEVERAL and known * 2 >= len(seen))
        if most and place.kind == UNKNOWN and _are_words(seen, app.public):
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
    return own >= NEARLY_ALL * len(seen) and (alone or echoed or not plain)


def _is_plain(value: str) -> bool:
    """Say whether a value is made of ordinary words: `DISPUTE_CHARGE`."""
    words = _LETTERS.findall(fold_value(value))
    return all(word in ORDINARY or word in nobodys_words(ENGLISH) for word in words)


_ONE_EACH: Final = 1 + A_THIRD
"""So many numbers a subject: one, and seldom two."""


def asked_numbers(app: App) -> Iterator[str]:
    """Yield the keys of the app.places that hold them."""
    numbered = {key: place for key, place in app.places.items() if place.kind == ASKED}
    asked: dict[str, list[str]] = {}
    for key, place in numbered.items():
        if place.origin == ARGUMENT and not says_amount(place.path.rpartition(".")[2]):
            asked.setdefault(last_key(place.path), []).append(key)
    known: set[str] = set()
    for keys in asked.values():
        if len({tool_of(numbered[key].path) for key in keys}) >= SEVERAL:
            seen = [app.evidence[key] for key in keys]
            if _are_ones_own(seen, app.k):
                known.update(*seen)
    for key in numbered if known else ():
        values = app.evidence[key]
        if sum(value in known for value in values) >= NEARLY_ALL * len(values):
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
    if len(together) > ENOUGH and fives > A_THIRD * len(together):
        return False
    subjects = subjects_of(places)
    least = enough_of(k, subjects)
    own = sum(len(listed) < least for listed in together.values())
    sightings = sum(map(len, together.values()))
    return own >= NEARLY_ALL * len(together) and sightings <= _ONE_EACH * subjects


_ROOM: Final = re.compile(
    r"(?=.*\d)(?=.*[^\W\d])(?!.*\d{4})(?:[^\W_]{1,5}|[^\W\d_]{3,12}(?=[.-]))(?:[.-][^\W_]{1,4}){0,3}"
)


def drawn_records(app: App) -> list[str]:
    """Return the app.places of records whose keys were drawn by chance: an order's number stays, because worlds learn from its counters."""
    own = _own_records(app)
    return [key for key in own if all(map(is_random, app.evidence[key]))]


def rooms_of_people(app: App) -> list[str]:
    """Return the app.places of records that say where one person is: `"room": "A1.13"` in somebody's own record."""
    own = _own_records(app)
    rooms = [key for key in own if _are_rooms(app.places[key], app.evidence[key])]
    public: set[str] = set()
    for key, seen in app.evidence.items() if rooms else ():
        if app.places[key].origin == RESULT and not (
            app.places[key].personal or app.places[key].free
        ):
            public.update(seen)
    return [key for key in rooms if public.isdisjoint(app.evidence[key])]


def _own_records(app: App) -> list[str]:
    return [
        key
        for key, seen in app.evidence.items()
        if app.places[key].kind == "record" and _are_own(seen, k=app.k)
    ]


def _are_rooms(place: Place, values: Iterable[str]) -> bool:
    """Say whether a few letters and digits say in people's records which room, seat or desk is theirs."""
    if place.origin != RESULT or not (place.personal or place.free):
        return False
    if says_id(last_key(place.path)):
        return False
    return all(len(value) <= CODE_LENGTH and _ROOM.fullmatch(value) for value in values)


def _are_own(seen: Mapping[str, list[int]], *, k: int) -> bool:
    """Say whether nearly all of the values are few people's."""
    least = enough_of(k, subjects_of([seen]))
    return sum(len(listed) < least for listed in seen.values()) >= NEARLY_ALL * len(seen)

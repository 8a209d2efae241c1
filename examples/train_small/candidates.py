"""What could stand in one place of a message, with features that any app has.

In: a place, its schema, the situation, recorded forms. Out: candidates. A candidate's traits say where its value was shown, whether
the user or the last result showed it, what stood beside it, whether it was used or refused before; never what it means.
"""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from environments.runtime.task.attempt import Json
from examples.train_small.forms import Form
from examples.train_small.shown import USER, Known, Scalar, Seen
from examples.train_small.situation import Situation, shape_of, sort_of, stem_of

Traits: TypeAlias = NDArray[np.int64]

_NUMBER: Final = re.compile(r"[-+]?\$?\d+(\.\d+)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One thing that could stand there."""

    value: Any
    traits: Traits
    """Checksums of what is said about it."""
    form: Form | None = None
    """A recorded text whose slots are still to be filled."""
    ends: bool = False
    """Nothing more comes into the list."""


class Place(NamedTuple):
    """Where a value goes."""

    name: str
    """The tool and the argument, or the sentence and the number of the slot."""
    context: str
    """The argument, or the word before the slot: what other places like it have too."""


@cache
def checksum(text: str) -> int:
    """A number that stands for a trait."""
    return crc32(text.encode())


def _sums(traits: Iterable[str]) -> Traits:
    return np.array([checksum(trait) for trait in traits], np.int64)


_SAME_KEY: Final = checksum("same key")
_FIRST: Final = checksum("first of its sort that no call used")
_USED_SO: Final = checksum("used in an argument of this name")
_USED_LAST: Final = checksum("last one used in an argument of this name")
_LIKE_CHOSEN: Final = checksum("stood where the last one chosen stood")

SKIP: Final = Candidate(value=None, traits=_sums(["skipped"]))
"""The argument is left out."""
FILL: Final = Candidate(value=True, traits=_sums(["filled"]))
"""It is not."""


class Offers:
    """What a situation offers: the traits of its values, worked out once."""

    def __init__(self, situation: Situation, sorts: Mapping[str, Container[str]]) -> None:
        self._situation = situation
        self._sorts = sorts
        self._traits: dict[int, tuple[frozenset[str], Traits]] = {}
        self._first = _first_open(situation)

    def candidates(
        self,
        place: Place,
        schema: Any,  # noqa: ANN401 - JSON schema
        forms: Sequence[Form] = (),
        chosen: Sequence[Json] = (),
    ) -> list[Candidate]:
        """Everything that fits the schema, is of a sort that was met there, and is not chosen yet."""
        options = _options(schema)
        if options is not None:
            return [
                Candidate(value=option, traits=_sums(_option_traits(option, self._situation)))
                for option in options
                if option not in chosen
            ]
        kinds = _kinds(schema)
        key = stem_of(place.context)
        recorded = [
            Candidate(
                value=None, traits=_sums(_worded(f"form {number}", self._situation)), form=form
            )
            for number, form in enumerate(forms)
        ]
        sorts = self._sorts.get(place.context)
        beside = self._places_of(chosen[-1]) if chosen else frozenset[str]()
        shown = [
            Candidate(value=value, traits=self._of(one, key, beside))
            for one in self._situation.known.values()
            if (sorts is None or sort_of(str(one.value)) in sorts)
            and (value := _fitting(one.value, kinds)) is not None
            and value not in chosen
        ]
        return [*recorded, *shown]

    def end(self, more: Sequence[Candidate], chosen: Sequence[Json]) -> Candidate:
        """To choose nothing more."""
        count = min(len(chosen), 3)
        like = sum(_LIKE_CHOSEN in one.traits for one in more) if chosen else 0
        traits = [f"end {count}", f"end {count} {min(like, 2)}"]
        traits += [f"end {min(count, 1)} {min(like, 1)} {word}" for word in self._situation.words]
        return Candidate(value=None, traits=_sums(traits), ends=True)

    def _places_of(self, value: Json) -> frozenset[str]:
        found = self._situation.known.get((type(value).__name__, value))  # type: ignore[arg-type]
        return frozenset(seen.place for seen in found.seen) if found else frozenset()

    def _of(self, one: Known, key: str, beside: frozenset[str]) -> Traits:
        found = self._traits.get(id(one))
        if found is None:
            plain = _sums(_traits(one, self._situation))
            keys = frozenset(stem_of(seen.place.rsplit(".", 1)[-1]) for seen in one.seen)
            found = self._traits[id(one)] = (keys, plain)
        keys, traits = found
        more = [_SAME_KEY] if key in keys else []
        more += [_FIRST] if id(one) in self._first else []
        if times := self._situation.used_as.get((key, str(one.value))):
            more += (
                [_USED_SO, _USED_LAST] if times == self._situation.last_use.get(key) else [_USED_SO]
            )
        if beside and any(seen.place in beside for seen in one.seen):
            more.append(_LIKE_CHOSEN)
        return np.append(traits, np.array(more, np.int64)) if more else traits


def _first_open(situation: Situation) -> frozenset[int]:
    """Of the values of one sort that stand in one place, the first that no call has used."""
    found: dict[tuple[str, str], tuple[int, int, int]] = {}
    for one in situation.known.values():
        if f'"{one.value}"' in situation.used:
            continue
        for seen in one.seen:
            group = (seen.place, sort_of(str(one.value)))
            mark = (seen.at, seen.turn, id(one))
            found[group] = min(found.get(group, mark), mark)
    return frozenset(mark[2] for mark in found.values())


def _options(schema: Any) -> list[Json] | None:  # noqa: ANN401 - JSON schema
    for one in (schema, *(schema.get("anyOf") or ())):
        if one.get("enum"):
            return list(one["enum"])
        if one.get("type") == "boolean":
            return [True, False]
    return None


def _kinds(schema: Any) -> frozenset[str]:  # noqa: ANN401 - JSON schema
    found = [one.get("type") for one in (schema, *(schema.get("anyOf") or ()))]
    return frozenset(k for kind in found for k in (kind if isinstance(kind, list) else [kind]) if k)


def _fitting(value: Scalar, kinds: frozenset[str]) -> Scalar | None:
    """The value as the schema wants it; None where it cannot be."""
    if isinstance(value, bool):
        return None
    if not kinds:
        return value
    if "number" in kinds or "integer" in kinds:
        if isinstance(value, str):
            if not _NUMBER.match(value):
                return None
            value = float(value.replace("$", ""))
            value = int(value) if value.is_integer() else value
        return value if "number" in kinds or isinstance(value, int) else None
    return value if isinstance(value, str) else None


def _option_traits(option: Json, situation: Situation) -> Iterator[str]:
    name = str(option)
    words = set(re.findall(r"[^\W_]+", name.casefold()))
    yield from _worded(f"option {name}", situation)
    if any(word in situation.spoken for word in words):
        yield "option said"


def _worded(name: str, situation: Situation) -> Iterator[str]:
    """One of few choices with each word that the user said: which of them call for it is learnt."""
    yield name
    yield from (f"{name} {word}" for word in situation.words)
    yield from (f"{name} said {word}" for word in situation.said_last.split())


def _traits(one: Known, situation: Situation) -> Iterator[str]:
    text = str(one.value)
    yield f"shape {shape_of(text)}"
    yield f"sort {sort_of(text)}"
    places = {seen.place: seen for seen in one.seen}
    for seen in places.values():
        yield from _standing(seen, sort_of(text), situation)
    yield from _spoken(text.casefold(), places, situation)
    yield from _past(text, places, situation)


def _standing(seen: Seen, sort: str, situation: Situation) -> Iterator[str]:
    """Where the value stood, and beside what."""
    place = seen.place
    yield f"at {place}"
    if seen.at == len(situation.messages) - 1:
        yield f"last {place}"
    if place == USER:
        yield from (f"{around} {sort}" for around in seen.beside)
        return
    yield f"at {place} turn {min(seen.turn, 2)}"
    yield from _beside(place, seen.beside, situation)
    for kind in seen.kinds:
        yield f"kind {kind} {place}"
        yield from (f"kind {kind} {word}" for word in situation.lately)


def _spoken(small: str, places: Container[str], situation: Situation) -> Iterator[str]:
    """Whether the user said it as well."""
    if USER not in places and len(small) > 2 and small in situation.spoken:
        yield "spoken request" if small in situation.requested else "spoken"
    if small in situation.said_last:
        yield "said last"


def _past(text: str, places: Collection[str], situation: Situation) -> Iterator[str]:
    """What calls were made with it, and whether one was refused."""
    if USER in places and len(places) > 1:
        yield "user and result"
    if f'"{text}"' not in situation.used:
        yield "open"
        yield from (f"open {place}" for place in places)
    used = [name for name, arguments in situation.done if f'"{text}"' in arguments]
    if used:
        yield "used"
        yield f"used {used[-1]}"
    if any(f'"{text}"' in arguments for arguments in situation.refused):
        yield "refused"


def _beside(place: str, beside: Sequence[str], situation: Situation) -> Iterator[str]:
    """What the user said of the record that the value stands in."""
    said = {text for text in beside if text in situation.spoken}
    if said:
        yield f"beside {place}"
        yield f"beside {min(3, len(said))} {place}"
        if any(text in situation.requested for text in said):
            yield f"beside request {place}"
        if any(text in situation.said_last for text in said):
            yield f"beside said {place}"

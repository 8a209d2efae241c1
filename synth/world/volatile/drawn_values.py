"""Drawn values: unequal answers that differ in nothing but what every call draws anew, times of the call and ids of dice.

Comes in: two answers to equal calls after equal pasts, of two episodes. Comes out: whether all that differs is of that sort. A time
is the call's own where both keep the same distance to the moments of their calls. An id is of dice where its format has room for many and
no other episode ever named it. Not here: which places always hold such values (`clock_and_ids`), what unequal answers say
(`time.continuity`, `time.own_starts`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.document.views import ValueForm
from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import SECOND, freedom, grain, id_format, read_time
from synth.world.observation import History, Observation, every_call

MIN_IDS: Final = 2**20
"""Ids that a format has to have: fewer may be a short list, or a row that others count up."""
MAX_DRIFT: Final = 300 * SECOND
"""How far the distances of two times of one clock to the moments of their calls may be apart."""

MIN_LENGTH: Final = 6
"""Signs of an id that is drawn."""
LONG: Final = 16
"""Of an id that does not look like one, having no digit or too many signs."""


def roomy_format(values: Iterable[str]) -> ValueForm | None:
    """The format of ids, where it has room for so many that two of them hardly ever meet by accident."""
    form = id_format(list(values))
    return form if form is not None and freedom(form) >= MIN_IDS else None


def format_of_drawn(values: Sequence[str]) -> ValueForm | None:
    """The format of ids that dice may have drawn: none of them twice, none too short, and with room."""
    if len(set(values)) < len(values) or len(values[0]) < MIN_LENGTH:
        return None
    return roomy_format(values)


class Homes:
    """The episodes in which a value stood, in a call or in an answer."""

    def __init__(self, histories: Sequence[History]) -> None:
        """Note where each name stood."""
        self._histories = histories
        self._named: dict[str, set[int]] = defaultdict(set)
        for seen in every_call(histories):
            for name in seen.names:
                self._named[name].add(seen.episode)

    def is_only_home(self, value: str, episode: int) -> bool:
        """Whether no other episode has a value; one that is too short and no name may stand anywhere."""
        known = self._named.get(value)
        if known is not None:
            return known == {episode}
        return (
            len(value) >= LONG
            and " " not in value
            and not any(
                value in seen.content
                for seen in every_call(self._histories)
                if seen.episode != episode
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlike:
    """Two unequal values at one place; list elements have one place together."""

    place: str
    left: Json
    right: Json


def drawn_anew(one: Observation, other: Observation, homes: Homes) -> bool:
    """Whether two answers differ, and in nothing but times of their calls and ids that only their own episodes know."""
    if not (one.is_json and other.is_json):
        return False
    found = list(unlike_in(one.value, other.value))
    return bool(found) and all(
        u is not None and (unlike_by_time(one, other, u) or unlike_by_dice(one, other, u, homes))
        for u in found
    )


def unlike_in(left: Json, right: Json, place: str = "") -> Iterator[Unlike | None]:
    """Unequal values at the same places; None for what is built otherwise."""
    if isinstance(left, dict) and isinstance(right, dict):
        if left.keys() != right.keys():
            yield None
            return
        for key, value in left.items():
            yield from unlike_in(value, right[key], f"{place}/{key}")
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            yield None
            return
        for value, beside in zip(left, right, strict=True):
            yield from unlike_in(value, beside, f"{place}/[]")
    elif left != right:
        yield Unlike(place=place, left=left, right=right)


def unlike_by_time(one: Observation, other: Observation, unlike: Unlike) -> bool:
    """Whether both are times that keep one distance to the moments of their calls."""
    told, beside = read_time(unlike.left), read_time(unlike.right)
    if told is None or beside is None or told[1] != beside[1]:
        return False
    away = abs((told[0] - one.at) - (beside[0] - other.at))
    return away <= max(MAX_DRIFT, grain(told[1]) - 1)


def unlike_by_dice(one: Observation, other: Observation, unlike: Unlike, homes: Homes) -> bool:
    """Whether both are ids of one format with room, each known to its own episode only."""
    left, right = unlike.left, unlike.right
    if not (isinstance(left, str) and isinstance(right, str)):
        return False
    if roomy_format([left, right]) is None:
        return False
    return homes.is_only_home(left, one.episode) and homes.is_only_home(right, other.episode)

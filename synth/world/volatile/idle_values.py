"""Idle values: what differs beside an answer between equal calls though all the rest of the answer is equal.

Comes from observations and places in their results. Goes out: the places whose values say nothing of what was asked. Where calls were
made twice in a row, or after the very same calls of another episode, these decide: what only a change moves stands still between them.
What a look tells again is state and never idle (`environments.told_again`), and two calls of one episode with others between them say nothing of a tool that does not tell the value anew.
Not here: the formats of times and ids.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from environments.runtime.document.views import ValueForm
from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import number_with_unit, type_of
from environments.runtime.values.normal import stable
from environments.runtime.views.clock_and_ids import fields_of, places_of, replaced
from environments.runtime.views.result_wrappers import without_places
from environments.told_again import Neighbours
from synth.world.grouping import lists_by_key
from synth.world.observation import History, Observation
from synth.world.support import (
    HALF_OF_CASES,
    MOSTLY,
    NEARLY_ALWAYS,
    SEEN_SEVERAL_TIMES,
    SEEN_VERY_OFTEN,
    SELDOM,
    accept_counts,
)
from synth.world.volatile.bench_clock import Rows

MIN_MOVED: Final = SEEN_SEVERAL_TIMES
"""Equal calls with equal results beside it, and another value there."""
MAX_LISTED: Final = 4
"""Values of a list that may stand around results as one."""
MOST: Final = MOSTLY
"""Share of such calls."""
SOME: Final = SELDOM
"""The same around the results of all tools, where nothing between the two calls could matter: a server's name comes again now and then."""
_NOTHING: Final = ("", "{}")
"""What is left of a result in which everything may be idle."""
WORDS: Final = re.compile(r"[0-9A-Za-z_.:+-]*\d[0-9A-Za-z_.:+-]*")
"""Words with digits: numbers, times and ids of any kind."""


def shape_of(text: str) -> str:
    """A text without its words that have digits: another thing that differs from call to call may stand in it."""
    return WORDS.sub("\0", text)


class Pasts:
    """The calls before each call of an episode, and whose episode it is.

    `key`: what of its arguments two equal calls share; `anybody`: the pasts of two subjects may be equal.
    """

    def __init__(
        self,
        histories: Sequence[History],
        key: Callable[[Observation], str] = lambda seen: seen.key,
        *,
        anybody: bool = False,
    ) -> None:
        self._key = key
        self.neighbours = Neighbours([history.observations for history in histories])
        """What tells state from noise where calls are not equal."""
        self._before: dict[tuple[int, int], tuple[str, int]] = {}
        for history in histories:
            past, whose = 0, "" if anybody else history.subject
            for seen in history.observations:
                self._before[seen.episode, seen.position] = whose, past
                past = hash((past, seen.tool, key(seen)))

    def pairs(
        self, observations: Iterable[Observation]
    ) -> Iterator[tuple[Observation, Observation, bool]]:
        """Each call with an equal one before it, in the order of time, and whether the two ought to be answered alike.

        They ought to if they were made in a row, or after the same calls in two episodes of one subject.
        """
        last: dict[tuple[str, str], Observation] = {}
        twins: dict[tuple[str, str, str, int], Observation] = {}
        for seen in observations:
            call = (seen.tool, self._key(seen))
            at = (*call, *self._before[seen.episode, seen.position])
            before, twin = last.get(call), twins.get(at)
            if before is not None and (before.episode, before.position + 1) == (
                seen.episode,
                seen.position,
            ):
                yield before, seen, True
            elif twin is not None:
                yield twin, seen, True
            elif before is not None:
                yield before, seen, False
            last[call] = twins[at] = seen

    def are_own(self, before: Observation, seen: Observation) -> bool:
        """Whether both are of one subject, in two episodes."""
        subjects = {self._before[one.episode, one.position][0] for one in (before, seen)}
        return before.episode != seen.episode and len(subjects) == 1


class _Moves:
    """How often equal calls with equal results told another value beside them: that ought to be answered alike, of one subject, and ever."""

    def __init__(self) -> None:
        self._alike = Counter[bool]()
        self._own = Counter[bool]()
        self._ever = Counter[bool]()

    def add(self, *, differs: bool, alike: bool, own: bool) -> None:
        """One more pair."""
        self._ever[differs] += 1
        if own:
            self._own[differs] += 1
        if alike:
            self._alike[differs] += 1

    def are_idle(self, share: float, chance: float, *, still: bool, around: bool) -> bool:
        """Whether the values say nothing, where at least this share of calls that ought to be answered alike is not.

        `chance`: the share of any two calls that are told different values; a rare value differs in few. Of values that may
        tell whose episode it is (`still`) calls of several subjects say nothing. `around`: all tools tell them, as no record does.
        """
        everybody = self._own if still else self._ever
        if around and chance < HALF_OF_CASES:
            # Of a rare value calls that ought to be answered alike show nothing where they are few.
            few = self._alike.total() * chance < MIN_MOVED
            counts, share = everybody if few else self._alike, HALF_OF_CASES * chance
            return accept_counts(counts, least=MIN_MOVED, share=share)
        if self._alike.total() < MIN_MOVED:
            return accept_counts(everybody, least=MIN_MOVED, share=MOST)
        return accept_counts(self._alike, least=MIN_MOVED, share=share)


def idle_places(  # noqa: PLR0913 - what is known of the places
    observations: Sequence[Observation],
    places: Collection[str],
    pasts: Pasts,
    *,
    share: float,
    still: Collection[str],
    around: bool = False,
) -> set[str]:
    """Those of some places that are idle; observations come in the order of time.

    `still`: places whose values may tell of an episode or of a change: calls in a row say nothing of them; `around`: the places stand around the results of all tools.
    """
    if not places:
        return set()
    moves: dict[str, _Moves] = defaultdict(_Moves)
    told = {id(seen): _told_by(seen) for seen in observations}
    pairs = list(pasts.pairs(observations))
    rows = {
        place: [(seen, told[id(seen)][place]) for seen in observations if place in told[id(seen)]]
        for place in _without_steady(pairs, told, places)
    }
    beside = pasts.neighbours
    loose = {place: mine for place, mine in rows.items() if not beside.hold_state(mine)}
    anew = {place: beside.tell_anew(mine) for place, mine in loose.items()}
    for before, seen, alike in pairs if loose else ():
        rests = [_without_places(one, rows) for one in (before, seen)]
        if rests[1] in _NOTHING or not _are_equal(*rests, alike=alike):
            continue
        left, right = told[id(before)], told[id(seen)]
        in_row = before.episode == seen.episode
        for place in loose:
            if in_row and (place in still or not (alike or seen.tool in anew[place])):
                continue
            differs = left.get(place) != right.get(place)
            moves[place].add(differs=differs, alike=alike, own=pasts.are_own(before, seen))
    chances = {
        place: _chance_to_differ(one[place] for one in told.values() if place in one)
        for place in moves
    }
    return {
        place
        for place, found in moves.items()
        if found.are_idle(share, chances[place], still=place in still, around=around)
    }


def values_around(record: Mapping[str, Json]) -> dict[str, Json]:
    """What may stand around results in a record, by path: every scalar, and every list of a few as one value."""
    return {**dict(fields_of(record)), **dict(_short_lists(record))}


def _short_lists(record: Mapping[str, Json], under: str = "") -> Iterator[tuple[str, Json]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _short_lists(value, f"{under}{name}/")
        elif _is_short_list(value):
            yield f"{under}{name}", value


def _is_short_list(value: Json) -> bool:
    if not isinstance(value, list) or not 0 < len(value) <= MAX_LISTED:
        return False
    return not any(isinstance(item, dict | list) for item in value)


def _told_by(seen: Observation) -> dict[str, Json]:
    """What a result tells at every place."""
    return values_around(seen.value) if isinstance(seen.value, dict) else places_of(seen.content)


def _without_steady(
    pairs: Sequence[tuple[Observation, Observation, bool]],
    told: Mapping[int, Mapping[str, Json]],
    places: Collection[str],
) -> set[str]:
    """The places but those that never differ between calls that ought to be answered alike, or between any equal ones where these are few: they are the answer."""
    sure = [pair for pair in pairs if pair[2]]
    both = [
        (told[id(before)], told[id(seen)])
        for before, seen, _ in (sure if len(sure) >= SEEN_VERY_OFTEN else pairs)
    ]
    return {place for place in places if any(b.get(place) != s.get(place) for b, s in both)}


def _chance_to_differ(values: Iterable[Json]) -> float:
    """The share of any two values that differ."""
    told = Counter(map(stable, values))
    return 1 - sum(often**2 for often in told.values()) / (told.total() ** 2 or 1)


def moved_fields(
    observations: Iterable[Observation], pasts: Pasts
) -> dict[str, list[tuple[Observation, Json]]]:
    """Fields of the records of one tool that may say nothing, with all their values.

    They differ between equal calls after equal pasts in two episodes, or nearly every call is told another: no state makes so many.
    """
    records = [seen for seen in observations if isinstance(seen.value, dict)]
    moves: dict[str, Counter[bool]] = defaultdict(Counter)
    rows = lists_by_key(
        (place, (seen, value))
        for seen in records
        for place, value in places_of(seen.content).items()
    )
    for before, seen, alike in pasts.pairs(records):
        if alike and before.episode != seen.episode:
            known = places_of(before.content)
            for place, value in places_of(seen.content).items():
                if place in known:
                    moves[place][known[place] != value] += 1
    return {
        place: mine
        for place, mine in sorted(rows.items())
        if len({str(value) for _, value in mine}) >= NEARLY_ALWAYS * len(mine)
        or accept_counts(moves[place], least=MIN_MOVED, share=SOME)
    }


def are_idle(
    rows: Rows,
    rest: Callable[[Observation, Json], str],
    pasts: Pasts,
    *,
    share: float = MOST,
    still: bool = False,
) -> bool:
    """Whether the values of one place around all results are idle; `rest` is what a result says without its value."""
    moves = _Moves()
    ordered = sorted(rows, key=lambda row: (row[0].episode, row[0].position))
    values = {id(seen): value for seen, value in ordered}
    if pasts.neighbours.hold_state(ordered):
        return False
    anew = pasts.neighbours.tell_anew(ordered)
    for before, seen, alike in pasts.pairs(seen for seen, _ in ordered):
        if before.episode == seen.episode and not (alike or seen.tool in anew):
            continue
        told, value = values[id(before)], values[id(seen)]
        if _are_equal(rest(before, told), rest(seen, value), alike=alike):
            moves.add(differs=told != value, alike=alike, own=pasts.are_own(before, seen))
    chance = _chance_to_differ(values.values())
    return moves.are_idle(share, chance, still=still, around=True)


def _are_equal(before: str, rest: str, *, alike: bool) -> bool:
    """Whether the rest of two results is equal; where they ought to be answered alike, but for what has digits."""
    return shape_of(before) == shape_of(rest) if alike else before == rest


def usual_value(rows: Rows) -> ValueForm | None:
    """The form of values that keep to no format: the commonest is told; None where they are of several types."""
    if len({type_of(value) for _, value in rows}) > 1:
        return None
    says = "a value that says nothing of the answer: the commonest of those recorded"
    usual = Counter(json.dumps(value) for _, value in rows).most_common(1)[0][0]
    return ValueForm(kind="any", value=json.loads(usual), says=says, seen=len(rows))


def stands_still(rows: Rows) -> bool:
    """Whether the value of a place is one and the same in most episodes, more than a rare value makes it."""
    told = lists_by_key((seen.episode, stable(value)) for seen, value in rows)
    asked = [values for values in told.values() if len(values) > 1]
    if sum(len(set(values)) > 1 for values in asked) * 2 > len(asked):
        return False
    moves = [one != other for values in asked for one, other in pairwise(values)]
    chance = _chance_to_differ(value for _, value in rows)
    return sum(moves) < HALF_OF_CASES * chance * len(moves)


def usual_number(rows: Rows) -> ValueForm | None:
    """The form of numbers in one unit: the median is told; None where some value is no number, or in another unit."""
    units = {number_with_unit(value) for _, value in rows}
    if len(units) > 1 or None in units:
        return None
    unit = str(units.pop())
    numbers = sorted((float(str(value).removesuffix(unit)), str(value)) for _, value in rows)
    usual = numbers[(len(numbers) - 1) // 2][1]
    says = "a number that says nothing of the answer: the median of those recorded"
    quoted = any(isinstance(value, str) for _, value in rows)
    value: Json = usual if quoted else json.loads(usual)
    return ValueForm(kind="number", value=value, says=says, seen=len(rows))


def _without_places(seen: Observation, places: Collection[str]) -> str:
    """A result without what stands at some places."""
    if isinstance(seen.value, dict):
        return stable(without_places(seen.value, sorted(places)))
    here = dict.fromkeys(places_of(seen.content).keys() & places, "")
    return replaced(seen.content, here) or ""

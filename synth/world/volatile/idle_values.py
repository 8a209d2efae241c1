"""Idle values: what differs beside an answer between equal calls though all the rest of the answer is equal.

Comes from observations and places in their results. Goes out: the places whose values say nothing of what was asked. Where calls were
made twice in a row, or after the very same calls of another episode, these decide: what only a change moves stands still between them.
Not here: the formats of times and ids.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Final

from environments.runtime.document.views import ValueForm
from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import number_with_unit
from environments.runtime.values.normal import stable
from environments.runtime.views.clock_and_ids import places_of, replaced
from environments.runtime.views.result_wrappers import without_places
from synth.world.observation import History, Observation
from synth.world.support import MOSTLY, SEEN_SEVERAL_TIMES, SELDOM, Support, accept
from synth.world.volatile.bench_clock import Rows

MIN_MOVED: Final = SEEN_SEVERAL_TIMES
"""Equal calls with equal results beside it, and another value there."""
MOST: Final = MOSTLY
"""Share of such calls."""
SOME: Final = SELDOM
"""The same around the results of all tools, where nothing between the two calls could matter: a server's name comes again now and then."""


_NOTHING: Final = ("", "{}")
"""What is left of a result in which everything may be idle."""


class Pasts:
    """The calls before each call of an episode, and whose episode it is."""

    def __init__(self, histories: Iterable[History]) -> None:
        self._before: dict[tuple[int, int], tuple[str, int]] = {}
        for history in histories:
            past = 0
            for seen in history.observations:
                self._before[seen.episode, seen.position] = history.subject, past
                past = hash((past, seen.tool, seen.key))

    def are_alike(self, before: Observation, seen: Observation) -> bool:
        """Whether two equal calls ought to be answered alike: made in a row, or after the same calls for the same subject."""
        if before.episode == seen.episode:
            return seen.position == before.position + 1
        return (
            self._before[before.episode, before.position]
            == self._before[seen.episode, seen.position]
        )


class _Moves:
    """How often equal calls with equal results told another value beside them: where they ought to be answered alike, and ever."""

    def __init__(self) -> None:
        self._alike = Counter[bool]()
        self._ever = Counter[bool]()

    def add(self, *, differs: bool, alike: bool) -> None:
        """One more pair."""
        self._ever[differs] += 1
        if alike:
            self._alike[differs] += 1

    def are_idle(self, share: float, *, still: bool) -> bool:
        """Whether the values say nothing, where at least this share of calls that ought to be answered alike is not.

        Of values that stand still in an episode (`still`) only such calls say it: they may tell whose episode it is.
        """
        counts, least = self._alike, share
        if counts.total() < MIN_MOVED and not still:
            counts, least = self._ever, MOST
        moved = Support(cases=counts[True], against=counts[False])
        return accept(moved, least=MIN_MOVED, share=least)


def idle_places(
    observations: Iterable[Observation],
    places: Collection[str],
    pasts: Pasts,
    *,
    share: float = MOST,
    still: Collection[str] = (),
) -> set[str]:
    """Those of some places that are idle; observations come in the order of time. `still`: places whose values stand still in an episode."""
    last: dict[tuple[str, str], tuple[Observation, str]] = {}
    moves: dict[str, _Moves] = defaultdict(_Moves)
    for seen in observations if places else ():
        rest = _without_places(seen, places)
        before, rest_before = last.get((seen.tool, seen.key), (None, ""))
        last[seen.tool, seen.key] = seen, rest
        if before is None or rest != rest_before or rest in _NOTHING:
            continue
        left, right = places_of(before.content), places_of(seen.content)
        alike = pasts.are_alike(before, seen)
        for place in places:
            moves[place].add(differs=left.get(place) != right.get(place), alike=alike)
    return {place for place, found in moves.items() if found.are_idle(share, still=place in still)}


def moved_fields(
    observations: Iterable[Observation], pasts: Pasts
) -> dict[str, list[tuple[Observation, Json]]]:
    """Fields of the records of one tool that differed between calls that ought to be answered alike, with all their values.

    Calls in a row do not count: the tool may change something.
    """
    last: dict[str, Observation] = {}
    moved: set[str] = set()
    rows: dict[str, list[tuple[Observation, Json]]] = defaultdict(list)
    for seen in observations:
        if not isinstance(seen.value, dict):
            continue
        fields = places_of(seen.content)
        for place, value in fields.items():
            rows[place].append((seen, value))
        before = last.get(seen.key)
        last[seen.key] = seen
        if before is None or before.episode == seen.episode or not pasts.are_alike(before, seen):
            continue
        known = places_of(before.content)
        moved |= {p for p in fields.keys() & known.keys() if fields[p] != known[p]}
    return {place: rows[place] for place in sorted(moved)}


def are_idle(
    rows: Rows,
    rest: Callable[[Observation, Json], str],
    pasts: Pasts,
    *,
    share: float = MOST,
    still: bool = False,
) -> bool:
    """Whether the values of one place are idle; `rest` is what a result says without its value."""
    last: dict[tuple[str, str, str], tuple[Observation, Json]] = {}
    moves = _Moves()
    for seen, value in sorted(rows, key=lambda row: (row[0].episode, row[0].position)):
        alike = seen.tool, seen.key, rest(seen, value)
        if alike in last:
            before, told = last[alike]
            moves.add(differs=told != value, alike=pasts.are_alike(before, seen))
        last[alike] = seen, value
    return moves.are_idle(share, still=still)


def usual_value(rows: Rows) -> ValueForm | None:
    """The form of values that keep to no format: the commonest is told; None where they are of several types."""
    types = {"number" if _is_number(value) else type(value).__name__ for _, value in rows}
    if len(types) > 1:
        return None
    says = "a value that says nothing of the answer: the commonest of those recorded"
    usual = Counter(json.dumps(value) for _, value in rows).most_common(1)[0][0]
    return ValueForm(kind="any", value=json.loads(usual), says=says, seen=len(rows))


def stands_still(rows: Rows) -> bool:
    """Whether the value of a place is one and the same in most episodes."""
    told: dict[int, set[str]] = defaultdict(set)
    for seen, value in rows:
        told[seen.episode].add(str(value))
    asked = Counter(seen.episode for seen, _ in rows)
    several = [len(told[episode]) > 1 for episode, often in asked.items() if often > 1]
    return sum(several) * 2 <= len(several)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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

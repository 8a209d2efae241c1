"""Idle values: a time or a number beside an answer that differs between equal calls though all the rest of the answer is equal.

Comes from observations and places in their results. Goes out: the places whose values say nothing of what was asked. Where calls were
made twice in a row, these decide: what only a change moves stands still between them. Not here: the formats of such values.
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
from synth.world.observation import Observation
from synth.world.support import MOSTLY, SEEN_SEVERAL_TIMES, Support, accept
from synth.world.volatile.bench_clock import Rows

MIN_MOVED: Final = SEEN_SEVERAL_TIMES
"""Equal calls with equal results beside it, and another value there."""
MOST: Final = MOSTLY
"""Share of such calls."""


class _Moves:
    """How often equal calls with equal results told another value beside them: in a row, and ever."""

    def __init__(self) -> None:
        self._at_once = Counter[bool]()
        self._ever = Counter[bool]()

    def add(self, before: Observation, seen: Observation, *, differs: bool) -> None:
        """One more pair."""
        self._ever[differs] += 1
        if before.episode == seen.episode and seen.position == before.position + 1:
            self._at_once[differs] += 1

    @property
    def idle(self) -> bool:
        """Whether the value says nothing."""
        counts = self._at_once if self._at_once.total() >= MIN_MOVED else self._ever
        moved = Support(cases=counts[True], against=counts[False])
        return accept(moved, least=MIN_MOVED, share=MOST)


def idle_places(observations: Iterable[Observation], places: Collection[str]) -> set[str]:
    """Those of some places that are idle; observations come in the order of time."""
    last: dict[tuple[str, str], tuple[Observation, str]] = {}
    moves: dict[str, _Moves] = defaultdict(_Moves)
    for seen in observations if places else ():
        rest = _without_places(seen, places)
        before, rest_before = last.get((seen.tool, seen.key), (None, ""))
        last[seen.tool, seen.key] = seen, rest
        if before is None or rest != rest_before:
            continue
        left, right = places_of(before.content), places_of(seen.content)
        for place in places:
            moves[place].add(before, seen, differs=left.get(place) != right.get(place))
    return {place for place, found in moves.items() if found.idle}


def are_idle(rows: Rows, rest: Callable[[Observation, Json], str]) -> bool:
    """Whether the values of one place are idle; `rest` is what a result says without its value."""
    last: dict[tuple[str, str, str], tuple[Observation, Json]] = {}
    moves = _Moves()
    for seen, value in sorted(rows, key=lambda row: (row[0].episode, row[0].position)):
        alike = seen.tool, seen.key, rest(seen, value)
        if alike in last:
            moves.add(last[alike][0], seen, differs=last[alike][1] != value)
        last[alike] = seen, value
    return moves.idle


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

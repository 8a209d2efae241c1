"""How long a sight of a record can be trusted, where the backend lives on: counted from sights that held and that did not.

Comes from the versions of every record, oldest first. Comes out: horizons of tables, whether records turn back, and which tables
stand still. Not here: where versions come from (`timeline`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import same_json
from environments.runtime.world.entries import Place
from synth.world.support import CHANCE, SEEN_MANY_TIMES, SEEN_TWICE, SEEN_VERY_OFTEN

WINDOW: Final = 60
"""Pairs of sights that the chance of a silent change is estimated from, at each gap."""
MIN_PAIRS: Final = SEEN_VERY_OFTEN
"""Below this many pairs of sights from different episodes nothing is trusted past its episode."""
MAX_CHANCE: Final = CHANCE
"""Chance of a silent change, within the window, that still counts as stable."""
MAX_OF_ROW: Final = 5
"""Pairs of one row that count towards what is enough."""
MIN_MOVED: Final = SEEN_TWICE
"""Changes of one record, in times over which its table holds, before no later sight of it tells of earlier ones."""
MIN_STILL: Final = SEEN_MANY_TIMES
"""Pairs of sights from different episodes, whatever lies between, before a table that nobody saw change is taken to stand still."""


@dataclass(slots=True)
class Version:
    """A record as it was seen or left, or a call that may have changed it."""

    at: int
    episode: int
    row: Json
    void: bool = False
    """A call whose effect nobody knows may have changed the record."""
    read: bool = True
    by: str = ""
    """The tool of such a call."""
    gone: bool = False
    """A look that was refused: whatever was there before is not there now."""
    made: bool = False
    """Left by a call: no sight of what was there before."""
    passing: bool = False
    """A call that may have touched the record, of a table that is trusted across such calls."""
    done: int = 0
    """Calls of its episode before it that may have changed something."""
    position: int = 0
    """Of the call in its episode."""

    @property
    def order(self) -> tuple[int, int, int]:
        """Its place in the order of all calls: calls of one episode may have one time."""
        return self.at, self.episode, self.position


def horizon_of(pairs: list[tuple[int, bool]]) -> int | None:
    """The longest gap (ns) over which sights held; 0 where too little was seen, None where nothing ever changed."""
    ordered = sorted(pairs)
    if len(ordered) >= 2 * MIN_PAIRS and not any(changed for _, changed in ordered):
        return None
    window: deque[bool] = deque(maxlen=WINDOW)
    horizon = 0
    for count, (gap, changed) in enumerate(ordered, start=1):
        window.append(changed)
        if count < MIN_PAIRS:
            continue
        if not holds(window):
            break
        horizon = gap
    return horizon


def holds(changed: Collection[bool]) -> bool:
    """Whether so few of some pairs differ that the next may be taken to be alike."""
    return (sum(changed) + 0.5) / (len(changed) + 1) <= MAX_CHANCE


def trusted(by_row: Iterable[list[tuple[int, bool]]], least: int) -> int | None:
    """The horizon of a table from the pairs of each of its rows: a few rows seen often say little about the others."""
    known = list(by_row)
    counted = sum(min(len(pairs), MAX_OF_ROW) for pairs in known)
    if counted < least:
        return 0
    pairs = [pair for row in known for pair in row]
    horizon = horizon_of(pairs)
    return horizon if horizon is not None or counted >= 2 * MIN_PAIRS else max(pairs)[0]


def pairs_of(versions: list[Version]) -> list[tuple[int, bool]]:
    """Gap and whether the record had changed, for each sight and the one before it from another episode."""
    out: list[tuple[int, bool]] = []
    for before, now in pairwise(versions):
        known = now.read and not before.void and not before.gone
        if known and before.episode != now.episode:
            changed = now.gone or not same_json(before.row, now.row)
            out.append((now.at - before.at, changed))
    return out


def pairs_back(versions: list[Version]) -> list[tuple[int, bool]]:
    """The same for a later sight that stands in for an earlier one: whoever looks may change the record right after.

    So what an episode saw first is compared with what the next one met, whatever the first did in between. What was not
    there at first is no row that a later sight may stand in for.
    """
    out: list[tuple[int, bool]] = []
    firsts = [next(run) for _, run in groupby(versions, key=lambda v: v.episode)]
    for before, now in pairwise(firsts):
        looked = before.read and not before.void and not (before.gone and now.gone)
        if looked and not now.void and not now.made:
            out.append((now.at - before.at, not _has_same_row(before, now)))
    return out


def moves(versions: list[Version], back: int | None) -> bool:
    """Whether one record changed so often, in times over which its table holds, that no later sight says how it was before."""
    pairs = pairs_back(versions)
    return sum(changed for gap, changed in pairs if back is None or gap <= back) >= MIN_MOVED


def still_tables(known: Mapping[Place, list[Version]]) -> set[str]:
    """Tables of which no record was ever seen to change, whatever was called in between."""
    calm: Counter[str] = Counter()
    moved: set[str] = set()
    for (table, _), versions in known.items():
        if any(v.made or v.gone for v in versions):
            moved.add(table)
        looked = [v for v in versions if v.read and not v.void]
        for before, now in pairwise(looked):
            if not _has_same_row(before, now):
                moved.add(table)
            calm[table] += before.episode != now.episode
    return {table for table, count in calm.items() if count >= MIN_STILL} - moved


def stays(timelines: Iterable[list[Version]]) -> bool:
    """Whether a record that was the same before and after a moment may be taken to have been so at that moment.

    Of three sights in a row the outer two are equal: the middle one should be too. And a record that changed is seen again:
    never as it was before.
    """
    good = bad = 0
    for versions in timelines:
        rows = [v for v in versions if v.read and not v.void]
        found: Counter[bool] = Counter()
        for first, middle, last in zip(rows, rows[1:], rows[2:], strict=False):
            apart = len({first.episode, middle.episode, last.episode}) == 3
            if apart and not first.gone and not last.gone:
                back, left = _has_same_row(first, last), not _has_same_row(first, middle)
                found[left] += back or left
                bad += back and left
        good += min(found[False], MAX_OF_ROW) + min(found[True], MAX_OF_ROW)
    return good >= MIN_PAIRS and (bad + 0.5) / (good + 1) <= MAX_CHANCE


def _has_same_row(left: Version, right: Version) -> bool:
    return left.gone == right.gone and same_json(left.row, right.row)

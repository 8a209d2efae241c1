"""Table stability: how long nobody else changes anything, told by all tables of a backend that lives on together.

Comes from the versions of records, the calls that were made between looks, and all calls of writers. Comes out: the tables of which
too few sights were compared to trust them alone, how long those are trusted, and the writers that may change any of their
records. Not here: how long a table is trusted by its own sights (`validity`), who writes at all (`influence.writers`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.world.entries import Place
from synth.world.support import SEEN_THRICE, SEEN_TWICE
from synth.world.time.indirect_effects import Trial
from synth.world.time.validity import MIN_PAIRS, Version, horizon_of, pairs_of

MIN_OWN: Final = SEEN_THRICE
"""Pairs of sights of a table's own within the gap, none changed: what moves by itself would have shown it."""
MIN_CALM: Final = SEEN_TWICE
"""Looks that found a table's record as it was after a writer's call, before the writer is taken to leave it alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterCall:
    """A call of a writer."""

    order: tuple[int, int, int]
    """Its time, its episode and its place there."""
    tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet:
    """A table that is trusted because the whole backend is quiet so long."""

    horizon: int
    versions: Mapping[Place, list[Version]]
    """Its records, unknown after each call that was never seen to leave them alone."""
    far: frozenset[str]
    """The tools of such calls."""


def quiet_tables(
    known: Mapping[Place, list[Version]], trials: Iterable[Trial], written: Sequence[WriterCall]
) -> dict[str, Quiet]:
    """Per table what is trusted of it; none where changes come too soon, or where too little was compared."""
    far = _never_calm({place[0] for place in known}, trials, {call.tool for call in written})
    by: dict[str, dict[Place, list[Version]]] = defaultdict(dict)
    for place, versions in doubt_versions(known, written, far).items():
        by[place[0]][place] = versions
    pairs = {table: [p for v in mine.values() for p in pairs_of(v)] for table, mine in by.items()}
    pooled = [pair for mine in pairs.values() for pair in mine]
    if len(pooled) < 2 * MIN_PAIRS:
        return {}
    gap = horizon_of(pooled)
    out: dict[str, Quiet] = {}
    for table, mine in pairs.items():
        own = [pair for pair in mine if gap is None or pair[0] <= gap]
        if len(own) >= MIN_OWN and not any(changed for _, changed in own):
            out[table] = Quiet(horizon=sorted(own)[-MIN_OWN][0], versions=by[table], far=far[table])
    return out


def doubt_versions(
    known: Mapping[Place, list[Version]],
    written: Sequence[WriterCall],
    far: Mapping[str, Collection[str]],
) -> dict[Place, list[Version]]:
    """The versions of all records, unknown after each call of a tool that may change any record of their table."""
    calls = sorted(written, key=lambda call: call.order)
    able = {table: [call for call in calls if call.tool in tools] for table, tools in far.items()}
    return {
        place: list(_doubt_record(versions, able.get(place[0], ())))
        for place, versions in known.items()
    }


def _never_calm(
    tables: Collection[str], trials: Iterable[Trial], writers: Collection[str]
) -> dict[str, frozenset[str]]:
    """Per table the writers that were not seen often enough to leave a record of it as it was."""
    calm: dict[str, Counter[str]] = defaultdict(Counter)
    for trial in trials:
        if trial.same:
            calm[trial.table].update(trial.suspects)
    return {table: frozenset(w for w in writers if calm[table][w] < MIN_CALM) for table in tables}


def _doubt_record(versions: list[Version], calls: Sequence[WriterCall]) -> Iterator[Version]:
    """The versions of a record, and behind each the first call that may have changed it."""
    for at, version in enumerate(versions):
        yield version
        index = bisect_right(calls, version.order, key=lambda call: call.order)
        if version.void or index == len(calls):
            continue
        when, tool = calls[index].order, calls[index].tool
        if at + 1 == len(versions) or when < versions[at + 1].order:
            yield Version(when[0], when[1], None, void=True, read=False, by=tool, position=when[2])

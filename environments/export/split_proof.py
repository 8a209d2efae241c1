"""The proof that nothing leaks between splits: counted anew over the finished splits, not taken from how they were made.

In: `Traits` and who is in which split. Out: counts of everything that stands in more than one split, as plain JSON for
the manifest. Counts and table names only: no user, no record, no word.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Final, TypeVar

from environments.export.traits import Traits
from environments.runtime.task.attempt import Json
from environments.runtime.values.grouping import by_key

Key = TypeVar("Key", bound=Hashable)
ALIKE: Final = 0.7
"""Jaccard similarity over runs of four words from which two tasks are the same text."""
FEWEST: Final = 8
"""Runs of words below which a text says too little to be called the same ("I need help with my order")."""
COMMON: Final = 40
"""A run of words in more tasks than this is how people talk, not a trace of one task."""


def near_duplicates(
    tasks: Sequence[Traits], *, least: float = ALIKE
) -> list[tuple[str, str, float]]:
    """Pairs of tasks whose users say nearly the same, with how near."""
    long = [task for task in tasks if len(task.pieces) >= FEWEST]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, task in enumerate(long):
        for piece in task.pieces:
            holders[piece].append(index)
    met: set[tuple[int, int]] = set()
    for indices in holders.values():
        if len(indices) <= COMMON:
            met.update(combinations(indices, 2))
    found = []
    for left, right in sorted(met):
        near = _jaccard(long[left].pieces, long[right].pieces)
        if near >= least:
            found.append((long[left].task_id, long[right].task_id, near))
    return found


def prove(
    tasks: Sequence[Traits], assigned: Mapping[str, str], *, isolating: Iterable[str], by: str
) -> dict[str, Json]:
    """What stands in more than one split; `leak_free` if nothing does that must not."""
    inside = [task for task in tasks if task.task_id in assigned]
    keep = frozenset(isolating)
    spread: dict[str, int] = {
        "subjects": len(_keys_across(inside, assigned, lambda t: filter(None, (t.subject,)))),
        "episodes": len(_keys_across(inside, assigned, lambda t: t.episodes)),
        "records": len(
            _keys_across(inside, assigned, lambda t: (r for r in t.records if r[0] in keep))
        ),
        "actions": len(_keys_across(inside, assigned, lambda t: (t.actions,))),
        "clusters": len(_keys_across(inside, assigned, lambda t: (t.kind,))),
    }
    pairs = near_duplicates(inside, least=0.0)
    across = [near for left, right, near in pairs if assigned[left] != assigned[right]]
    periods = _periods(inside, assigned)
    in_order = _in_order(periods)
    must = [
        "subjects",
        "episodes",
        "records",
        "actions",
        *(["clusters"] if by == "cluster" else []),
    ]
    alike = sum(near >= ALIKE for near in across)
    clean = not alike and not any(spread[name] for name in must) and (by != "time" or in_order)
    everybody = _keys_across(inside, assigned, lambda t: (r for r in t.records if r[0] not in keep))
    reference = Counter(table for table, _ in everybody)
    return {
        "leak_free": clean,
        "in_several_splits": dict[str, Json](spread),
        "same_text": alike,
        "nearest_text": round(max(across, default=0.0), 3),
        "reference_records_in_several_splits": dict[str, Json](sorted(reference.items())),
        "without_subject": sum(task.subject is None for task in inside),
        "in_order_of_time": in_order,
        "periods": {name: [first, last] for name, (first, last) in periods.items()},
    }


def _keys_across(
    tasks: Sequence[Traits], assigned: Mapping[str, str], keys: Callable[[Traits], Iterable[Key]]
) -> list[Key]:
    """Keys that tasks of more than one split have."""
    seen: dict[Key, set[str]] = defaultdict(set)
    for task in tasks:
        for key in keys(task):
            seen[key].add(assigned[task.task_id])
    return [key for key, splits in seen.items() if len(splits) > 1]


def _periods(tasks: Sequence[Traits], assigned: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """First and last start of the tasks of each split, in nanoseconds."""
    times = by_key((assigned[task.task_id], task.started_at) for task in tasks)
    return {name: (min(found), max(found)) for name, found in sorted(times.items())}


def _in_order(periods: Mapping[str, tuple[int, int]]) -> bool:
    """Whether train ended before validation began, and that before the held-out tasks."""
    ordered = [periods[name] for name in ("train", "validation", "held_out") if name in periods]
    return all(before[1] < after[0] for before, after in pairwise(ordered))


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    both = len(left & right)
    return both / (len(left) + len(right) - both)

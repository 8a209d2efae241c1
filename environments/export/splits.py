"""Train, validation and held-out tasks, so that what is learnt from one is not already known about another.

In: `Traits`, settings, and the splits of an earlier version. Out: `Splits`. Tasks that share a user, a record, an
episode, their words or their actions stay together, whatever a split is made by. Deterministic: no clock, no order of
arrival. What cannot be separated is said, not forced. Not here: the proof over the result (`split_proof`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import Final

from environments.export.errors import ExportError
from environments.export.split_proof import near_duplicates
from environments.export.traits import Traits
from environments.runtime.values.canonical import digest
from environments.runtime.values.grouping import by_key

TRAIN: Final = "train"
VALIDATION: Final = "validation"
HELD_OUT: Final = "held_out"
SPLITS: Final[tuple[str, ...]] = (TRAIN, VALIDATION, HELD_OUT)
ENTITY: Final = "entity"
CLUSTER: Final = "cluster"
TIME: Final = "time"
WAYS: Final = (ENTITY, CLUSTER, TIME)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSettings:
    """How tasks are divided."""

    by: str = ENTITY
    """`entity` (users and records), `cluster` (whole kinds of task are held out too), `time` (the latest are)."""
    shares: Mapping[str, float] = field(
        default_factory=lambda: {TRAIN: 0.8, VALIDATION: 0.1, HELD_OUT: 0.1}
    )
    seed: int = 0
    shared: frozenset[str] = frozenset()
    """Tables declared to be shared by everybody: their records keep no tasks together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """Who went where, and why not otherwise."""

    tasks: Mapping[str, str]
    """Task id -> split; tasks that span a cut in time are in none."""
    by: str
    seed: int
    groups: int
    """Sets of tasks that must stay together."""
    largest: int
    isolating: tuple[str, ...]
    """Tables whose records are in one split only."""
    shared: tuple[str, ...]
    """Tables that everybody uses: records never changed by a tool, in several splits by design."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """Tasks that were in another split in the version before: task id -> that split."""
    notes: tuple[str, ...] = ()


def split_tasks(
    tasks: Sequence[Traits],
    settings: SplitSettings,
    *,
    written: frozenset[str] = frozenset(),
    before: Mapping[str, str] | None = None,
) -> Splits:
    """Divide tasks; `before` holds the splits of an earlier version, which stay what they were."""
    _check(settings, before)
    ordered = sorted(tasks, key=lambda task: task.task_id)
    tables = {table for task in ordered for table, _ in task.records}
    isolating, groups = _groups(ordered, tables - settings.shared, settings, written)
    notes: list[str] = []
    if settings.by == TIME:
        assigned = _by_time(groups, settings)
        if lost := len(ordered) - len(assigned):
            notes.append(f"{lost} tasks span a cut in time together with others: in no split")
    else:
        assigned = _by_share(groups, settings, before or {})
    largest = max((len(group) for group in groups), default=0)
    empty = [name for name in SPLITS if settings.shares.get(name) and name not in assigned.values()]
    if empty and ordered:
        notes.append(
            f"nothing is in {' or '.join(empty)}: the {len(ordered)} tasks form {len(groups)} groups that share "
            f"users, records, words or actions, the largest of {largest}"
        )
    return Splits(
        tasks=assigned,
        by=settings.by,
        seed=settings.seed,
        groups=len(groups),
        largest=largest,
        isolating=tuple(sorted(isolating)),
        shared=tuple(sorted(tables - isolating)),
        moved={t: was for t, was in (before or {}).items() if assigned.get(t, was) != was},
        notes=tuple(notes),
    )


def _check(settings: SplitSettings, before: Mapping[str, str] | None) -> None:
    if settings.by not in WAYS:
        raise ExportError(f"tasks are split by {', '.join(WAYS)}, not by {settings.by!r}")
    if settings.by == TIME and before:
        raise ExportError("a split by time has its own cuts: leave out the earlier version")
    if not 0 < settings.shares.get(TRAIN, 0) <= 1 or abs(sum(settings.shares.values()) - 1) > 1e-9:
        raise ExportError("the shares of the splits must add up to 1, with some for train")


def _groups(
    tasks: Sequence[Traits],
    tables: set[str] | frozenset[str],
    settings: SplitSettings,
    written: frozenset[str],
) -> tuple[set[str], list[list[Traits]]]:
    """Tasks that must stay together.

    While that is nearly all of them, the most shared table that no tool changes is given up: records which everybody
    reads and nobody changes are reference data (a catalogue, a timetable).
    """
    isolating = set(tables)
    alike = near_duplicates(tasks)
    most = max(1, int(settings.shares[TRAIN] * len(tasks)))
    while True:
        groups = _join_groups(tasks, isolating, alike, by_kind=settings.by == CLUSTER)
        if max((len(group) for group in groups), default=0) <= most:
            return isolating, groups
        used = _tasks_per_record(tasks, isolating - written)
        if not used:
            return isolating, groups
        isolating.discard(max(used, key=lambda table: (used[table], table)))


def _tasks_per_record(tasks: Sequence[Traits], tables: set[str]) -> dict[str, float]:
    uses = Counter(record for task in tasks for record in task.records if record[0] in tables)
    by_table = by_key((table, count) for (table, _), count in uses.items())
    return {table: sum(counts) / len(counts) for table, counts in by_table.items()}


def _join_groups(
    tasks: Sequence[Traits],
    isolating: set[str],
    alike: Iterable[tuple[str, str, float]],
    *,
    by_kind: bool,
) -> list[list[Traits]]:
    """Connected components over everything that two tasks may share."""
    parent: dict[object, object] = {}

    def root(node: object) -> object:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for task in tasks:
        shared: list[object] = [("actions", task.actions)]
        shared += [("episode", episode) for episode in task.episodes]
        shared += [("record", *record) for record in task.records if record[0] in isolating]
        shared += [("subject", task.subject)] if task.subject else []
        shared += [("kind", task.kind)] if by_kind else []
        for node in shared:
            parent[root(node)] = root(("task", task.task_id))
    for left, right, _ in alike:
        parent[root(("task", left))] = root(("task", right))
    found = by_key((root(("task", task.task_id)), task) for task in tasks)
    return sorted(found.values(), key=lambda group: group[0].task_id)


def _by_share(
    groups: Sequence[Sequence[Traits]], settings: SplitSettings, before: Mapping[str, str]
) -> dict[str, str]:
    """Groups that are large for a small split go to train; the others in an order that only a hash decides.

    Each goes where tasks with its tools have least of their share: where one large group is trained on whole, tasks that
    share nothing with it (nobody is found, nothing is changed) would otherwise all be held out.
    """
    total = sum(len(group) for group in groups)
    target = {name: settings.shares.get(name, 0.0) * total for name in SPLITS}
    filled: Counter[str] = Counter()
    alike = Counter(task.tools for group in groups for task in group)
    placed: Counter[tuple[str, tuple[str, ...]]] = Counter()
    assigned: dict[str, str] = {}

    def put(group: Sequence[Traits], name: str) -> None:
        filled[name] += len(group)
        placed.update((name, task.tools) for task in group)
        assigned.update((task.task_id, name) for task in group)

    def need(group: Sequence[Traits], name: str) -> tuple[float, float]:
        """How much of its share a split has: of tasks with these tools, and of all."""
        of_like = sum(placed[name, task.tools] / alike[task.tools] for task in group) / len(group)
        return of_like / settings.shares[name], filled[name] / target[name]

    free: list[Sequence[Traits]] = []
    for group in groups:
        was = {before[task.task_id] for task in group if task.task_id in before}
        # Once trained on, always trained on; once used to choose, never again the last word.
        kept = next((name for name in SPLITS if name in was), None)
        if kept is None:
            free.append(group)
        else:
            put(group, kept)
    free.sort(key=lambda group: digest([settings.seed, group[0].task_id]))
    free.sort(key=lambda group: -len(group) if len(group) > ceil(_smallest(target) / 2) else 0)
    for group in free:
        put(group, min(_that_fit(target, filled, len(group)), key=partial(need, group)))
    return assigned


def _smallest(target: Mapping[str, float]) -> float:
    return min(size for size in target.values() if size > 0)


def _that_fit(target: Mapping[str, float], filled: Mapping[str, int], size: int) -> list[str]:
    """The splits that take a group of this size: train any, the others while they do not run over."""
    small = [
        name
        for name in (HELD_OUT, VALIDATION)
        if target[name] > 0 and filled[name] + size <= max(1, ceil(target[name]))
    ]
    return [TRAIN, *small]


def _by_time(groups: Sequence[Sequence[Traits]], settings: SplitSettings) -> dict[str, str]:
    """Train ends before validation begins, which ends before the held-out tasks begin."""
    times = sorted(task.started_at for group in groups for task in group)
    if not times or times[0] == times[-1]:
        return {task.task_id: TRAIN for group in groups for task in group}
    shares = settings.shares
    first = times[min(len(times) - 1, ceil(shares[TRAIN] * len(times)))]
    last = times[
        min(len(times) - 1, ceil((shares[TRAIN] + shares.get(VALIDATION, 0)) * len(times)))
    ]
    assigned: dict[str, str] = {}
    for group in groups:
        found = {
            TRAIN if t.started_at < first else VALIDATION if t.started_at < last else HELD_OUT
            for t in group
        }
        if len(found) == 1:
            assigned.update((task.task_id, next(iter(found))) for task in group)
    return assigned

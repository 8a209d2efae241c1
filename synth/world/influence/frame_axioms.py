"""Frame axioms: the tables whose rows a writer leaves as they were though its calls name them.

Comes from tables, keys and writers; sets `settled` per tool. A row that is refused after a call that named it is gone, whatever
brought it back later. Not here: who writes at all (`writers`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import labels_in, names_in, stable
from environments.runtime.world.state import names_of_key
from synth.world.influence.writers import Look, looks, place_of
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import History, Observation
from synth.world.support import (
    SEEN_MANY_TIMES,
    SEEN_THRICE,
    SEEN_TWICE,
)

MIN_POOLED: Final = SEEN_MANY_TIMES
"""Calm looks after all writers together, and the number of writers, before they speak for one more writer."""
MIN_WRITERS: Final = SEEN_THRICE
MIN_UNCHANGED: Final = SEEN_TWICE
"""Looks at different records, unchanged after a write that names them, before the write counts as harmless to them."""
APART: Final = "apart from "
"""Before the name of a table: calm looks that show little, counted by themselves."""
MIN_APART: Final = SEEN_MANY_TIMES
"""The same of lists with which neither the call nor a record that it names has anything to do: most would be as they were anyhow."""


def learn_settled(bench: Workbench) -> None:
    """For each writer: the tables whose rows stayed as they were though the call named them."""
    calm: dict[tuple[str, str], set[str]] = defaultdict(set)
    moved: Counter[tuple[str, str]] = Counter()
    for history in bench.histories:
        _count_settled(bench, history, calm, moved)
        moved.update(_rows_gone(bench, history))
    pooled = _pooled(calm, moved)
    for tool in bench.tools.values():
        if tool.innocent:
            continue
        tool.settled = {
            table for table in bench.tables if _is_settled(tool, table, calm, moved, pooled)
        }
        tool.evidence["settled"] = {
            table: len(calm[tool.name, table]) for table in sorted(tool.settled)
        }


def _pooled(
    calm: dict[tuple[str, str], set[str]], moved: Counter[tuple[str, str]]
) -> dict[str, tuple[int, int]]:
    """Per table that no writer was seen to disturb: calm looks, and writers that left it calm."""
    stirred = {table for _, table in moved}
    looks_at: dict[str, int] = defaultdict(int)
    writers: dict[str, int] = defaultdict(int)
    for (_, table), keys in calm.items():
        if not table.startswith(APART):
            looks_at[table] += len(keys)
            writers[table] += 1
    return {t: (n, writers[t]) for t, n in looks_at.items() if t not in stirred}


def _is_settled(
    tool: ToolModel,
    table: str,
    calm: dict[tuple[str, str], set[str]],
    moved: Counter[tuple[str, str]],
    pooled: dict[str, tuple[int, int]],
) -> bool:
    """Whether a writer may be taken to leave alone the rows of a table that it names but is not about.

    Its own looks settle it; where they are few, looks after all writers count too: for bystanders in its own table
    always, for other tables only with one look of its own.
    """
    own = len(calm[tool.name, table])
    if moved[tool.name, table]:
        return False
    if own >= MIN_UNCHANGED or len(calm[tool.name, APART + table]) >= MIN_APART:
        return True
    total, writers = pooled.get(table, (0, 0))
    if total >= MIN_POOLED and writers >= MIN_WRITERS:
        return own >= 1 or tool.table == table
    return False


def _count_settled(
    bench: Workbench,
    history: History,
    calm: dict[tuple[str, str], set[str]],
    moved: Counter[tuple[str, str]],
) -> None:
    last: dict[tuple[str, str], tuple[int, Json]] = {}
    for look in looks(bench, history):
        table = bench.tables[look.place[0]]
        tool = bench.tools[look.seen.tool]
        base = table.rows.get(look.place[1])
        since, before = last.get(look.place, (-1, base))
        last[look.place] = (look.seen.position, look.value)
        if before is None or not tool.innocent:
            continue
        same = stable(look.value) == stable(before)
        # What was taken out of a row stands in it before only.
        names = names_in(look.value) | look.seen.names | (set() if same else names_in(before))
        for seen in history.observations[since + 1 : look.seen.position]:
            other = bench.tools[seen.tool]
            if not bench.has_changed(seen) or place_of(other, seen) == look.place:
                continue
            if not tool.loose and names.isdisjoint(seen.names):
                continue
            if same:
                apart = tool.loose and _is_unrelated(bench, seen, look)
                counted = APART + table.name if apart else table.name
                calm[seen.tool, counted].add(look.place[1] + seen.key)
            else:
                moved[seen.tool, table.name] += 1


def _is_unrelated(bench: Workbench, seen: Observation, look: Look) -> bool:
    """Whether neither a call nor a record of the start that it names has to do with what was asked for."""
    asked = labels_in(look.seen.arguments)
    given = labels_in(seen.arguments)
    if not asked or not asked.isdisjoint(given):
        return False
    named = [
        row
        for table in bench.tables.values()
        for key, row in table.rows.items()
        if not given.isdisjoint(names_of_key(key))
    ]
    return not any(not asked.isdisjoint(labels_in(row)) for row in named)


def _rows_gone(bench: Workbench, history: History) -> Iterator[tuple[str, str]]:
    """Writers that alone named a row of the start, or one seen before, that was then refused; each with the row's table."""
    seen_at: dict[tuple[str, str], int] = {}
    for seen in history.observations:
        tool = bench.tools[seen.tool]
        keys = tool.key_arguments
        if not tool.innocent or tool.table is None or keys is None:
            continue
        key = seen.key_of(keys)
        place = tool.table, key
        if not refused(tool, seen):
            seen_at[place] = seen.position
        elif place in seen_at or key in bench.tables[tool.table].rows:
            names = names_of_key(key)
            between = history.observations[seen_at.get(place, -1) + 1 : seen.position]
            able = {
                o.tool
                for o in between
                if bench.has_changed(o) and not names.isdisjoint(labels_in(o.arguments))
            }
            if len(able) == 1:
                yield able.pop(), tool.table

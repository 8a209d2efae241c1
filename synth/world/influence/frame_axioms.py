"""Frame axioms: the tables whose rows a writer leaves as they were though its calls name them.

Comes from rows that were seen before and after calls; sets `settled` per tool. A row that is refused after a call that named it is gone,
whatever brought it back later. Not here: who writes at all (`writers`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from environments.runtime.values.mentions import labels_in, names_in
from environments.runtime.values.normal import stable
from environments.runtime.world.state import names_of_key
from synth.world.influence.writers import place_of, resights
from synth.world.model import Workbench, refused
from synth.world.observation import History
from synth.world.support import SEEN_MANY_TIMES, SEEN_THRICE, SEEN_TWICE

MIN_POOLED: Final = SEEN_MANY_TIMES
"""Calm looks after all writers together, and the number of writers, before they speak for one more writer."""
MIN_WRITERS: Final = SEEN_THRICE
MIN_UNCHANGED: Final = SEEN_TWICE
"""Looks at different records, unchanged after a write that names them, before the write counts as harmless to them."""


def learn_settled(bench: Workbench) -> None:
    """For each writer: the tables whose rows stayed as they were though the call named them.

    Its own looks settle it; where they are few, looks after all writers count too, at a table that none was seen to disturb: for
    bystanders in its own table always, for other tables only with one look of its own.
    """
    calm, moved = _looks_after(bench)
    moved |= {gone for history in bench.histories for gone in _rows_gone(bench, history)}
    disturbed = {table for table, _ in moved}
    for tool in bench.tools.values():
        if tool.innocent:
            continue
        own = {table: len(calm[table].get(tool.name, ())) for table in bench.tables}
        tool.settled = {
            table
            for table, looks in own.items()
            if (table, tool.name) not in moved
            and (
                looks >= MIN_UNCHANGED
                or (
                    (looks or tool.table == table)
                    and table not in disturbed
                    and len(calm[table]) >= MIN_WRITERS
                    and sum(map(len, calm[table].values())) >= MIN_POOLED
                )
            )
        }
        tool.evidence["settled"] = {table: own[table] for table in sorted(tool.settled)}


def _looks_after(
    bench: Workbench,
) -> tuple[dict[str, dict[str, set[str]]], set[tuple[str, str]]]:
    """By table and writer, the looks that found a row as it was though a call named it; and where one did not."""
    calm: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    moved: set[tuple[str, str]] = set()
    first = {(t.name, key): (row, "") for t in bench.tables.values() for key, row in t.rows.items()}
    for look, before, _, between in resights(bench, first):
        table, tool = look.place[0], bench.tools[look.seen.tool]
        if not tool.innocent:
            continue
        same = stable(look.value) == stable(before)
        # What was taken out of a row stands in it before only.
        names = names_in(look.value) | look.seen.names | (set() if same else names_in(before))
        for seen in between:
            if not bench.has_changed(seen) or place_of(bench.tools[seen.tool], seen) == look.place:
                continue
            if tool.loose or not names.isdisjoint(seen.names):
                if same:
                    calm[table][seen.tool].add(look.place[1] + seen.key)
                else:
                    moved.add((table, seen.tool))
    return calm, moved


def _rows_gone(bench: Workbench, history: History) -> Iterator[tuple[str, str]]:
    """Tables of rows of the start, or seen before, that were then refused; each with the writer that alone had named the row."""
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
            able = {
                o.tool
                for o in history.observations[seen_at.get(place, -1) + 1 : seen.position]
                if bench.has_changed(o) and not names.isdisjoint(labels_in(o.arguments))
            }
            if len(able) == 1:
                yield tool.table, able.pop()

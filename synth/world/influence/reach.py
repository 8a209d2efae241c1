"""Reach: which rows a write names by its arguments, and which tables those rows point on to.

Comes from base rows and observations; goes into the world file. There it says what a call with an unknown outcome may have touched: the
rows that it names, the rows that those mention, and, where the row itself was never seen, every row that it could mention of a
table that was ever seen to change that way. To take all tables instead was measured: 26-30 % exact and 0 wrong, where this gives
37-45 % and 0.1-0.4 %, on random calls to the example's backend.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from environments.runtime.document.tools import RowRefPart
from environments.runtime.values.normal import names_in, parse_json, stable
from synth.world.model import ToolModel, Workbench
from synth.world.support import SEEN_TWICE, SELDOM

MIN_HITS: Final = SEEN_TWICE
MIN_SHARE: Final = SELDOM


def learn_reach(bench: Workbench) -> None:
    """Fill `refs` and `reach` of every tool that may change something."""
    owners = _owners(bench)
    for tool in bench.tools.values():
        if tool.innocent or tool.kind == "act":
            continue
        known = {(r.table, stable(list(r.key))) for r in tool.refs}
        for ref in _references(bench, tool):
            if (ref.table, stable(list(ref.key))) not in known:
                tool.refs.append(ref)
        tool.reach = _tables_reached(bench, tool, owners) | _changed_by(bench, tool)


def _owners(bench: Workbench) -> dict[str, set[str]]:
    """Which tables have a row under a name."""
    out: dict[str, set[str]] = defaultdict(set)
    for table in bench.tables.values():
        for key in table.rows:
            parsed = parse_json(key)
            for name in names_in(parsed.value if parsed is not None else None):
                out[name].add(table.name)
    return out


def _references(bench: Workbench, tool: ToolModel) -> list[RowRefPart]:
    out: list[RowRefPart] = []
    names = sorted({n for o in tool.observations for n in o.arguments})
    for name in names:
        keys = [
            stable([o.arguments[name]])
            for o in tool.observations
            if isinstance(o.arguments.get(name), str | int)
        ]
        for table in bench.tables.values():
            if len(table.key_names) != 1 or not keys:
                continue
            hits = sum(key in table.rows for key in keys)
            if hits >= MIN_HITS and hits >= MIN_SHARE * len(keys):
                out.append(RowRefPart(table=table.name, key=(["arg", name],)))
    return out


def _changed_by(bench: Workbench, tool: ToolModel) -> set[str]:
    """Tables of which looks were seen to hang on the tool's calls, and which no argument of theirs names a row of.

    Only what the call answers, or the record that it is about, says which of their rows it changes.
    """
    named = {ref.table for ref in tool.refs}
    looks = (t for t in bench.tools.values() if t.innocent and t.table is not None)
    hanging = {t.table for t in looks if tool.name in t.evidence.get("hangs_on", ())}
    return {table for table in hanging - named if table is not None}


def _tables_reached(bench: Workbench, tool: ToolModel, owners: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    for seen in tool.observations:
        names = set(seen.names)
        for ref in tool.refs:
            key = seen.key_of([ref.key[0][1]])
            names |= names_in(bench.tables[ref.table].rows.get(key))
        for name in names:
            reached |= owners.get(name, set()) & bench.stirred
    return reached

"""Receipts: writers that answer with a field of their own beside the record (what it costs), or without one that it has.

Comes from tables and kinds; says whose answers are not the record itself. Not here: what a write does (`effects`).
"""

from __future__ import annotations

from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import labels_in, stable
from environments.runtime.world.state import names_of_key
from synth.world.influence.writers import Look, looks
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import History, Observation


def adds_fields(bench: Workbench) -> set[str]:
    """Writers whose answers tell a field that the record does not have when it is read next, or lack one that it has."""
    out: set[str] = set()
    for history in bench.histories:
        last: dict[tuple[str, str], Look] = {}
        for look in looks(bench, history):
            before = last.get(look.place)
            if before is not None and bench.tools[look.seen.tool].innocent:
                by = bench.tools[before.seen.tool]
                told, read = before.value, look.value
                if not by.innocent and (_has_more(told, read) or _has_more(read, told)):
                    out.add(by.name)
            last[look.place] = look
        out |= _took_away(bench, history)
    return out


def unsettle(bench: Workbench) -> None:
    """Leave open what becomes of the record whose receipt a writer gives, where nobody knows what it does to it.

    That it left alone other records of the same table says nothing of its own.
    """
    for tool in bench.tools.values():
        shows = tool.evidence.get("shows") or any(w.table == tool.table for w in tool.writes)
        if tool.kind == "write" and tool.table is not None and not shows:
            tool.settled.discard(tool.table)


def _took_away(bench: Workbench, history: History) -> set[str]:
    """Writers after whose answer about a record nobody else touched it, and reading it was refused."""
    out: set[str] = set()
    last: dict[tuple[str, str], str] = {}
    for seen in history.observations:
        tool = bench.tools[seen.tool]
        if refused(tool, seen):
            by = last.get(_asked_for(tool, seen)) if tool.innocent else None
            out |= set() if by is None else {by}
        elif not tool.innocent:
            asked = labels_in(seen.arguments)
            for place in [p for p in last if not asked.isdisjoint(names_of_key(p[1]))]:
                del last[place]
            place = _asked_for(tool, seen)
            last |= {place: tool.name} if place[0] else {}
    return out


def _asked_for(tool: ToolModel, seen: Observation) -> tuple[str, str]:
    """The row that a call's arguments name; an empty table's where they name none."""
    if tool.table is None or not tool.key or any(tree[0] != "arg" for tree in tool.key):
        return "", ""
    return tool.table, stable([seen.arguments.get(str(tree[1])) for tree in tool.key])


def _has_more(told: Json, read: Json) -> bool:
    return isinstance(told, dict) and isinstance(read, dict) and bool(told.keys() - read.keys())

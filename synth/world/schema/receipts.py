"""Receipts: writers that answer with a field of their own beside the record (what it costs), or without one that it has.

Comes from tables and kinds; says whose answers are not the record itself. Not here: what a write does (`actions.effects`).
"""

from __future__ import annotations

from environments.runtime.task.attempt import Json
from synth.world.influence.writers import Look, looks
from synth.world.model import Workbench


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
    return out


def unsettle(bench: Workbench) -> None:
    """Leave open what becomes of the record whose receipt a writer gives, where nobody knows what it does to it.

    That it left alone other records of the same table says nothing of its own.
    """
    for tool in bench.tools.values():
        shows = tool.evidence.get("shows") or any(w.table == tool.table for w in tool.writes)
        if tool.kind == "write" and tool.table is not None and not shows:
            tool.settled.discard(tool.table)


def _has_more(told: Json, read: Json) -> bool:
    return isinstance(told, dict) and isinstance(read, dict) and bool(told.keys() - read.keys())

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


def _has_more(told: Json, read: Json) -> bool:
    return isinstance(told, dict) and isinstance(read, dict) and bool(told.keys() - read.keys())

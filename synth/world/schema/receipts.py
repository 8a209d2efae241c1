"""Receipts: writers that answer with a field of their own beside the record (what it costs), or without one that it has.

Comes from tables and kinds; says whose answers are not the record itself. Not here: what a write does (`actions.effects`).
"""

from __future__ import annotations

from environments.runtime.task.attempt import Json
from synth.world.influence.writers import resights
from synth.world.model import Workbench


def adds_fields(bench: Workbench) -> set[str]:
    """Writers whose answers tell a field that the record does not have when it is read next, or lack one that it has."""
    out: set[str] = set()
    for look, told, by, _ in resights(bench, {}):
        if bench.tools[look.seen.tool].innocent and not bench.tools[by].innocent:
            out |= {by} if _has_more(told, look.value) or _has_more(look.value, told) else set()
    return out


def _has_more(told: Json, read: Json) -> bool:
    return isinstance(told, dict) and isinstance(read, dict) and bool(told.keys() - read.keys())

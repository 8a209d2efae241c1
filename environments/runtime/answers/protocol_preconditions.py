"""Early answers: what a tool says, whatever it is asked, before anybody called what has to come first.

Goes in: a call in a state. Comes out: the text as an answer, or that what came first may have been undone. Not here:
conditions over arguments and records (`answers.guards`), recorded answers (`answers.tape`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ..document.tools import EarlyPart
from ..task.attempt import DERIVED, UNKNOWN, Json, ToolResult
from ..values.normal import simplify, stable
from ..world.entries import Entry
from ..world.notice import notice

UNDONE: Final = "what has to come first may have been undone"


def calls_while_unmet(early: EarlyPart, log: list[Entry]) -> list[Entry] | None:
    """What was called since nobody has called what has to come first; None while that stands."""
    at = max((i for i, e in enumerate(log) if e.tool in early.without), default=-1)
    after = log[at + 1 :]
    return None if at >= 0 and all(e.tool not in early.undone_by for e in after) else after


def is_sure(early: EarlyPart, since: list[Entry], args: Mapping[str, Json]) -> bool:
    """Whether this is what the tool says, all that was called being known not to matter."""
    harmless = early.beside | early.undone_by
    if any(
        e.tool not in harmless or (e.is_result_unknown and e.tool in early.undone_by) for e in since
    ):
        return False
    pairs = ((pair_of(names.split(","), args), known) for names, known in early.together.items())
    return all(n not in args or stable(args[n]) in v for n, v in early.only.items()) and all(
        pair is None or pair in known for pair, known in pairs
    )


def pair_of(names: Iterable[str], args: Mapping[str, Json]) -> str | None:
    """The values of some arguments of one call as one text; None where it lacks one."""
    names = list(names)
    return stable([simplify(args[n]) for n in names]) if all(n in args for n in names) else None


def said_early(
    early: Iterable[EarlyPart], tool: str, log: list[Entry], args: Mapping[str, Json]
) -> ToolResult | None:
    """What a tool says to everybody, where what has to come first did not."""
    for one in early:
        since = calls_while_unmet(one, log)
        if since is not None and is_sure(one, since, args):
            said = f"{tool}: nobody called {', '.join(sorted(one.without))}"
            return ToolResult(content=one.says, source=DERIVED, is_error=True, evidence=said)
    return None


def undone(early: Iterable[EarlyPart], log: list[Entry]) -> EarlyPart | None:
    """The early answer that may hold again, since something undid what has to come first."""
    for one in early:
        since = calls_while_unmet(one, log)
        if since is not None and len(since) < len(log):
            return one
    return None


def read_early(
    early: Iterable[EarlyPart],
    tool: str,
    log: list[Entry],
    args: Mapping[str, Json],
    found: ToolResult,
) -> ToolResult | None:
    """The early answer of a tool that changes nothing, in place of one that was found; None where that stands."""
    again = undone(early, log)
    if again is None and found.source != UNKNOWN:
        return None
    said = said_early(early, tool, log, args)
    if said is None and again is not None:
        return notice(tool, UNDONE)
    return said

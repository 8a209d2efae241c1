"""Early answers: what a tool says, whatever it is asked, before anybody called what has to come first.

Goes in: a call in a state. Comes out: the text as an answer, or that what came first may have been undone. Not here:
conditions over arguments and records (`answers.guards`), recorded answers (`answers.tape`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ..document.tools import EarlyPart
from ..task.attempt import DERIVED, UNKNOWN, Json, ToolResult
from ..values.normal import simplify, stable
from ..world.entries import Entry
from ..world.notice import notice

UNDONE: Final = "what has to come first may have been undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyAnswer:
    """One text that a tool says as long as nobody called what has to come first."""

    says: str
    without: frozenset[str]
    """Tools that came before each other answer."""
    beside: frozenset[str]
    """Tools that came before this one: they do not matter."""
    undone_by: frozenset[str]
    """Tools after which what came first is as if it had not."""
    only: Mapping[str, frozenset[str]]
    """Values of arguments that other refusals are about: those known to be in order."""
    together: Mapping[tuple[str, ...], frozenset[str]]
    """The same of two such arguments: pairs of values that were given together."""

    def calls_while_unmet(self, log: list[Entry]) -> list[Entry] | None:
        """What was called since nobody has called what has to come first; None while that stands."""
        at = max((i for i, e in enumerate(log) if e.tool in self.without), default=-1)
        after = log[at + 1 :]
        return None if at >= 0 and all(e.tool not in self.undone_by for e in after) else after

    def sure(self, since: list[Entry], args: Mapping[str, Json]) -> bool:
        """Whether this is what the tool says, all that was called being known not to matter."""
        harmless = self.beside | self.undone_by
        if any(
            e.tool not in harmless or (e.is_result_unknown and e.tool in self.undone_by)
            for e in since
        ):
            return False
        pairs = ((pair_of(names, args), known) for names, known in self.together.items())
        return all(n not in args or stable(args[n]) in v for n, v in self.only.items()) and all(
            pair is None or pair in known for pair, known in pairs
        )

    def answer(self, tool: str) -> ToolResult:
        """The text as an answer."""
        first = ", ".join(sorted(self.without))
        said = f"{tool}: nobody called {first}"
        return ToolResult(content=self.says, source=DERIVED, is_error=True, evidence=said)


def pair_of(names: Iterable[str], args: Mapping[str, Json]) -> str | None:
    """The values of some arguments of one call as one text; None where it lacks one."""
    names = list(names)
    return stable([simplify(args[n]) for n in names]) if all(n in args for n in names) else None


def load_early(parts: Iterable[EarlyPart]) -> tuple[EarlyAnswer, ...]:
    """Early answers from a tool's part of the world file."""
    return tuple(
        EarlyAnswer(
            says=part.says,
            without=part.without,
            beside=part.beside,
            undone_by=part.undone_by,
            only=part.only,
            together={tuple(names.split(",")): known for names, known in part.together.items()},
        )
        for part in parts
    )


def said_early(
    early: Iterable[EarlyAnswer], tool: str, log: list[Entry], args: Mapping[str, Json]
) -> ToolResult | None:
    """What a tool says to everybody, where what has to come first did not."""
    for one in early:
        since = one.calls_while_unmet(log)
        if since is not None and one.sure(since, args):
            return one.answer(tool)
    return None


def undone(early: Iterable[EarlyAnswer], log: list[Entry]) -> EarlyAnswer | None:
    """The early answer that may hold again, since something undid what has to come first."""
    for one in early:
        since = one.calls_while_unmet(log)
        if since is not None and len(since) < len(log):
            return one
    return None


def read_early(
    early: Iterable[EarlyAnswer],
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

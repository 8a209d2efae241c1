"""Versions of tools: which one answered at a given time.

Goes in: the `versions` of a world file, a tool's name and a moment. Comes out: the name under which the version of that
moment was learnt. A task made of old episodes meets the tools as they were; of one that begins
between the last answer of a version and the first of the next nobody knows which it meets. Not here: how drift is found (`synth.world.time.drift`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..document.views import VersionPart
from ..task.attempt import ToolResult
from ..views.view import CallInFlight, View
from .notice import notice_for

Known = Mapping[str, Sequence[VersionPart]]
"""The old versions of each tool, the oldest first."""


class Versions(View):
    """The version of each tool that a session meets."""

    __slots__ = ("_at", "_known")

    def __init__(self, known: Known, at: int = 0) -> None:
        self._known = known
        self._at = at

    def opened(self, at: int, subject: str | None) -> Versions:  # noqa: ARG002 - whose session it is does not matter
        """Of the moment where a session began."""
        return Versions(self._known, at)

    def inward(self, asked: CallInFlight) -> None:
        """Name the version that answers."""
        asked.version = version_at(self._known, asked.tool, self._at)
        if is_between_versions(self._known.get(asked.tool, ()), self._at):
            asked.give_up("the tool changed at about this time")

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """A notice under the tool's own name."""
        return result if asked.version == asked.tool else notice_for(asked.tool, result)


def version_at(versions: Known, tool: str, at: int) -> str:
    """The name of a tool's version at a moment (ns); without a moment (0) the newest."""
    for old in versions.get(tool, ()) if at else ():
        if at < old.until:
            return old.tool
    return tool


def is_between_versions(known: Iterable[VersionPart], at: int) -> bool:
    """Whether a moment lies after the last answer of an old version, and before the first one of the next."""
    return any(old.seen is not None and old.seen < at < old.until for old in known)


def outdated(versions: Known, tools: Iterable[str], at: int) -> list[str]:
    """The tools among these that have become others since a moment (ns), by name."""
    return sorted({t for t in tools if at and any(at < old.until for old in versions.get(t, ()))})


def origins(versions: Known) -> dict[str, str]:
    """The tool that each old version is one of, by the version's name."""
    return {old.tool: tool for tool, known in versions.items() for old in known}

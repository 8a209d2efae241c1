"""Recorded answers of tools that were not learnt, told after the very same calls.

Goes in: the `recorded` part of a world file, then a call and all that came before it. Comes out: the recorded answer, or none. Not here:
sessions of such tools (`sessions.recorded_session`), which tools these are, and what is recorded of them (`synth.world.recorded_only`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..document.recordings import RecordedPart
from ..task.attempt import RECORDED, ToolResult
from ..values.canonical import digest_bytes

_LENGTH: Final = 32


def past_key(past: Sequence[str]) -> str:
    """The name of everything that was called before and may have changed something."""
    return digest_bytes("\n".join(past).encode("utf-8", "surrogatepass"))[:_LENGTH] if past else ""


class Recordings:
    """What a world file has of tools that were not learnt."""

    __slots__ = ("_told", "looks", "shared", "tools")

    def __init__(self, part: RecordedPart) -> None:
        self.tools = frozenset(part.tools)
        self.looks = frozenset(name for name, tool in part.tools.items() if tool.looks)
        """Those of them that change nothing."""
        self.shared = part.shared
        """Whether every episode starts from the same: else a recording says nothing to others."""
        self._told = part.told

    def recorded_answer(
        self, past: Sequence[str], call: str, own: frozenset[str]
    ) -> ToolResult | None:
        """The one answer that was recorded to a call after these.

        `own` are the episodes that the session goes on from: what they were told counts. What others were told counts where every episode
        starts from the same, and is no clock's or dice's.
        """
        every = self._told.get(past_key(past), {}).get(call, ())
        found = [one for one in every if not own.isdisjoint(one.episodes)]
        if not found and self.shared and not any(one.varies for one in every):
            found = list(every)
        if len(found) != 1:
            return None
        (one,) = found
        return ToolResult(
            content=one.content,
            source=RECORDED,
            is_error=one.failed,
            evidence=one.episodes[0],
        )

"""Envelopes that an app's tools put around their results: taken off before anything is learnt, put on again at answering.

Goes in: a tool's name and a text. Comes out: what is inside, with a mark that says which envelope it came in, and back, byte for
byte. Not here: one envelope (`document.envelopes`), finding them (`synth.world.views.envelopes`).
"""

from __future__ import annotations

from dataclasses import replace

from ..document.views import EnvelopesByTool
from ..task.attempt import UNKNOWN, Json, ToolResult
from .view import CallInFlight, View, keep


class Enveloped(View):
    """All envelopes of an app, the outermost first."""

    __slots__ = ("_kept", "_levels")

    def __init__(self, levels: EnvelopesByTool) -> None:
        self._levels = levels
        self._kept: dict[tuple[str, str], str] = {}

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """An answer in its envelopes."""
        if result.source == UNKNOWN:
            return result
        return replace(result, content=self.wrap(asked.tool, result.content))

    def observed(self, asked: CallInFlight, content: str) -> str:
        """A recorded result without them."""
        return self.unwrap(asked.tool, content)

    def strip_result(self, asked: CallInFlight, content: str, drawn: dict[str, Json]) -> str:  # noqa: ARG002 - envelopes are constant
        """The same."""
        return self.unwrap(asked.tool, content)

    def unwrap(self, tool: str, content: str) -> str:
        """A result without its envelopes; whole, as a text, where putting them on again would give another text."""
        levels = self._levels.get(tool, ())
        inner, outer = content, tuple[str, ...]()
        for level in levels:
            if inner.startswith(outer):
                break
            inner, outer = level.unwrap(inner), (*outer, *level.marks)
        return inner if self._wrap_levels(tool, inner) == content else levels[0].sign + content

    def wrap(self, tool: str, inner: str) -> str:
        """A text as the tool sends it."""
        told = self._kept.get((tool, inner))
        if told is None:
            told = keep(self._kept, (tool, inner), self._wrap_levels(tool, inner))
        return told

    def _wrap_levels(self, tool: str, inner: str) -> str:
        levels = self._levels.get(tool, ())
        for at in reversed(range(len(levels))):
            outer = tuple(mark for level in levels[:at] for mark in level.marks)
            if not inner.startswith(outer):
                inner = levels[at].wrap(inner)
        return inner

"""Envelopes that an app's tools put around their results: taken off before anything is learnt, put on again at answering.

Goes in: a tool's name and a text. Comes out: what is inside, with a mark that says which envelope it came in, and back, byte for
byte. Not here: one envelope (`document.envelopes`), finding them (`synth.world.views.envelopes`).
"""

from __future__ import annotations

from dataclasses import replace

from ..document.views import EnvelopesByTool
from ..task.attempt import UNKNOWN, ToolResult
from ..world.notice import notice
from .result_forms import ResultForm
from .view import CallInFlight


class Enveloped(ResultForm):
    """All envelopes of an app, the outermost first."""

    __slots__ = ("_levels", "_marks", "_signs")

    def __init__(self, levels: EnvelopesByTool) -> None:
        super().__init__(levels)
        self._levels = levels
        every = [level for listed in levels.values() for level in listed]
        self._signs = tuple({level.sign for level in every})
        self._marks = tuple({mark for level in every for mark in level.marks if mark})

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """An answer as the tool sends it; what a tool without envelopes says like others that have some has no sign of theirs.

        What others send in an envelope of its own is unknown: nobody saw how this tool sends it.
        """
        if asked.tool in self._levels:
            return super().outward(asked, result)
        if result.source != UNKNOWN and result.content.startswith(self._marks):
            return notice(asked.tool, "nobody saw how this tool writes such an answer")
        sign = next((s for s in self._signs if s and result.content.startswith(s)), "")
        return replace(result, content=result.content[len(sign) :]) if sign else result

    def unwrap(self, tool: str, content: str) -> str:
        """A result without its envelopes; whole, as a text, where putting them on again would give another text."""
        levels = self._levels.get(tool, ())
        inner, outer = content, tuple[str, ...]()
        for level in levels:
            if inner.startswith(outer):
                break
            inner, outer = level.unwrap(inner), (*outer, *level.marks)
        return inner if self.wrap(tool, inner) == content else levels[0].sign + content

    def wrap(self, tool: str, inner: str) -> str:
        """A text as the tool sends it."""
        levels = self._levels.get(tool, ())
        for at in reversed(range(len(levels))):
            outer = tuple(mark for level in levels[:at] for mark in level.marks)
            if not inner.startswith(outer):
                inner = levels[at].wrap(inner)
        return inner

"""Results that tools write otherwise than a world keeps them: one view for every form that is read inwards and written outwards, byte for byte.

Goes in: a result's text. Comes out: the text inside, and back. A form is a class here that says how one tool's result is read and written
(envelopes, Python's notation, records as text); what stands around results and differs from call to call is none (`result_wrappers`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..task.attempt import UNKNOWN, Json, ToolResult
from ..world.notice import notice
from .view import CallInFlight, View, keep


class ResultForm(View):
    """A form of some tools' results; remembers nothing of a session but texts read and written."""

    __slots__ = ("_read", "_tools", "_written")

    def __init__(self, tools: Iterable[str]) -> None:
        self._tools = frozenset(tools)
        self._read: dict[tuple[str, str], str] = {}
        self._written: dict[tuple[str, str], str | None] = {}

    def unwrap(self, tool: str, content: str) -> str:
        """What a tool's result says, as a world keeps it."""
        raise NotImplementedError

    def wrap(self, tool: str, inner: str) -> str | None:
        """The text as the tool sends it; None where nobody knows how it writes that."""
        raise NotImplementedError

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """An answer as the tool writes it; unknown where it never wrote such a value."""
        if result.source == UNKNOWN or asked.tool not in self._tools:
            return result
        key = (asked.tool, result.content)
        told = self._written.get(key)
        if told is None:
            told = keep(self._written, key, self.wrap(*key))
        if told is None:
            return notice(asked.tool, "nobody saw how this tool writes a part of the answer")
        return replace(result, content=told)

    def observed(self, asked: CallInFlight, content: str) -> str:
        """A recorded result as a world keeps it."""
        if asked.tool not in self._tools:
            return content
        key = (asked.tool, content)
        told = self._read.get(key)
        return keep(self._read, key, self.unwrap(*key)) if told is None else told

    def strip_result(self, asked: CallInFlight, content: str, drawn: dict[str, Json]) -> str:  # noqa: ARG002 - forms are constant
        """The same."""
        return self.observed(asked, content)

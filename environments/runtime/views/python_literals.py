"""Results written as Python writes its values (`{'id': 7, 'open': True}`), and the same as JSON.

Goes in: a result's text. Comes out: JSON, and back, byte for byte. Many tool wrappers send `str(result)`, which no JSON reader takes;
inside a world it is a record like any other. Not here: which tools write so (`synth.world.views.python_literals`).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ..task.attempt import UNKNOWN, Json, ToolResult
from ..values.normal import parse_json
from .view import CallInFlight, View, keep

MAX_LENGTH: Final = 200_000
"""Characters; Python's reader takes some hundred bytes for each."""
_ODD: Final = re.compile(r"(?<!\\)(?:\\\\)*\\[^\\'\"nrtxuU]")
"""Escapes that `repr` never writes; Python warns of some."""


class Literal(View):
    """Tools whose records and lists are written so."""

    __slots__ = ("_read", "_tools", "_written")

    def __init__(self, tools: Iterable[str]) -> None:
        self._tools = frozenset(tools)
        self._read: dict[str, str] = {}
        self._written: dict[str, str] = {}

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """An answer as the tool writes it."""
        if result.source == UNKNOWN or asked.tool not in self._tools:
            return result
        told = self._written.get(result.content)
        if told is None:
            told = keep(self._written, result.content, to_literal(result.content))
        return replace(result, content=told)

    def observed(self, asked: CallInFlight, content: str) -> str:
        """A recorded result as JSON."""
        if asked.tool not in self._tools:
            return content
        told = self._read.get(content)
        return keep(self._read, content, from_literal(content)) if told is None else told

    def strip_result(self, asked: CallInFlight, content: str, drawn: dict[str, Json]) -> str:  # noqa: ARG002 - as written
        """The same."""
        return self.observed(asked, content)


def from_literal(content: str) -> str:
    """The JSON of a record or list as Python writes it; any other text as it is."""
    value = literal(content)
    return content if value is None else json.dumps(value)


def to_literal(content: str) -> str:
    """A record or list in JSON as Python writes it; any other text as it is."""
    parsed = parse_json(content)
    return repr(parsed.value) if parsed and isinstance(parsed.value, dict | list) else content


def literal(content: str) -> Json:
    """The record or list that a text is, written by Python's `repr`; None for all else, what JSON has no word for too."""
    head, end = content[:1], content[-1:]
    if (head, end) not in {("{", "}"), ("[", "]")} or len(content) > MAX_LENGTH:
        return None
    if _ODD.search(content):
        return None
    try:
        value: object = ast.literal_eval(content)
        parsed = parse_json(json.dumps(value, allow_nan=False))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return parsed.value if parsed is not None and repr(parsed.value) == content else None

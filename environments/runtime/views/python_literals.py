"""Results written as Python writes its values (`{'id': 7, 'open': True}`), and the same as JSON.

Goes in: a result's text. Comes out: JSON, and back, byte for byte. Many tool wrappers send `str(result)`, which no JSON reader takes;
inside a world it is a record like any other. Not here: which tools write so (`synth.world.views.text_records`).
"""

from __future__ import annotations

import ast
import json
import re
from typing import Final

from ..task.attempt import Json
from ..values.literals import parse_json
from .result_forms import ResultForm

MAX_LENGTH: Final = 200_000
"""Characters; Python's reader takes some hundred bytes for each."""
_ODD: Final = re.compile(r"(?<!\\)(?:\\\\)*\\[^\\'\"nrtxuU]")
"""Escapes that `repr` never writes; Python warns of some."""


class Literal(ResultForm):
    """Tools whose records and lists are written so."""

    __slots__ = ()

    def unwrap(self, tool: str, content: str) -> str:  # noqa: ARG002 - one form for all tools
        """A result as JSON."""
        return from_literal(content)

    def wrap(self, tool: str, inner: str) -> str:  # noqa: ARG002 - as above
        """An answer as the tool writes it."""
        return to_literal(inner)


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

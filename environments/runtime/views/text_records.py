"""Results that are records written as text for a language model, and the same as JSON.

Goes in: a result's text. Comes out: JSON, and back, byte for byte. Inside a world such a record is one like any other: each field has its own past,
its own time and its own rule. Not here: which tools write so, and how (`synth.world.views.text_records`), single forms (`text_forms.block`, `text_forms.xml`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from ..document.views import TextsPart
from ..task.attempt import Json
from ..text_forms.block import UnreadError, read_block, write_block
from ..text_forms.style import XML, Style, UnwrittenError
from ..text_forms.xml import read_xml, write_xml
from ..values.literals import parse_json
from .result_forms import ResultForm


class Texts(ResultForm):
    """Tools whose records are written so."""

    __slots__ = ("_styles",)

    def __init__(self, parts: Iterable[TextsPart]) -> None:
        self._styles = {tool: part.style for part in parts for tool in part.tools}
        super().__init__(self._styles)

    def unwrap(self, tool: str, content: str) -> str:
        """A result as JSON."""
        return from_text(content, self._styles[tool])

    def wrap(self, tool: str, inner: str) -> str | None:
        """An answer as the tool writes it; None where it never wrote such a value."""
        return to_text(inner, self._styles[tool])


def from_text(content: str, style: Style) -> str:
    """The JSON of a record or list in a style; any other text as it is."""
    value = read(content, style)
    return content if value is None else json.dumps(value)


def to_text(content: str, style: Style) -> str | None:
    """A record or list in JSON as a style has it, any other text as it is; None where nobody knows how it is written."""
    parsed = parse_json(content)
    if parsed is None or not isinstance(parsed.value, dict | list):
        return content
    return write(parsed.value, style)


def read(content: str, style: Style) -> Json:
    """The record or list that a text is, where it is written again byte for byte; None for all else."""
    try:
        value = read_xml(content, style) if style.form == XML else read_block(content, style)
    except (UnreadError, ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list):
        return None
    return value if write(value, style) == content else None


def write(value: Json, style: Style) -> str | None:
    """The text of a record or list in a style; None where it has no spelling for a part."""
    try:
        return write_xml(value, style) if style.form == XML else write_block(value, style)
    except UnwrittenError:
        return None

"""How a tool writes records as text for a language model: one style of labelled lines, of YAML's blocks, or of XML.

Goes in: a part of a world file. Comes out: the style, with single values read and written as they are spelt. What a style never
showed (a word for null, a list without items) cannot be written. Not here: blocks (`block`), elements (`xml`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ..task.attempt import Json
from ..values.normal import is_number

LINES: Final = "lines"
YAML: Final = "yaml"
XML: Final = "xml"
NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?")


class UnwrittenError(ValueError):
    """Nobody knows how the tool would write a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One way to write."""

    form: str
    end: str = ""
    """What stands behind the last line."""
    step: int = 2
    """Indentation of a record inside a record, or of an element; 0 for elements without lines of their own."""
    items: int = 0
    """Indentation of a list under its label."""
    after: str = ""
    """What stands behind the colon of a label whose record or list is in the lines below."""
    bullet: str = ""
    """What each label of a whole record stands behind."""
    words: Mapping[str, Json] = field(default_factory=dict)
    """Words that stand for null, true and false."""
    texts: frozenset[str] = frozenset()
    """Labels whose values are texts, though some look like numbers."""
    floats: frozenset[str] = frozenset()
    """Labels whose numbers always have a point."""
    wholes: frozenset[str] = frozenset()
    """Labels whose numbers never have one."""
    sentences: frozenset[str] = frozenset()
    """Words before a colon that begin a sentence where nothing else is said."""
    empty: Mapping[str, str] = field(default_factory=dict)
    """By label: what stands for a list without items; `*` for every label."""
    quoted: bool = False
    """Some text was seen in quotes (YAML)."""
    wide: bool = False
    """Letters beyond ASCII stand as they are (YAML)."""
    timed: frozenset[str] = frozenset()
    """Labels whose times and dates stand without quotes (YAML)."""
    lists: Mapping[str, str] = field(default_factory=dict)
    """By element: the element of its items (XML)."""
    short: bool = False
    """Elements without content are written as one mark (XML)."""

    def read(self, text: str, label: str) -> Json:
        """A value as it is spelt; numbers only where they come back the same."""
        if text == self.empty.get(label, self.empty.get("*")):
            return []
        if text in self.words:
            return self.words[text]
        if label not in self.texts and (number := number_of(text)) is not None:
            return number
        return text

    def number(self, value: float, label: str) -> str:
        """The spelling of a number."""
        if label in self.wholes and isinstance(value, float) and value.is_integer():
            value = int(value)
        text = json.dumps(value)
        if "e" in text:
            raise UnwrittenError
        return text + ".0" if label in self.floats and isinstance(value, int) else text

    def write(self, value: Json, label: str) -> str:
        """The spelling of a value."""
        if isinstance(value, str):
            return value
        if is_number(value):
            if label in self.texts:
                raise UnwrittenError
            return self.number(value, label)
        if isinstance(value, list) and not value:
            found = self.empty.get(label, self.empty.get("*"))
        else:
            found = next((w for w, v in self.words.items() if v is value), None)
        if found is None:
            raise UnwrittenError
        return found


def number_of(text: str) -> int | float | None:
    """The number that is written exactly so."""
    if not NUMBER.fullmatch(text):
        return None
    number: int | float = float(text) if "." in text else int(text)
    return number if json.dumps(number) == text else None

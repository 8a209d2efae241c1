"""What a value mentions: its scalars, and those of them that may name records (names, figures, long numbers, tokens).

Goes in: a JSON value or a text. Comes out: sets of texts by which two values can be seen to be about one record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ..task.attempt import Json
from .literals import SPACE
from .normal import is_whole

FIGURES: Final = 4
"""Signs of a number, its point with them, up to which two answers show it by accident."""
LONG: Final = 1_000
"""Whole numbers from here on may be ids."""
MAX_TOKEN: Final = 40
FieldPath = tuple[str | None, ...]
_AROUND: Final = re.compile(r"[=|,;:()\[\]{}<>\"'`]+")
_ENDS: Final = ".!?*#"
"""What stands between the words of a text, and at their ends."""


def figures_in(value: Json) -> set[str]:
    """Numbers with so many digits, and a fraction, that two answers hardly show one by accident."""
    texts = (repr(leaf) for leaf in leaves(value) if isinstance(leaf, float))
    return {text for text in texts if len(text) > FIGURES and not text.endswith(".0")}


def long_numbers_in(value: Json) -> frozenset[str]:
    """Whole numbers with so many digits that they may be ids of a database, marked as `tokens_in` marks them; smaller ones count things."""
    return frozenset(f"={n}" for n in leaves(value) if is_whole(n) and abs(n) >= LONG)


def leaves(value: Json) -> Iterator[Json]:
    """Every scalar inside a value."""
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        else:
            yield item


def fields_in(value: Json, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Json]]:
    """Every scalar inside a value with its path, in order; all elements of a list have one step, None."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from fields_in(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from fields_in(inner, (*path, None))
    else:
        yield path, value


def is_name(value: Json) -> bool:
    """Whether a value looks like it names something: text with a digit that is no date, time or amount."""
    return isinstance(value, str) and 2 < len(value) <= 80 and _names(value)


@lru_cache(maxsize=100_000)
def _names(value: str) -> bool:
    if not any(c.isdigit() for c in value):
        return False
    return not all(char.isdigit() or char in "-:.+TZ /$%," for char in value) or (
        value.isdigit() and len(value) > 5
    )


def names_in_text(text: str) -> set[str]:
    """Everything in a text that looks like it names something: its words, with and without what stands around them."""
    found: set[str] = set()
    for word in text.split():
        # A table of lines may write `A1:`, `(A1)`, `id=A1` or `A1|A2`.
        for part in {word, *_AROUND.split(word)}:
            if is_name(part):
                found.add(part)
            if is_name(bare := part.strip(_ENDS)):
                found.add(bare)
    return found


def names_in(value: Json) -> set[str]:
    """Everything inside a value that looks like it names something: dictionary keys too, and the words of a whole text."""
    if isinstance(value, str):
        return names_in_text(value)
    found: set[str] = set()
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            found.update(_keys(item))
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, str) and is_name(item):
            found.update(_spellings(item))
    return found


def _spellings(name: str) -> tuple[str, ...]:
    """The name, and without space around it: whether its tool takes it for the same or not, no record is apart for a space."""
    around = name[0] in SPACE or name[-1] in SPACE
    return (name, name.strip()) if around else (name,)


def _keys(record: dict[str, Json]) -> Iterator[str]:
    """The keys of a dictionary that are data: they name something, or are no name that a field could have."""
    for key in record:
        if is_name(key):
            yield key
        elif not key.isidentifier() and 0 < len(key) <= MAX_TOKEN:
            yield "=" + key


def tokens_in(value: Json) -> frozenset[str]:
    """Whole numbers and short texts that are no names but may be keys all the same, marked to stay apart from names."""
    return frozenset(
        f"={leaf}"
        for leaf in leaves(value)
        if is_whole(leaf)
        or (isinstance(leaf, str) and 0 < len(leaf) <= MAX_TOKEN and not is_name(leaf))
    )


def labels_in(value: Json) -> set[str]:
    """What `names_in` and `tokens_in` find, in one go."""
    if isinstance(value, str):
        return names_in_text(value) | tokens_in(value)
    found: set[str] = set()
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if is_name(item):
                found.update(_spellings(item))
            elif 0 < len(item) <= MAX_TOKEN:
                found.add("=" + item)
        elif isinstance(item, dict):
            found.update(_keys(item))
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif is_whole(item):
            found.add(f"={item}")
    return found

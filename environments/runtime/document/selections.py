"""How a look-up picks records out of a list, as the world file has it.

Not here: how it is asked (`answers.selections`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..task.attempt import Json
from .codec import Named


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionPart:
    """What one argument asks of a record."""

    op: str
    """How its value is compared with a field: one of `answers.selections.OPS`, or `asked`."""
    fields: tuple[str, ...] = ()
    """Fields of a record, as paths with dots; one of them has to meet it."""
    least: int = 0
    """Characters of the shortest text that was asked for."""
    known: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Of `asked`: by value the places of the records that were shown; no field says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BesidePart:
    """What stands in a result beside the list."""

    path: tuple[str, ...]
    kind: str
    """`const`, `shown`, `total`, `page`, `pages`, `size`, `more`, `argument`, `sum` (of a field over the records shown), `by` (an argument decides it), or
    `written` (a text that repeats arguments)."""
    of: str = ""
    """The argument or the field."""
    value: Json = None
    """Of `const`."""
    by: Mapping[str, Json] = field(default_factory=dict)
    """Of `by`: what stood there, by the argument's value; of `written` its form, by the names of the call's arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionPart:
    """How a look-up picks records out of a list."""

    records: tuple[Json, ...]
    """All records that were shown."""
    conditions: Mapping[Named, tuple[ConditionPart, ...]]
    """By argument each condition that fits all recordings; where two differ, nobody knows."""
    lists: tuple[tuple[int, ...], ...] = ()
    """Recorded lists, as places of their records: they tell the order."""
    orders: tuple[tuple[str, bool], ...] = ()
    """Fields by which all recorded lists are sorted, and whether upwards."""
    size: str | None = None
    """The argument that says how many records a page has."""
    page: str | None = None
    """The argument that says which page."""
    most: int | None = None
    """Records of a page where no argument says it."""
    place: tuple[str, ...] = ()
    """Where the list stands in a result."""
    shell: Json = None
    """A recorded result with nothing in the list's place."""
    beside: tuple[BesidePart, ...] = ()
    """Everything that fits; where two differ about one place, nobody knows."""
    empty: str | None = None
    """What is said where no record meets the call; None: an empty list."""
    complete: tuple[Mapping[Named, Json], ...] = ()
    """Arguments of calls that were shown everything that meets them: what a call adds to them can only take records away."""
    is_closed: bool = False
    """Left-out calls show that no record but these is to be expected."""
    is_closed_in_part: bool = False
    """The same where a call asks for a part of a text, such as a surname, which others may share."""

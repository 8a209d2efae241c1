"""Records as the world file has them: rows at the start, rows inside rows, rows known in part, versions over time, counters.

Not here: what a session makes of them (`world.state`, `world.dated_rows`, `answers.nested_tables`, `answers.listed_names`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from ..task.attempt import Json
from .codec import Named, always_written


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePart:
    """Rows of one kind."""

    key: tuple[str, ...] = always_written(())
    """Names of the parts of a key."""
    rows: Mapping[str, Json] = always_written(make=dict)
    """Rows at every start, by the text of their key."""
    refusals: Mapping[str, Mapping[Named, str]] = always_written(make=dict)
    """By key and tool, what the tool says of a row that is not there."""
    seen: Mapping[Named, frozenset[str]] = always_written(make=dict)
    """By tool, the keys that it was asked for."""
    unsure: frozenset[str] = always_written(frozenset())
    """Keys whose recorded states contradict each other."""
    agreements: int = always_written(0)
    conflicts: int = always_written(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePart:
    """Where the records of a nested table stand."""

    table: str
    path: tuple[str, ...]
    """Field names; `*` is every element of a list or of a dictionary by id."""
    key: tuple[str | int, ...]
    """Fields of the record, or positions in the key of the row around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedPart:
    """Records inside other records, with a key of their own."""

    key: tuple[str, ...] = always_written(())
    rows: int = always_written(0)
    sources: tuple[SourcePart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterPart:
    """Ids that a backend gives out one after the other."""

    next: int
    limit: int | None = None
    """The last number that is known."""
    fed_by: tuple[str, ...] = ()
    """Tools that draw from it."""


class _NoRow:
    """Stands for no row."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_ROW"

    def __reduce__(self) -> str:
        # The one of the module: worlds travel to worker processes, and it is compared by identity.
        return "NO_ROW"


NO_ROW: Final = cast("Json", _NoRow())
"""In place of a row: nobody knows it from then on. No JSON value is it."""


class RowVersion(NamedTuple):
    """A row from one moment on."""

    at: int
    row: Json = NO_ROW
    mark: str = ""
    """`made`: a call left it so; `gone`: a look for it was refused."""

    @property
    def is_known(self) -> bool:
        """Whether it says what the row was, or that there was none."""
        return self.row is not NO_ROW


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsPart:
    """Pairs of sights of one row."""

    seen: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelinePart:
    """The rows of one table of a backend that lives on, over time."""

    versions: Mapping[str, tuple[RowVersion, ...]] = always_written(make=dict)
    """By key, the oldest first."""
    horizon: int | None = always_written(0)
    """How long (ns) a sight is trusted; None without end, 0 not at all."""
    back: int | None = always_written(0)
    """The same of a later sight that stands in for an earlier one."""
    moving: frozenset[str] = frozenset()
    """Keys of rows that changed so often that no later sight says how they were before."""
    stays: bool = False
    """What was the same before and after was so in between."""
    pairs: PairsPart | None = None

"""Dated rows: the base of a living world, as it was known at one moment.

Goes in: versions by table and key from a world file. Comes out: for a session's start time, each row as last seen or
written before it, or nothing where that is too long ago to be trusted. Not here: how the horizon is learnt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final

from ..document.records import RowVersion, TimelinePart
from ..task.attempt import Json
from ..values.normal import same_json

MADE: Final = "made"
"""Behind a row that a call left there: it says nothing of what was there before."""
GONE: Final = "gone"
"""Behind a look that was refused: the row was not there, whatever was seen before and after."""
_NO_VERSION: Final = RowVersion(0)


class DatedTable(Mapping[str, Json]):
    """One table's rows at one moment; read-only, made when it is asked for."""

    __slots__ = ("_at", "_back", "_horizon", "_moving", "_stays", "_versions")

    def __init__(self, part: TimelinePart, at: int) -> None:
        self._versions = part.versions
        self._horizon = part.horizon
        self._back = part.back
        self._moving = part.moving
        self._stays = part.stays
        self._at = at

    def __getitem__(self, key: str) -> Json:
        """The row; raises `KeyError` where it is not known at that moment."""
        versions = self._versions[key]
        index = bisect_left(versions, self._at, key=attrgetter("at"))
        held = versions[index - 1] if index else _NO_VERSION
        if _tells(held) and reaches(self._horizon, self._at - held.at):
            return held.row
        after = versions[index] if index < len(versions) else _NO_VERSION
        # A row that a call left there says nothing of what was there before; nor does a sight of times when it was gone, or of
        # a row that was often changed right before it was seen.
        looked = _looked(after) and not held.is_known and key not in self._moving
        if looked and reaches(self._back, after.at - self._at):
            return after.row
        if self._stays:
            return _row_between(key, versions, index)
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._versions if key in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        try:
            self[key]  # type: ignore[index]  # any other type is not a key
        except (KeyError, TypeError):
            return False
        return True


def dated_base(tables: Mapping[str, TimelinePart], at: int) -> dict[str, Mapping[str, Json]]:
    """Every table's rows at one moment."""
    return {name: DatedTable(part, at) for name, part in tables.items()}


def latest_rows(tables: Mapping[str, TimelinePart]) -> dict[str, Mapping[str, Json]]:
    """Every row as last seen, whenever that was: for indexes of what stands where, never for answers."""
    return {
        name: {
            key: known[-1].row
            for key, versions in part.versions.items()
            if (known := [v for v in versions if _tells(v)])
        }
        for name, part in tables.items()
    }


def _row_between(key: str, versions: Sequence[RowVersion], index: int) -> Json:
    """The row that was seen on both sides of a moment, whatever calls of unknown effect lie between."""
    before = next((v for v in reversed(versions[:index]) if v.is_known), _NO_VERSION)
    after = next((v for v in versions[index:] if v.is_known), _NO_VERSION)
    if not _tells(before) or not _looked(after) or not same_json(before.row, after.row):
        raise KeyError(key)
    return after.row


def _tells(version: RowVersion) -> bool:
    """Whether a version says what the row was."""
    return version.is_known and version.mark != GONE


def _looked(version: RowVersion) -> bool:
    """Whether somebody saw the row so."""
    return version.is_known and not version.mark


def reaches(horizon: int | None, gap: int) -> bool:
    """Whether a sight is trusted so far; None: without end, 0: not at all, not even at the same time."""
    return horizon is None or 0 < horizon >= gap

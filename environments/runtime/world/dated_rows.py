"""Dated rows: the base of a living world, as it was known at one moment.

Goes in: versions by table and key from a world file. Comes out: for a session's start time, each row as last seen or
written before it, or nothing where that is too long ago to be trusted. Not here: how the horizon is learnt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..task.attempt import Json
from ..values.normal import same_json

MADE: Final = "made"
"""Behind a row that a call left there: it says nothing of what was there before."""
GONE: Final = "gone"
"""Behind a look that was refused: the row was not there, whatever was seen before and after."""
_NOTHING: Final[list[Any]] = []


class DatedTable(Mapping[str, Json]):
    """One table's rows at one moment; read-only, made when it is asked for."""

    __slots__ = ("_at", "_back", "_horizon", "_moving", "_stays", "_versions")

    def __init__(self, part: Mapping[str, Any], at: int) -> None:
        self._versions: Mapping[str, list[list[Any]]] = part.get("versions", {})
        self._horizon: int | None = part.get("horizon", 0)
        self._back: int | None = part.get("back", self._horizon and 0)
        self._moving = frozenset(part.get("moving", ()))
        self._stays = bool(part.get("stays"))
        self._at = at

    def __getitem__(self, key: str) -> Json:
        """The row; raises `KeyError` where it is not known at that moment."""
        versions = self._versions[key]
        index = bisect_left(versions, self._at, key=_moment)
        held = versions[index - 1] if index else _NOTHING
        if _tells(held) and reaches(self._horizon, self._at - held[0]):
            return held[1]  # type: ignore[no-any-return]  # checked when the file was written
        after = versions[index] if index < len(versions) else _NOTHING
        # A row that a call left there says nothing of what was there before; nor does a sight of times when it was gone, or of
        # a row that was often changed right before it was seen.
        looked = len(after) == 2 and len(held) < 2 and key not in self._moving
        if looked and reaches(self._back, after[0] - self._at):
            return after[1]  # type: ignore[no-any-return]  # checked when the file was written
        if self._stays:
            return _between(key, versions, index)
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


def dated_base(tables: Mapping[str, Any], at: int) -> dict[str, Mapping[str, Json]]:
    """Every table's rows at one moment."""
    return {name: DatedTable(part, at) for name, part in tables.items()}


def latest_rows(tables: Mapping[str, Any]) -> dict[str, Mapping[str, Json]]:
    """Every row as last seen, whenever that was: for indexes of what stands where, never for answers."""
    return {
        name: {
            key: known[-1][1]
            for key, versions in part.get("versions", {}).items()
            if (known := [v for v in versions if _tells(v)])
        }
        for name, part in tables.items()
    }


def _between(key: str, versions: list[list[Any]], index: int) -> Json:
    """The row that was seen on both sides of a moment, whatever calls of unknown effect lie between."""
    before = next((v for v in reversed(versions[:index]) if len(v) > 1), _NOTHING)
    after = next((v for v in versions[index:] if len(v) > 1), _NOTHING)
    if not _tells(before) or len(after) != 2 or not same_json(before[1], after[1]):
        raise KeyError(key)
    return after[1]  # type: ignore[no-any-return]  # checked when the file was written


def _tells(version: list[Any]) -> bool:
    """Whether a version says what the row was."""
    return len(version) > 1 and version[2:] != [GONE]


def reaches(horizon: int | None, gap: int) -> bool:
    """Whether a sight is trusted so far; None: without end, 0: not at all, not even at the same time."""
    return horizon is None or 0 < horizon >= gap


def _moment(version: list[Any]) -> int:
    return int(version[0])

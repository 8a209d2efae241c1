"""Dated rows: the base of a living world, as it was known at one moment.

Goes in: versions by table and key from a world file. Comes out: for a session's start time, each row as last seen or
written before it, or nothing where that is too long ago to be trusted. Not here: how the horizon is learnt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

from .attempt import Json


class DatedTable(Mapping[str, Json]):
    """One table's rows at one moment; read-only, made when it is asked for."""

    __slots__ = ("_at", "_horizon", "_versions")

    def __init__(self, part: Mapping[str, Any], at: int) -> None:
        self._versions: Mapping[str, list[list[Any]]] = part.get("versions", {})
        self._horizon: int | None = part.get("horizon", 0)
        self._at = at

    def __getitem__(self, key: str) -> Json:
        """The row; raises `KeyError` where it is not known at that moment."""
        versions = self._versions[key]
        index = bisect_left(versions, self._at, key=_moment) - 1
        if index < 0:
            # Nothing of this kind was ever seen to change: a later sight is as good as an earlier one.
            if self._horizon is None and len(versions[0]) > 1:
                return versions[0][1]  # type: ignore[no-any-return]  # checked when the file was written
            raise KeyError(key)
        held = versions[index]
        if len(held) < 2 or (self._horizon is not None and self._at - held[0] > self._horizon):
            raise KeyError(key)
        return held[1]  # type: ignore[no-any-return]  # checked when the file was written

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
            if (known := [v for v in versions if len(v) > 1])
        }
        for name, part in tables.items()
    }


def _moment(version: list[Any]) -> int:
    return int(version[0])

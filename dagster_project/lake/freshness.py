"""Freshness: which partitions of which asset must be computed again, and nothing else.

Every partition carries a stamp: the digest of what it holds and the digest of what it was made of (inputs, policies,
code). A partition is stale when what it would be made of now is something else. Nothing here knows Dagster.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from dagster_project.context_values import set_inside
from dagster_project.fatal import is_fatal
from dagster_project.lake.digests import digest_of, digest_of_parts, hash_of
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Stamp, Table
from environments.fault_places import log_fault
from environments.runtime.values.grouping import by_key

_log = logging.getLogger(__name__)

CODE: Final = "85"
"""Goes up when an asset's rules change in a way that makes old rows wrong."""

Key = tuple[str, str]
"""App and day; the day is empty for assets by app."""


def made_of(*parts: str) -> str:
    """What a partition is made of, this code included."""
    return hash_of(CODE, version("tracegym"), *parts)


def file_digest(path: Path) -> str:
    """What a policy file says; absent files are all alike."""
    return hash_of(path.read_text(encoding="utf-8")) if path.exists() else "absent"


def digests(lake: Lake, asset: str, app: str) -> str:
    """One text for all of an app's partitions of an asset."""
    found = lake.stamps(asset)
    return hash_of(
        *(f"{day}={s.digest}" for (name, day), s in sorted(found.items()) if name == app)
    )


def digest(stamps: Mapping[Key, Stamp], key: Key) -> str:
    """What one partition holds; empty while it was never made."""
    stamp = stamps.get(key)
    return "" if stamp is None else stamp.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What an asset has to do among the partitions it was asked for."""

    asset: str
    wanted: Mapping[Key, str]
    """What each asked partition is made of now."""
    stale: frozenset[Key]

    def apps(self) -> list[str]:
        """The stale apps."""
        return sorted({app for app, _ in self.stale})

    def days(self) -> dict[str, list[str]]:
        """The stale days of each app."""
        return by_key((app, day) for app, day in sorted(self.stale))


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionContent:
    """What a partition holds once its rows are stored."""

    digest: str
    rows: int


_NOBODY_KNOWS: Final = "what it is made of cannot be told"


def or_unknown(keys: Iterable[Key], told: Callable[[], dict[Key, str]]) -> dict[Key, str]:
    """What partitions are made of now; where that cannot be told they are stale, and making them is tried."""
    try:
        return told()
    except Exception as fault:
        if is_fatal(fault):
            raise
        log_fault(_log, "what partitions are made of cannot be told, they are made again", fault)
        return dict.fromkeys(keys, _NOBODY_KNOWS)


def nobody_knows(made: str) -> bool:
    """Whether it could not be told what a partition is made of."""
    return made == _NOBODY_KNOWS


_TRIED: Final = "tried: "
"""Before what a partition is made of where a unit of it was left out: it is made again by the next build."""
_resting: ContextVar[bool] = ContextVar("resting", default=False)


def resting() -> AbstractContextManager[None]:
    """Inside, partitions of which a unit was left out count as made, as long as they would be made of the same: a build tries them once."""
    return set_inside(_resting, True)


def is_stale(stamp: Stamp | None, made: str) -> bool:
    """Whether a partition has to be made (again), given what it would be made of now."""
    if stamp is None:
        return True
    return stamp.made_of != made and not (_resting.get() and stamp.made_of == _TRIED + made)


def work(lake: Lake, asset: str, wanted: Mapping[Key, str]) -> Work:
    """Compare what partitions are made of with their stamps."""
    stamps = lake.stamps(asset)
    stale = {key for key, made in wanted.items() if is_stale(stamps.get(key), made)}
    return Work(asset=asset, wanted=wanted, stale=frozenset(stale))


def work_to_retry(todo: Work, keys: Iterable[Key]) -> Work:
    """The work with partitions of which a unit was left out: they are stamped so that the next build makes them again."""
    again = {key: f"{_TRIED}{todo.wanted[key]}" for key in keys if key in todo.wanted}
    return replace(todo, wanted={**todo.wanted, **again})


def was_tried(lake: Lake, todo: Work, key: Key) -> bool:
    """Whether a partition was made of the same before, without some of its units."""
    stamp = lake.stamps(todo.asset).get(key)
    return stamp is not None and stamp.made_of == f"{_TRIED}{todo.wanted[key]}"


def leave(lake: Lake, todo: Work, keys: Iterable[Key]) -> None:
    """Stamp partitions that could not be made, with what they held before: the next build makes them again."""
    stamps = lake.stamps(todo.asset)
    known = {key: stamps.get(key) for key in keys}
    held = {
        key: PartitionContent(digest="", rows=0)
        if one is None
        else PartitionContent(digest=one.digest, rows=one.rows)
        for key, one in known.items()
    }
    _stamp(lake, work_to_retry(todo, held), held)


def store(  # noqa: PLR0913 - which rows, where, and whether they are all
    lake: Lake,
    table: Table,
    rows: pa.Table,
    todo: Work,
    *,
    keys: Iterable[Key],
    again: bool = False,
) -> None:
    """Replace partitions by their rows, then stamp them; equal rows are not written again.

    `again`: a unit of them was left out, so that the next build makes them again.
    """
    parts = {key: _part(rows, table, key) for key in keys}
    fresh = {
        key: PartitionContent(digest=digest_of(part), rows=part.num_rows)
        for key, part in parts.items()
    }
    changed = _changed_keys(lake, todo, fresh)
    if changed:
        together = pa.concat_tables([parts[key] for key in changed])
        lake.replace(table, together, [key[: len(table.by)] for key in changed])
    _stamp(lake, work_to_retry(todo, parts) if again else todo, fresh)


def clear(lake: Lake, table: Table, todo: Work, keys: Iterable[Key]) -> None:
    """Empty partitions that could not be made, until the next build makes them again."""
    store(lake, table, table.schema.empty_table(), todo, keys=keys, again=True)


def store_parts(  # noqa: PLR0913 - as above
    lake: Lake,
    table: Table,
    rows: Callable[[Key], Iterable[pa.Table]],
    todo: Work,
    *,
    keys: Iterable[Key],
    again: bool = False,
) -> None:
    """What `store` does with rows that do not fit in memory: they are read once to compare them, once to write them."""
    fresh = {key: _content_of(rows(key)) for key in keys}
    changed = _changed_keys(lake, todo, fresh)
    lake.replace_parts(
        table,
        lambda: (part for key in changed for part in rows(key)),
        [key[: len(table.by)] for key in changed],
    )
    _stamp(lake, work_to_retry(todo, fresh) if again else todo, fresh)


def _content_of(parts: Iterable[pa.Table]) -> PartitionContent:
    count = 0

    def count_rows() -> Iterator[pa.Table]:
        nonlocal count
        for part in parts:
            count += part.num_rows
            yield part

    found = digest_of_parts(count_rows())
    return PartitionContent(digest=found, rows=count)


def _changed_keys(lake: Lake, todo: Work, fresh: Mapping[Key, PartitionContent]) -> list[Key]:
    stamps = lake.stamps(todo.asset)
    return [key for key, held in fresh.items() if digest(stamps, key) != held.digest]


def _stamp(lake: Lake, todo: Work, fresh: Mapping[Key, PartitionContent]) -> None:
    lake.stamp(
        todo.asset,
        [
            Stamp(
                asset=todo.asset,
                app=key[0],
                day=key[1],
                digest=fresh[key].digest,
                made_of=todo.wanted[key],
                rows=fresh[key].rows,
            )
            for key in sorted(fresh)
        ],
    )


def _part(rows: pa.Table, table: Table, key: Key) -> pa.Table:
    kept = rows
    for column, value in zip(table.by, key, strict=False):
        kept = kept.filter(pc.equal(kept[column], pa.scalar(value)))
    return kept

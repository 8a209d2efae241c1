"""Freshness: which partitions of which asset must be computed again, and nothing else.

Every partition carries a stamp: the digest of what it holds and the digest of what it was made of (inputs, policies,
code). A partition is stale when what it would be made of now is something else. Nothing here knows Dagster.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from dagster_project.lake import Lake, Stamp, digest_of, hash_of
from dagster_project.tables import Table

CODE: Final = "11"
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

    def days(self) -> dict[str, list[str]]:
        """The stale days of each app."""
        found: dict[str, list[str]] = {}
        for app, day in sorted(self.stale):
            found.setdefault(app, []).append(day)
        return found


def work(lake: Lake, asset: str, wanted: Mapping[Key, str]) -> Work:
    """Compare what partitions are made of with their stamps."""
    stamps = lake.stamps(asset)
    stale = {
        key for key, made in wanted.items() if key not in stamps or stamps[key].made_of != made
    }
    return Work(asset=asset, wanted=wanted, stale=frozenset(stale))


def store(
    lake: Lake, table: Table, rows: pa.Table, todo: Work, *, keys: Iterable[Key]
) -> dict[Key, int]:
    """Replace partitions by their rows, then stamp them; equal rows are not written again."""
    stamps = lake.stamps(todo.asset)
    parts = {key: _part(rows, table, key) for key in keys}
    fresh = {key: digest_of(part) for key, part in parts.items()}
    changed = [key for key in parts if digest(stamps, key) != fresh[key]]
    if changed:
        together = pa.concat_tables([parts[key] for key in changed])
        lake.replace(table, together, [key[: len(table.by)] for key in changed])
    lake.stamp(
        todo.asset,
        [
            Stamp(
                asset=todo.asset,
                app=key[0],
                day=key[1],
                digest=fresh[key],
                made_of=todo.wanted[key],
                rows=parts[key].num_rows,
            )
            for key in sorted(parts)
        ],
    )
    return {key: part.num_rows for key, part in parts.items()}


def _part(rows: pa.Table, table: Table, key: Key) -> pa.Table:
    kept = rows
    for column, value in zip(table.by, key, strict=False):
        kept = kept.filter(pc.equal(kept[column], pa.scalar(value)))
    return kept

"""Tidying: raw data that has expired is removed, old table files are vacuumed. What is past the gate stays.

Comes in: a home and how many days raw data is kept. Goes out: counts. A raw day expires when nothing of it has been
written for that long; its clean rows and their stamps stay, so nothing is made again.
"""

import time
from dataclasses import dataclass
from typing import Final

from dagster_project.home import Home, lock, raw_days_of
from dagster_project.lake import Lake
from dagster_project.scratch import remove_abandoned
from dagster_project.tables import (
    ARRIVED_OUTCOMES,
    CALL_PAIRS,
    CHATS,
    EPISODES,
    LEARNT,
    LOG_EVENTS,
    OUTCOMES,
    RESPONSES,
    SPANS,
)
from ingest.wal import Wal

_RAW: Final = (
    CALL_PAIRS,
    SPANS,
    LOG_EVENTS,
    CHATS,
    ARRIVED_OUTCOMES,
    EPISODES,
    OUTCOMES,
    RESPONSES,
    LEARNT,
)
_STAMPED: Final = ("spans", "episodes", "outcomes", "learnt")
_DAY_NS: Final = 86_400 * 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """What was removed."""

    expired_days: int
    """App-days whose raw data is gone."""
    log_records: int
    files: int
    abandoned: int
    """Folders of raw data that killed processes left behind."""


def tidy(home: Home, *, now_ns: int | None = None) -> Tidied:
    """Remove what has expired."""
    now = time.time_ns() if now_ns is None else now_ns
    before = now - raw_days_of(home) * _DAY_NS
    lake = Lake(home.private / "lake")
    with lock(home, "arrival"):
        expired = expired_days(lake, before)
        for table in _RAW:
            lake.replace(
                table, table.schema.empty_table(), [k for k in lake.counts(table) if k in expired]
            )
        for asset in _STAMPED:
            lake.forget(asset, expired)
        with Wal(home.wal) as wal:
            records = wal.purge(before)
    files = lake.vacuum() + Lake(home.clean / "lake").vacuum()
    return Tidied(
        expired_days=len(expired),
        log_records=records,
        files=files,
        abandoned=remove_abandoned(home.private),
    )


def expired_days(lake: Lake, before_ns: int) -> set[tuple[str, ...]]:
    """App-days in which nothing raw was written since a moment."""
    latest: dict[tuple[str, ...], int] = {}
    for table in (SPANS, LOG_EVENTS, CHATS, ARRIVED_OUTCOMES):
        for key, at in lake.written_at(table).items():
            latest[key] = max(latest.get(key, 0), at)
    return {key for key, at in latest.items() if at < before_ns}

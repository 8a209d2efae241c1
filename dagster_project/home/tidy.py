"""Tidying: what has expired is removed stage by stage, old table files are vacuumed. What is past the gate stays unless home.json says how long.

Comes in: a home and how many days each stage is kept. Goes out: counts. A raw day expires when nothing of it has been
written for that long; its clean rows and their stamps stay, so nothing is made again.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dagster_project.home.layout import Home
from dagster_project.home.locks import lock
from dagster_project.home.scratch import remove_abandoned
from dagster_project.home.settings import retention_of
from dagster_project.lake.learnt_tables import FAILURES, ROLLOUTS
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import (
    ARRIVED_OUTCOMES,
    CALL_PAIRS,
    CHATS,
    CLEAN_EPISODES,
    CLEAN_OUTCOMES,
    EPISODES,
    LEARNT,
    LOG_EVENTS,
    OUTCOMES,
    QUARANTINE,
    RESPONSES,
    SPANS,
    Table,
)
from dagster_project.privacy.account import REDACTIONS
from ingest.receiver.wal import Wal

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
_CLEAN: Final = (CLEAN_EPISODES, CLEAN_OUTCOMES, FAILURES, REDACTIONS)
_STAMPED: Final = ("spans", "episodes", "outcomes", "learnt")
_DAY_NS: Final = 86_400 * 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """What was removed."""

    expired_days: int
    """App-days whose raw or quarantined data is gone."""
    clean_days: int
    """App-days whose conversations past the gate, or whose rollouts, are gone."""
    log_records: int
    files: int
    abandoned: int
    """Folders of raw data that killed processes left behind."""


def tidy(home: Home, *, now_ns: int | None = None) -> Tidied:
    """Remove what has expired."""
    now = time.time_ns() if now_ns is None else now_ns
    kept = retention_of(home)
    before = now - kept.raw * _DAY_NS
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
        quarantined = _remove(lake, (QUARANTINE,), now - kept.quarantine * _DAY_NS)
    clean = Lake(home.clean / "lake")
    gone: set[tuple[str, ...]] = set()
    if kept.clean is not None:
        gone = _remove(clean, _CLEAN, now - kept.clean * _DAY_NS)
        for table in _CLEAN:
            clean.forget(table.name, gone)
    if kept.rollouts is not None:
        gone |= _remove(clean, (ROLLOUTS,), now - kept.rollouts * _DAY_NS)
    files = lake.vacuum() + clean.vacuum()
    return Tidied(
        expired_days=len(expired | quarantined),
        clean_days=len(gone),
        log_records=records,
        files=files,
        abandoned=remove_abandoned(home.private),
    )


def _remove(lake: Lake, tables: Sequence[Table], before_ns: int) -> set[tuple[str, ...]]:
    """Empty the partitions of some tables in none of which anything was written since a moment; which ones."""
    gone = _untouched(lake, tables, before_ns)
    for table in tables:
        held = [key for key in lake.counts(table) if key in gone]
        lake.replace(table, table.schema.empty_table(), held)
    return gone


def expired_days(lake: Lake, before_ns: int) -> set[tuple[str, ...]]:
    """App-days in which nothing raw was written since a moment."""
    return _untouched(lake, (SPANS, LOG_EVENTS, CHATS, ARRIVED_OUTCOMES), before_ns)


def _untouched(lake: Lake, tables: Sequence[Table], before_ns: int) -> set[tuple[str, ...]]:
    latest: dict[tuple[str, ...], int] = {}
    for table in tables:
        for key, at in lake.written_at(table).items():
            latest[key] = max(latest.get(key, 0), at)
    return {key for key, at in latest.items() if at < before_ns}

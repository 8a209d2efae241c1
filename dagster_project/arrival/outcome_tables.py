"""Outcome tables into the private lake.

Comes in: a table, or rows of a query, and which column says what. Goes out: outcomes, joined where their episode has arrived; the others
wait. The same table twice is the same outcomes. Not here: reading tables (`ingest.files.outcome_table`).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from dagster_project.arrival.files import ArrivalCounts, append_outcomes, keep_rejected, land
from dagster_project.arrival.outcome_days import (
    attribute_names,
    episode_days,
    known_episodes_of,
    responses_of,
    traces_by_attribute,
)
from dagster_project.home.layout import Home
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES
from ingest.files.outcome_table import OutcomeMapping, OutcomeRow, join, read_outcomes
from ingest.receiver.wal import Wal
from ingest.records.quarantine import Rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedOutcomes:
    """What a table held."""

    rows: int
    joined: int
    waiting: int
    rejected: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)


def take_in_outcomes(
    home: Home, table: Path, mapping: OutcomeMapping, *, app: str | None
) -> ArrivedOutcomes:
    """Read a table and keep its outcomes."""
    return keep_outcomes(home, read_outcomes(table, mapping, app=app))


def keep_outcomes(home: Home, read: Iterable[OutcomeRow | Rejected]) -> ArrivedOutcomes:
    """Join rows to the episodes that have arrived, and keep all of them."""
    rows: list[OutcomeRow] = []
    refused: list[Rejected] = []
    for row in read:
        if isinstance(row, Rejected):
            refused.append(row)
        else:
            rows.append(row)
    lake = Lake(home.private / "lake")
    with Wal(home.wal) as wal:
        arrived = land(home, wal, ArrivalCounts())
    keep_rejected(lake, refused, arrived)
    apps = sorted({of_app for of_app, _ in lake.counts(EPISODES)})
    responses = {k: v for name in apps for k, v in responses_of(lake, name).items()}
    names = attribute_names((row.target_kind, row.target_id) for row in rows)
    attributes = traces_by_attribute(lake, apps, names)
    episodes = known_episodes_of(lake, apps)
    outcomes = join(rows, episodes, responses=responses, attributes=attributes)
    append_outcomes(lake, outcomes, episode_days(lake, apps))
    joined = sum(outcome.episode_id is not None for outcome in outcomes)
    return ArrivedOutcomes(
        rows=len(rows),
        joined=joined,
        waiting=len(outcomes) - joined,
        rejected=Counter(record.code for record in refused),
        reasons={record.code: record.reason for record in refused},
    )

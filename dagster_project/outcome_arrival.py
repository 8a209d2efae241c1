"""Outcome tables into the private lake.

Comes in: a table and which column says what. Goes out: outcomes, joined where their episode has arrived; the others
wait. The same table twice is the same outcomes. Not here: reading tables (`ingest.outcome_table`).
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from dagster_project.arrival import Arrived, append_outcomes, keep_rejected, land
from dagster_project.home import Home
from dagster_project.lake import Lake
from dagster_project.outcome_days import episode_days, known_episodes_of, responses_of
from dagster_project.tables import EPISODES
from ingest.outcome_table import OutcomeMapping, OutcomeRow, join, read_outcomes
from ingest.quarantine import Rejected
from ingest.wal import Wal


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
    rows: list[OutcomeRow] = []
    refused: list[Rejected] = []
    for row in read_outcomes(table, mapping, app=app):
        (refused if isinstance(row, Rejected) else rows).append(row)  # type: ignore[arg-type]
    lake = Lake(home.private / "lake")
    with Wal(home.wal) as wal:
        arrived = land(home, wal, Arrived())
    keep_rejected(lake, refused, arrived)
    apps = sorted({of_app for of_app, _ in lake.counts(EPISODES)})
    responses = {k: v for name in apps for k, v in responses_of(lake, name).items()}
    outcomes = join(rows, known_episodes_of(lake, apps), responses=responses)
    append_outcomes(lake, outcomes, episode_days(lake, apps))
    joined = sum(outcome.episode_id is not None for outcome in outcomes)
    return ArrivedOutcomes(
        rows=len(rows),
        joined=joined,
        waiting=len(outcomes) - joined,
        rejected=Counter(record.code for record in refused),
        reasons={record.code: record.reason for record in refused},
    )

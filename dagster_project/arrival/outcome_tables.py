"""Outcome tables into the private lake.

Comes in: a table, or rows of a query, and which column says what. Goes out: outcomes, joined where their episode has arrived; the others
wait. The same table twice is the same outcomes. Rows of a query come from files by DuckDB, or from a database by ADBC.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from dagster_project.arrival.files import ArrivalCounts, append_outcomes, keep_rejected, land
from dagster_project.arrival.outcome_days import (
    known_episodes_of,
    responses_of,
    traces_by_attribute,
)
from dagster_project.errors import InputError
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
    """Join rows to the episodes that have arrived, and keep all of them; of a table without a usable row nothing is kept."""
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
    if rows:
        # Else an option is wrong: the table will be taken in again.
        keep_rejected(lake, refused, arrived)
    apps = sorted({of_app for of_app, _ in lake.counts(EPISODES)})
    attributes = traces_by_attribute(lake, apps, rows)
    episodes, days = known_episodes_of(lake, apps)
    outcomes = join(rows, episodes, responses=responses_of(lake, apps), attributes=attributes)
    append_outcomes(lake, outcomes, days)
    joined = sum(outcome.episode_id is not None for outcome in outcomes)
    return ArrivedOutcomes(
        rows=len(rows),
        joined=joined,
        waiting=len(outcomes) - joined,
        rejected=Counter(record.code for record in refused),
        reasons={record.code: record.reason for record in refused},
    )


_BATCH: Final = 10_000
_DRIVERS: Final = {"postgresql": "adbc_driver_postgresql", "postgres": "adbc_driver_postgresql"}
"""Which driver a database's address asks for."""
_STARTS: Final = ("select ", "with ", "from ", "values ", "table ")

# Nothing is fetched for a query: an extension that is not there is an error, not a download.
_OFFLINE: Final[dict[str, Any]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

Row = Mapping[str, Any]


def is_query(text: str) -> bool:
    """Whether a command's argument is SQL rather than a path."""
    return " ".join(text.lower().split()).startswith(_STARTS)


def query_files(sql: str) -> Iterator[Row]:
    """Rows of a DuckDB query; files in it are relative to the working directory."""
    with duckdb.connect(":memory:", config=_OFFLINE) as connection:
        try:
            found = connection.sql(sql)
            yield from _rows(found.to_arrow_reader(_BATCH)) if found is not None else ()
        except duckdb.Error as error:
            raise InputError(f"the query cannot be run: {_first_line(error)}") from error


def query_database(address: str, sql: str) -> Iterator[Row]:
    """Rows of a query that a database answers; its address never appears in an error."""
    scheme = address.partition(":")[0].lower()
    if scheme not in _DRIVERS:
        raise InputError(
            f"no driver for this database; the address must start with {' or '.join(_DRIVERS)}://"
        )
    try:
        # An extra, imported by name: every other command, and the type checker, works without it.
        dbapi = import_module(f"{_DRIVERS[scheme]}.dbapi")
    except ImportError as error:
        raise InputError(
            "the database driver is not installed; run: pip install 'tracegym[postgres]'"
        ) from error
    try:
        with dbapi.connect(address) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            yield from _rows(cursor.fetch_record_batch())
    except dbapi.Error as error:
        raise InputError(
            f"the database refused: {_first_line(error).replace(address, '(address)')}"
        ) from error


def _rows(reader: pa.RecordBatchReader) -> Iterator[Row]:
    for batch in reader:
        yield from batch.to_pylist()


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:300]

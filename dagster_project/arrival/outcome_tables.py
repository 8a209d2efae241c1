"""Outcome tables into the private lake.

Comes in: a table, or rows of a query, and which column says what. Goes out: outcomes, joined where their episode is assembled; the others
wait, those of which the next build joins told apart. The same table twice is the same outcomes. Rows of a query come from files by DuckDB, or from a database by ADBC.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from dagster_project.arrival.files import ArrivalCounts, append_outcomes, keep_rejected, land
from dagster_project.arrival.outcome_keys import KnownEpisodes, Row
from dagster_project.errors import InputError
from dagster_project.home.layout import Home
from dagster_project.lake.store import Lake
from ingest.files.outcome_table import (
    KEY,
    OutcomeMapping,
    OutcomeRow,
    read_rows,
    rows_of_table,
)
from ingest.receiver.wal import Wal
from ingest.records.quarantine import Rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedOutcomes:
    """What a table held."""

    rows: int
    joined: int
    """Rows whose episode has arrived: a build has assembled it, or the next one does."""
    waiting: int
    key: str
    """The column that names what a row is about."""
    rejected: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)


def take_in_outcomes(
    home: Home, table: Path, mapping: OutcomeMapping, *, app: str | None
) -> ArrivedOutcomes:
    """Read a table and keep its outcomes."""
    return take_in_rows(home, rows_of_table(table), mapping, app=app, source=table.name)


def take_in_rows(
    home: Home,
    rows: Iterable[Row | bytes],
    mapping: OutcomeMapping,
    *,
    app: str | None,
    source: str = "query",
) -> ArrivedOutcomes:
    """Join rows to the episodes that have arrived, and keep all of them; of a table without a usable row nothing is kept."""
    lake = Lake(home.private / "lake")
    with Wal(home.wal) as wal:
        arrived = land(home, wal, ArrivalCounts())
    known = KnownEpisodes(lake)
    columns, every = _with_key(rows, mapping, known, app)
    read, refused = _told_apart(read_rows(every, columns, app=app, source=source))
    if read:
        # Else an option is wrong: the table will be taken in again.
        keep_rejected(lake, refused, arrived)
    outcomes = known.join(read)
    append_outcomes(lake, outcomes, known.days)
    waiting = [outcome for outcome in outcomes if outcome.episode_id is None]
    still = known.count_strangers(waiting)
    return ArrivedOutcomes(
        rows=len(read),
        joined=len(outcomes) - still,
        waiting=still,
        key=columns.key or KEY,
        rejected=Counter(record.code for record in refused),
        reasons={record.code: record.reason for record in refused},
    )


def _with_key(
    rows: Iterable[Row | bytes], mapping: OutcomeMapping, known: KnownEpisodes, app: str | None
) -> tuple[OutcomeMapping, Iterable[Row | bytes]]:
    """The mapping with its key's column, and the rows; all of them are read first only where the column has to be looked for."""
    coming = iter(rows)
    first = next(coming, None)
    if first is None:
        return mapping, ()
    if mapping.key is not None or isinstance(first, bytes) or KEY in first:
        return mapping, chain([first], coming)
    every = [first, *coming]
    return replace(mapping, key=known.key_column(every, mapping, app=app)), every


def _told_apart(
    read: Iterable[OutcomeRow | Rejected],
) -> tuple[list[OutcomeRow], list[Rejected]]:
    rows: list[OutcomeRow] = []
    refused: list[Rejected] = []
    for row in read:
        if isinstance(row, Rejected):
            refused.append(row)
        else:
            rows.append(row)
    return rows, refused


_BATCH: Final = 10_000
_DRIVERS: Final = {"postgresql": "adbc_driver_postgresql", "postgres": "adbc_driver_postgresql"}
"""Which driver a database's address asks for."""
_STARTS: Final = ("select ", "with ", "from ", "values ", "table ")

# Nothing is fetched for a query: an extension that is not there is an error, not a download.
_OFFLINE: Final[dict[str, Any]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


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

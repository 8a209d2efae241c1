"""Outcomes asked for with SQL: rows of files by DuckDB, or of a database by ADBC.

Comes in: a query that whoever runs the command wrote. Goes out: rows as mappings, a batch at a time. Not here: what a
row means (`ingest.files.outcome_table`). The database's driver is an extra: `pip install 'tracegym[postgres]'`.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

import duckdb
import pyarrow as pa

from dagster_project.errors import InputError

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

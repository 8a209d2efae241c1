"""An SQLite file as one table: its messages, each with the row of its conversation and what somebody thought of it.

Comes in: a path. Goes out: a `Table`. The table of messages is found by its rows, the conversation's and the verdicts' by the ids that they
share. Nothing of the file runs but reading: views and virtual tables are passed over.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from ingest.tables.cells import SAMPLE, Row, Table, TableError, plain_row, typed
from ingest.tables.folder import MOST_BYTES, rows_together
from ingest.tables.rows import Grouping, grouping_of

_TABLES: Final = (
    "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' "
    "and sql not like 'create virtual%' order by name"
)
_MOST_BYTES: Final = 4 * MOST_BYTES
"""Larger ones are read without the tables beside that of the messages."""


def database_table(path: Path) -> Table:
    """The messages of a database; `TableError` where no table holds any, or the file cannot be read."""
    names = [row["name"] for row in _read(path, _TABLES)]
    samples = {name: list(islice(_rows(path, name).rows(), SAMPLE)) for name in names}
    if path.stat().st_size <= _MOST_BYTES:
        joined, _, _ = rows_together({name: list(_rows(path, name).rows()) for name in names})
        if isinstance(grouping_of(joined) if joined else "", Grouping):
            return Table(rows=lambda: iter(joined), loose_rows=lambda: iter(joined))
    told = {name: grouping_of(rows) for name, rows in samples.items() if rows}
    found = {name: by for name, by in told.items() if isinstance(by, Grouping)}
    if not found:
        listed = ", ".join(names[:8]) or "none"
        raise TableError(
            f"no table of it holds messages with their conversation, speaker and words (its tables: {listed}); "
            "export such a table as CSV with the columns conversation_id, role and content"
        )
    return _rows(path, max(found, key=lambda name: len(samples[name])))


def _rows(path: Path, name: str) -> Table:
    quoted = name.replace('"', '""')
    return typed(lambda: map(plain_row, _read(path, f'select * from "{quoted}"')))  # noqa: S608 (a name cannot be bound)


def _read(path: Path, query: str) -> Iterator[Row]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("pragma trusted_schema = off")
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            cursor = database.execute(query)
            names = [column[0] for column in cursor.description]
            for cells in cursor:
                yield dict(zip(names, cells, strict=True))
    except sqlite3.Error as error:
        raise TableError(
            f"SQLite cannot read it ({error}); copy the database with: sqlite3 FILE '.backup COPY'"
        ) from error

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

from ingest.formats.records.verdicts import VERDICTS
from ingest.formats.records.words import NAMES, snake_case
from ingest.tables.cells import SAMPLE, Row, Table, TableError, plain_row, typed
from ingest.tables.folder import MOST_BYTES, rows_together
from ingest.tables.rows import Grouping, grouping_of

_TABLES: Final = (
    "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' "
    "and sql not like 'create virtual%' order by name"
)
_MOSTLY: Final = 0.5
_VERDICTS: Final = frozenset({*VERDICTS, *NAMES["marks_on_messages"], "evaluation", "survey"})


def database_table(path: Path) -> Table:
    """The messages of a database; `TableError` where no table holds any, or the file cannot be read."""
    names = [row["name"] for row in _read(path, _TABLES)]
    samples = {name: list(islice(_rows(path, name).rows(), SAMPLE)) for name in names}
    if path.stat().st_size <= MOST_BYTES:
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
    own = max(found, key=lambda name: len(samples[name]))
    key = next(k for k, known in found[own].names.items() if known == found[own].conversation)
    ids = {column: _values(path, own, column) for column in (key, "id")}
    ties = {
        name: tie
        for name in names
        if name != own and samples[name] and (tie := _tie(path, name, own, ids)) is not None
    }

    def rows() -> Iterator[Row]:
        tied = {
            name: (of, {str(row[column]): row for row in _rows(path, name).rows() if column in row})
            for name, (column, of) in ties.items()
        }
        for row in _rows(path, own).rows():
            beside = {name: by.get(str(row.get(of))) for name, (of, by) in tied.items()}
            yield row | {_singular(name): one for name, one in beside.items() if one is not None}

    return Table(rows=rows, loose_rows=rows)


def _tie(path: Path, name: str, own: str, ids: dict[str, set[str]]) -> tuple[str, str] | None:
    """A column of a table and the column of the messages' that it is equal to: the conversation's own id, or, of verdicts, any id."""
    key = next(iter(ids))
    if _singular(name) in snake_case(key) or _is_part(ids[key], _values(path, name, "id")):
        return "id", key
    if _VERDICTS.isdisjoint(_singular(name).split("_")):
        return None
    named = {(snake_case(key), key), (f"{_singular(own)}_id", "id")}
    columns = dict.fromkeys(key for row in _rows(path, name).rows() for key in row)
    pairs = ((column, of) for of in ids for column in columns)
    return next(
        (
            (column, of)
            for column, of in pairs
            if (snake_case(column), of) in named or _is_part(_values(path, name, column), ids[of])
        ),
        None,
    )


def _is_part(ids: set[str], known: set[str]) -> bool:
    """Whether ids are, for the most part, those of others; counted ones say nothing, as all tables have them."""
    return len(ids & known) > _MOSTLY * len(ids) and not all(map(str.isdecimal, ids))


def _values(path: Path, name: str, column: str) -> set[str]:
    """What stands in a column; nothing where a table has no such column."""
    return {str(row[column]) for row in _rows(path, name).rows() if column in row}


def _singular(name: str) -> str:
    return snake_case(name).removesuffix("s")


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

"""The rows of a table as objects: CSV with any separator, Parquet, lines of JSON.

Comes in: a file. Goes out: `Table`: its rows, as often as somebody wants to read them, with numbers, JSON and times as what they are. Of CSV a
column is of one type: what somebody wrote stays text although it looks like a number or like JSON. A table whose rows do not fit
its header, or whose text is not UTF-8, raises `TableError`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.dialects.attributes import is_shown, read_shown
from ingest.files.file_source import FileSource
from ingest.records.text import NOT_JSON, NOT_UTF8, Json, load_json

Row = dict[str, Any]

SAMPLE: Final = 5_000
"""Rows by which a table is understood."""
_LONGEST_CELL: Final = 64 << 20
_SEPARATORS: Final = ",;\t|"
_EMPTY: Final = ("", "NULL", "\\N")
"""What databases write for nothing."""
_QUOTED: Final = re.compile(r'"[^"]*"')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?")
"""A number that text and number tell alike: no code with zeros before it."""
_TEXT, _JSON, _FIGURE, _OTHER, _PYTHON, _TRUTH = range(6)
_TRUTHS: Final = {"t": True, "f": False}
"""How PostgreSQL writes what is true or not, where a column holds nothing else."""


class TableError(ValueError):
    """A table that cannot be read whole; the message is a sentence without the file's name before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows that can be read again."""

    rows: Callable[[], Iterator[Row]]
    loose_rows: Callable[[], Iterator[Row]]
    """The same with JSON as what it holds also in columns where other cells are text, and with objects in Python's notation."""


def typed(texts: Callable[[], Iterator[Row]]) -> Table:
    """A table whose texts are what their columns hold; it is looked through once."""
    kinds: dict[str, set[int]] = {}
    for row in texts():
        for key, value in row.items():
            kinds.setdefault(key, set()).add(_kind_of(value))
    plain = {
        key: one.pop() if len(one) == 1 and _PYTHON not in one else _TEXT
        for key, one in kinds.items()
        for one in [set(one)]
    }
    loose = {
        key: next((kind for kind in (_JSON, _PYTHON) if kind in one), plain[key])
        for key, one in kinds.items()
    }

    def rows(of: dict[str, int]) -> Iterator[Row]:
        return (
            {key: _typed(one, of.get(key, _TEXT)) for key, one in row.items()} for row in texts()
        )

    return Table(rows=lambda: rows(plain), loose_rows=lambda: rows(loose))


def _kind_of(value: Json) -> int:
    if not isinstance(value, str):
        return _OTHER
    if value.lstrip()[:1] in {"{", "["}:
        is_json = load_json(value.encode("utf-8", "replace")) is not NOT_JSON
        return _JSON if is_json else _PYTHON if is_shown(value) else _TEXT
    if value in _TRUTHS:
        return _TRUTH
    return _FIGURE if _NUMBER.fullmatch(value) else _TEXT


def _typed(value: Json, kind: int) -> Json:
    if kind == _FIGURE:
        return float(value) if "." in value else int(value)
    if kind == _TRUTH:
        return _TRUTHS[value]
    if kind == _JSON and _kind_of(value) == _JSON:
        return load_json(value.encode("utf-8", "replace"))
    if kind in {_JSON, _PYTHON} and _kind_of(value) == _PYTHON:
        return read_shown(value)
    return value


def text_table(source: FileSource) -> Table:
    """A table of text with a header."""
    return typed(lambda: _text_rows(source))


def _text_rows(source: FileSource) -> Iterator[Row]:
    """The rows without their empty cells."""
    csv.field_size_limit(_LONGEST_CELL)
    with source.opened() as stream:
        text = TextIOWrapper(stream, encoding="utf-8", newline="")
        try:
            head = text.readline()
            lines = csv.reader(chain([head], text), delimiter=separator_in(head), strict=True)
            header = next(lines, [])
            if len(set(header)) < len(header):
                raise TableError("two of its columns have the same name; name them apart")
            for cells in lines:
                if len(cells) != len(header) and any(cells):
                    raise TableError(
                        f"its header has {len(header)} columns, and the row that ends in line {lines.line_num} has {len(cells)}: "
                        "quotes or separators are broken; export it again with every cell in quotes"
                    )
                yield {
                    key: cell
                    for key, cell in zip(header, cells, strict=False)
                    if cell.strip() not in _EMPTY
                }
        except UnicodeDecodeError as error:
            raise TableError(f"its text is {NOT_UTF8}") from error
        except csv.Error as error:
            raise TableError(f"a row is no row of a table ({error}); export it again") from error


def separator_in(head: str) -> str:
    """What separates the cells of a header."""
    return max(_SEPARATORS, key=_QUOTED.sub("", head).count)


def lines_table(source: FileSource) -> Table:
    """Objects of JSON, one a line."""

    def rows() -> Iterator[Row]:
        with source.opened() as stream:
            yield from (plain_row(row) for row in map(load_json, stream) if isinstance(row, dict))

    return Table(rows=rows, loose_rows=rows)


def parquet_table(path: Path) -> Table:
    """A Parquet file."""

    def rows() -> Iterator[Row]:
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches():
                    yield from map(plain_row, batch.to_pylist())
        except (pa.ArrowException, ValueError, OverflowError) as error:
            raise TableError(f"it is damaged ({error}); write it again") from error

    return typed(rows)


def plain_row(row: Row) -> Row:
    """A row in JSON's types, without what is empty and without bytes."""
    plain = {key: _plain_value(value) for key, value in row.items()}
    return {key: value for key, value in plain.items() if value is not None and value != ""}


def _plain_value(value: Json) -> Json:
    if isinstance(value, dict):
        return {str(key): _plain_value(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain_value(one) for one in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return value if isinstance(value, str | int | float | bool) else None

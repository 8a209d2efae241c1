"""A table as lines of JSON: of rows that say by themselves what they are, or of whole conversations.

Comes in: a file and its first bytes. Goes out: the same source with lines in the place of its bytes; None where it is no table.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Final

from ingest.files.file_source import FileSource
from ingest.files.mapping_draft import layout_in
from ingest.formats import turn_records
from ingest.formats.records.find import is_record, messages_of
from ingest.formats.records.reader import NAME as RECORD
from ingest.formats.records.transcripts import items_of
from ingest.formats.spans import langfuse_export
from ingest.formats.table import format_within
from ingest.formats.verdict_rows import FORMAT as VERDICT_ROWS
from ingest.formats.verdict_rows import is_on_span
from ingest.records.text import NOT_JSON, json_bytes, load_json
from ingest.tables.cells import SAMPLE, Row, TableError, lines_table, parquet_table, text_table
from ingest.tables.database import database_table
from ingest.tables.rows import Grouping, conversations, grouping_of, names_of, renamed, turns_of

_TEXT_TABLES: Final = frozenset({".csv", ".tsv"})
_MARKS: Final = {b"PAR1": parquet_table, b"SQLite format 3\x00": database_table}
WORKBOOKS: Final = frozenset({".xlsx", ".xls", ".ods", ".xlsm"})
_LOOKED_AT: Final = 5
_MOSTLY: Final = 0.7


def are_rows(source: FileSource, head: bytes) -> bool:
    """Whether lines of JSON mean nothing one by one, and a field says which conversation each belongs to: an app's own log."""
    first = [row for row in map(load_json, head.split(b"\n")[:-1]) if row is not NOT_JSON]
    if not first[1:] or not source.can_be_read_again:
        return False
    if not all(isinstance(r, dict) and format_within(r) in (None, VERDICT_ROWS) for r in first):
        return False
    return isinstance(grouping_of(list(islice(lines_table(source).rows(), SAMPLE))), Grouping)


def as_lines(source: FileSource, head: bytes) -> FileSource | None:
    """The file as lines, if it is a table; `TableError` where it is one and holds no conversations."""
    endings = {suffix.lower() for suffix in source.path.suffixes}
    made = next((make for mark, make in _MARKS.items() if head.startswith(mark)), None)
    if endings & WORKBOOKS:
        raise TableError("it is a workbook; save the sheet of messages as CSV UTF-8")
    is_json = head.lstrip()[:1] == b"{"  # asked of these only where they are rows
    if made is None and not (is_json or endings & _TEXT_TABLES):
        return None
    if not source.can_be_read_again:
        raise TableError("a table is read more than once; give it as a file")
    of_text = lines_table if is_json else text_table
    table = of_text(source) if made is None else made(source.path)
    sample = list(islice(table.rows(), SAMPLE))
    by = grouping_of(sample) if sample else "anything: it has no rows"
    told = _formats_of(list(islice(table.loose_rows(), _LOOKED_AT)))
    names = names_of(sample)
    turns = turns_of(renamed(row, names) for row in sample)
    alone = isinstance(by, str) and turn_records.turns_in(turns)
    is_turns = turn_records.claims(turns) or (alone and all(map(is_record, alone[:_LOOKED_AT])))
    if is_turns and not told - {RECORD}:
        return replace(
            source, lines=lambda: map(_line, turns_of(renamed(row, names) for row in table.rows()))
        )
    # Rows that hold a conversation so far, several of one conversation, are its states.
    # Or each holds a conversation in the table's own words.
    is_one = told or layout_in(list(islice(table.loose_rows(), SAMPLE))) is not None
    if told - {RECORD}:
        return replace(source, lines=lambda: map(_line, table.loose_rows()))
    if is_one and isinstance(by, str):
        return replace(
            source,
            lines=lambda: (
                _line({names.get(key, key): one for key, one in row.items()})
                for row in table.loose_rows()
            ),
        )
    if isinstance(by, str):
        raise TableError(
            f"it holds no conversations that tracegym can read: no column says {by}. "
            "A table of outcomes goes in with: tracegym outcomes FILE"
        )
    return replace(source, lines=lambda: map(_line, conversations(table.rows(), by)))


def _formats_of(rows: list[Row]) -> set[str]:
    """What a table's first rows are, where nearly each says it by itself: a conversation, a span."""
    cells = [one for row in rows for one in row.values()]
    tells = any(isinstance(one, dict | list) or items_of(str(one)) for one in cells)
    tells = tells or any(
        is_on_span(row) or langfuse_export.claims(row) or messages_of(row) for row in rows
    )
    found = [format_within(row) for row in rows] if tells else []
    sure = [row.name for row in found if row is not None and not row.is_whole_file]
    # A run that broke off at once may hold nothing.
    return set(sure) if len(sure) > _MOSTLY * len(rows) else set()


def _line(value: object) -> bytes:
    return json_bytes(value) + b"\n"

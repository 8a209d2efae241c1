"""Documents in the lake: learnt things whose shape is a tree, as canonical JSON, a row each, by app.

Comes in: records and their ids. Goes out: rows of `DOCUMENT_SCHEMA`, and records again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
import pyarrow as pa

from dagster_project.lake.learnt_tables import DOCUMENT_SCHEMA
from dagster_project.lake.rows import canonical_text, from_json
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Table

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One learnt thing."""

    app: str
    id: str
    version: str
    content: object
    """A record, or plain JSON values."""


def to_rows(documents: Iterable[Document]) -> pa.Table:
    """The documents as rows, in order of their ids."""
    rows = [
        {"app": d.app, "id": d.id, "version": d.version, "document": canonical_text(d.content)}
        for d in sorted(documents, key=lambda d: (d.app, d.id))
    ]
    return pa.Table.from_pylist(rows, schema=DOCUMENT_SCHEMA)


def contents(lake: Lake, table: Table, app: str) -> dict[str, Any]:
    """What the documents of an app say, as plain JSON by id."""
    rows = lake.read(table, app=app).to_pylist()
    return {row["id"]: orjson.loads(row["document"]) for row in sorted(rows, key=lambda r: r["id"])}


def records(lake: Lake, table: Table, app: str, kind: type[Record]) -> dict[str, Record]:
    """The documents of an app as records of a kind, by id."""
    return {key: from_json(kind, value) for key, value in contents(lake, table, app).items()}

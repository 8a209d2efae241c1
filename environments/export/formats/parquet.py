"""Rows as Parquet for trainers that read nothing else: the same rows give the same bytes.

In: rows with the schema that stands beside them in a writer. Out: the bytes of one file. What differs from row to row
(tool definitions, arguments) goes in as JSON text, because Arrow would merge such records into one with nulls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

MESSAGES: Final = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
"""A conversation of text only."""


def parquet(rows: Sequence[Mapping[str, object]], schema: pa.Schema) -> bytes:
    """One Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=schema), sink)
    return bytes(sink.getvalue().to_pybytes())

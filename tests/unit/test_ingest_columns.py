"""The layout of a table is that of its record: one column a field."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from ingest.records.columns import Int32, schema_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A record inside another."""

    name: str
    step: Int32 | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A record with every kind of field."""

    app: str
    at: int
    share: float | None
    body: bytes
    known: bool = False
    steps: tuple[Int32, ...] = ()
    parts: tuple[Part, ...] = ()


def test_each_field_is_a_column_of_its_kind() -> None:
    """Records inside are structs, tuples are lists, and the partition stands first."""
    part: pa.DataType = pa.struct([("name", pa.string()), ("step", pa.int32())])
    columns: dict[str, pa.DataType] = {
        "app": pa.string(),
        "day": pa.string(),
        "at": pa.int64(),
        "share": pa.float64(),
        "body": pa.binary(),
        "known": pa.bool_(),
        "steps": pa.list_(pa.int32()),
        "parts": pa.list_(part),
    }
    assert schema_of(Whole, "app", "day") == pa.schema(columns)

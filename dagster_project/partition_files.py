"""The files of new partitions, written part by part in the order given: what `Lake.replace_parts` commits.

Comes in: rows whose partitions follow one another. Goes out: one Parquet file a partition, and what the table's log says of it.
The library's own writer holds what it is given (300 MiB for 6,000 episodes) and changes its order. Not here: the commit (`lake`).
"""

import json
import time
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.transaction import AddAction, RemoveAction

from dagster_project.errors import LakeError
from dagster_project.tables import Table


def write_files(
    folder: Path, table: Table, parts: Iterable[pa.Table]
) -> list[AddAction | RemoveAction]:
    """Write the rows beside those of the table; nobody reads them before they are committed."""
    inside = pa.schema([field for field in table.schema if field.name not in table.by])
    filled = (part for part in parts if part.num_rows)
    return [
        _write(folder, inside, dict(zip(table.by, key, strict=True)), group)
        for key, group in groupby(filled, key=lambda part: _key_of(part, table.by))
    ]


def _write(
    folder: Path, inside: pa.Schema, key: dict[str, str | None], parts: Iterable[pa.Table]
) -> AddAction:
    name = f"part-{uuid4()}.zstd.parquet"
    count = 0
    with pq.ParquetWriter(str(folder / name), inside, compression="zstd") as writer:
        for part in parts:
            writer.write_table(part.select(inside.names).cast(inside))
            count += part.num_rows
    return AddAction(
        path=name,
        size=(folder / name).stat().st_size,
        partition_values=key,
        modification_time=time.time_ns() // 1_000_000,
        data_change=True,
        stats=json.dumps({"numRecords": count}),
    )


def _key_of(part: pa.Table, by: Sequence[str]) -> tuple[str, ...]:
    """The one partition that these rows are in."""
    keys = [part.column(name).unique().to_pylist() for name in by]
    if any(len(values) != 1 for values in keys):
        raise LakeError("a part holds rows of more than one partition; write them one by one")
    return tuple(str(values[0]) for values in keys)

"""The files of new partitions, written part by part in the order given: what `Lake.replace_parts` commits.

Comes in: rows whose partitions follow one another. Goes out: one Parquet file a partition, and what the table's log says of it. The
library's own writer holds what it is given (300 MiB for 6,000 episodes) and changes its order.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.transaction import AddAction, RemoveAction

from dagster_project.errors import LakeError
from dagster_project.lake.tables import Table
from dagster_project.storage.objects import Objects


def write_files(
    folder: Path, table: Table, parts: Iterable[pa.Table]
) -> list[AddAction | RemoveAction]:
    """Write the rows beside those of the table; nobody reads them before they are committed."""

    def keep(name: str, group: Iterable[pa.Table]) -> _WrittenFile:
        rows = _write(str(folder / name), table, group)
        return _WrittenFile(rows=rows, size=(folder / name).stat().st_size)

    return _actions(table, parts, keep)


def upload_files(
    objects: Objects, scratch: Path, table: Table, parts: Iterable[pa.Table]
) -> list[AddAction | RemoveAction]:
    """The same in object storage, each file by way of a nameless one in `scratch`, which ends with the process."""

    def keep(name: str, group: Iterable[pa.Table]) -> _WrittenFile:
        with tempfile.TemporaryFile(dir=scratch) as file:
            rows = _write(file, table, group)
            size = file.tell()
            file.seek(0)
            objects.put(f"{table.name}/{name}", file)
        return _WrittenFile(rows=rows, size=size)

    return _actions(table, parts, keep)


@dataclass(frozen=True, slots=True, kw_only=True)
class _WrittenFile:
    rows: int
    size: int
    """Bytes."""


def _actions(
    table: Table, parts: Iterable[pa.Table], keep: Callable[[str, Iterable[pa.Table]], _WrittenFile]
) -> list[AddAction | RemoveAction]:
    filled = (part for part in parts if part.num_rows)
    added: list[AddAction | RemoveAction] = []
    for key, group in groupby(filled, key=lambda part: _key_of(part, table.by)):
        name = f"part-{uuid4()}.zstd.parquet"
        kept = keep(name, group)
        added.append(
            AddAction(
                path=name,
                size=kept.size,
                partition_values=dict(zip(table.by, key, strict=True)),
                modification_time=time.time_ns() // 1_000_000,
                data_change=True,
                stats=json.dumps({"numRecords": kept.rows}),
            )
        )
    return added


def _write(file: str | IO[bytes], table: Table, parts: Iterable[pa.Table]) -> int:
    """Write one file; returns its rows."""
    inside = pa.schema([field for field in table.schema if field.name not in table.by])
    count = 0
    with pq.ParquetWriter(file, inside, compression="zstd") as writer:
        for part in parts:
            writer.write_table(part.select(inside.names).cast(inside))
            count += part.num_rows
    return count


def _key_of(part: pa.Table, by: Sequence[str]) -> tuple[str, ...]:
    """The one partition that these rows are in."""
    keys = [part.column(name).unique().to_pylist() for name in by]
    if any(len(values) != 1 for values in keys):
        raise LakeError("a part holds rows of more than one partition; write them one by one")
    return tuple(str(values[0]) for values in keys)

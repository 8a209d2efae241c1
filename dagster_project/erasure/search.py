"""The proof: every byte of a home is searched for what was erased, packed and sealed data as well.

Comes in: a home and needles. Goes out: what was searched and what was found, by file; never a text.
"""

import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dagster_project.erasure.needles import Needles
from dagster_project.erasure.raw_side import plain_of
from dagster_project.home.layout import Home
from ingest.receiver.wal import FILE_NAME, Wal
from redact.errors import VaultError
from redact.operators.vault import Vault

_PART = 8 << 20
_OVERLAP = 4096
"""Parts of a file overlap by more than any needle is long."""


@dataclass(slots=True, kw_only=True)
class Searched:
    """What was searched."""

    files: int = 0
    bytes: int = 0
    """As they are once unpacked and unsealed, and as they lie on the disk."""
    hits: Counter[str] = field(default_factory=Counter)
    """By file below the home."""


def search(home: Home, vault: Vault, needles: Needles) -> Searched:
    """Look into every file of a home; its vault lies open."""
    done = Searched()
    for path in sorted(home.path.rglob("*")):
        if path.is_file() and not path.is_symlink():
            done.files += 1
            found: set[str] = set()
            for part in _parts(home, path, vault):
                done.bytes += len(part)
                found |= needles.in_bytes(part)
            if found:
                done.hits[str(path.relative_to(home.path))] = len(found)
    return done


def _parts(home: Home, path: Path, vault: Vault) -> Iterator[bytes]:
    """A file as it lies there, then what is packed or sealed in it."""
    yield from _as_it_lies(path)
    if path.suffix == ".parquet":
        yield from _cells(path, vault)
    elif path == home.wal / FILE_NAME:
        with Wal(home.wal) as wal:
            for record in wal.all_records():
                yield b" ".join((record.source.encode(), str(record.app).encode()))
                yield plain_of(record)
    elif path == home.sealed_vault:
        yield "\n".join(vault.values()).encode("utf-8", "surrogatepass")


def _as_it_lies(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        before = b""
        while part := file.read(_PART):
            yield before + part
            before = part[-_OVERLAP:]


def _cells(path: Path, vault: Vault) -> Iterator[bytes]:
    """Every text and every bytes of a table, at whatever depth."""
    file = pq.ParquetFile(path)
    for batch in file.iter_batches(batch_size=256):
        for column in batch.columns:
            yield from _values(column, vault)


def _values(column: "pa.Array[Any]", vault: Vault) -> Iterator[bytes]:
    kind = column.type
    if pa.types.is_struct(kind) or pa.types.is_list(kind) or pa.types.is_map(kind):
        yield str(column.to_pylist()).encode("utf-8", "surrogatepass")
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        yield "\n".join(v for v in column.to_pylist() if v).encode("utf-8", "surrogatepass")
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        for value in column.to_pylist():
            if value:
                yield value
                yield _opened(value, vault)


def _opened(value: bytes, vault: Vault) -> bytes:
    """What is sealed or packed in a cell, if anything is."""
    with suppress(VaultError):
        value = vault.unseal(value)
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value

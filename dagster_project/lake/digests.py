"""Short texts that are equal for equal things: of rows, and of texts. What is fresh, and what changed, is told by them."""

import hashlib
from collections.abc import Iterable
from typing import Final

import pyarrow as pa

_PART: Final = 4096
"""Rows that are Python objects at one time."""


def digest_of(rows: pa.Table) -> str:
    """A text that is equal for equal rows in equal order."""
    return digest_of_parts([rows])


def digest_of_parts(parts: Iterable[pa.Table]) -> str:
    """The digest of rows that come part by part, wherever the parts end."""
    hasher = hashlib.sha256()
    for rows in parts:
        for part in rows.to_batches(max_chunksize=_PART):
            for row in part.to_pylist():
                hasher.update(repr(row).encode())
                hasher.update(b"\x1e")
    return hasher.hexdigest()[:32]


def hash_of(*parts: str) -> str:
    """One short text for several, equal for equal ones."""
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]

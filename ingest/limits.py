"""What one body may cost, checked before anything is parsed.

Comes in: a body as received. Goes out: the decompressed body, or `BodyRefused` with the limit it broke.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final

from ingest.errors import BodyRefused

_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one body; OTLP 1.11 recommends 64 MiB after decompression."""

    body_bytes: int = 64 << 20
    """After decompression."""
    records: int = 100_000
    """Spans or log records in one body: 8 MB of empty spans would take 700 MB once parsed."""
    depth: int = 32
    """Lists and maps inside one attribute value."""


DEFAULT_LIMITS: Final = Limits()


def gunzip(body: bytes, *, limit: int) -> bytes:
    """Decompress gzip at bounded memory; several members one after the other are one body."""
    parts: list[bytes] = []
    total = 0
    while body:
        engine = zlib.decompressobj(wbits=31)
        data = body
        while not engine.eof:
            try:
                part = engine.decompress(data, _CHUNK)
            except zlib.error as error:
                raise BodyRefused(
                    "bad_gzip", "The body is not valid gzip; send it again uncompressed."
                ) from error
            data = engine.unconsumed_tail
            if not part and not data:
                raise BodyRefused("truncated_gzip", "The gzip body ends too early; send it again.")
            total += len(part)
            if total > limit:
                raise BodyRefused(
                    "body_too_large",
                    f"The body is larger than {limit} bytes after decompression; send smaller batches.",
                )
            parts.append(part)
        body = engine.unused_data.lstrip(b"\0")
    return b"".join(parts)

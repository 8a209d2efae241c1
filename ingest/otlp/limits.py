"""What one body may cost, checked before anything is parsed.

Comes in: a body as received. Goes out: the decompressed body, or `BodyRefused` with the limit it broke.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final

import zstandard

from ingest.errors import BodyRefused

COMPRESSIONS: Final = ("gzip", "zstd")
"""Names as HTTP's Content-Encoding and the log's records have them."""

_CHUNK: Final = 1 << 20
_MEMBERS: Final = 64
"""Compressed members one after the other in one body: each costs a copy of the rest, so their number has a limit."""
_ZSTD_STEP: Final = 1 << 10
"""Fed at a time: a block of 128 KiB may stand in 4 bytes, so this grows to 32 MiB at most."""
_ZSTD_WINDOW: Final = 8 << 20
"""RFC 9659: no sender may ask a receiver for more memory than this."""

_WORTH_PACKING: Final = 1 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one body; OTLP 1.11 recommends 64 MiB after decompression."""

    body_bytes: int = 64 << 20
    """After decompression."""
    records: int = 100_000
    """Spans or log records in one body: 8 MB of empty spans would take 700 MB once parsed."""
    values: int = 1_000_000
    """Elements and members of JSON: parsed they take up to 350 MiB, and 13 MB of attributes hold as many."""
    fields: int = 2_000_000
    """Fields of protobuf, in all its messages: an attribute has four."""
    depth: int = 32
    """Lists and maps inside one attribute value."""


DEFAULT_LIMITS: Final = Limits()


def unpack(body: bytes, compression: str, *, limit: int) -> bytes:
    """The plain body at bounded memory, or `BodyRefused` where it is larger than the limit or damaged."""
    if compression == "gzip" and body:
        return gunzip(body, limit=limit)
    if compression == "zstd" and body:
        return _unzstd(body, limit=limit)
    if len(body) > limit:
        raise _too_large(limit)
    return body


def pack(body: bytes) -> bytes | None:
    """The body as zstd, fast; None where it is short or hardly becomes smaller.

    At 1.3 GB/s a core it costs a fifth of what hashing and writing the plain body would.
    """
    if len(body) < _WORTH_PACKING:
        return None
    packed = zstandard.ZstdCompressor(level=1).compress(body)
    return packed if len(packed) < len(body) * 3 // 4 else None


def _too_large(limit: int) -> BodyRefused:
    return BodyRefused(
        "body_too_large",
        f"The body is larger than {limit} bytes after decompression; send smaller batches.",
    )


def _unzstd(body: bytes, *, limit: int) -> bytes:
    """Decompress zstd; several frames one after the other are one body."""
    parts: list[bytes] = []
    total = 0
    engine = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    for _ in range(_MEMBERS):
        if not body:
            break
        frame = engine.decompressobj()
        at = 0
        while at < len(body) and not frame.eof:
            try:
                part = frame.decompress(body[at : at + _ZSTD_STEP])
            except zstandard.ZstdError as error:
                raise BodyRefused(
                    "bad_zstd", "The body is not valid zstd with a window of 8 MiB at most."
                ) from error
            at += _ZSTD_STEP
            total += len(part)
            if total > limit:
                raise _too_large(limit)
            parts.append(part)
        if not frame.eof:
            raise BodyRefused("truncated_zstd", "The zstd body ends too early; send it again.")
        body = frame.unused_data + body[at:]
    if body:
        raise _too_many_members()
    return b"".join(parts)


def _too_many_members() -> BodyRefused:
    return BodyRefused(
        "too_many_members",
        f"The body is made of more than {_MEMBERS} compressed members; compress it as one.",
    )


def gunzip(body: bytes, *, limit: int) -> bytes:
    """Decompress gzip at bounded memory; several members one after the other are one body."""
    parts: list[bytes] = []
    total = 0
    for _ in range(_MEMBERS):
        if not body:
            break
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
            if not part and not data and not engine.eof:
                raise BodyRefused("truncated_gzip", "The gzip body ends too early; send it again.")
            total += len(part)
            if total > limit:
                raise _too_large(limit)
            parts.append(part)
        body = engine.unused_data.lstrip(b"\0")
    if body:
        raise _too_many_members()
    return b"".join(parts)

"""A ZIP archive as the folder of files that it is: programs write their logs so, and people send folders so.

Comes in: a file. Goes out: a source for each member, read out of the archive when somebody asks; nothing is unpacked to the disk. An archive
with more members, or more bytes once it is unpacked, than anybody writes is left as it is, and so are workbooks.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Final
from zipfile import BadZipFile, ZipFile, ZipInfo

from ingest.errors import IngestError
from ingest.files.file_source import FileSource

_MARK: Final = b"PK\x03\x04"
_OF_OFFICES: Final = frozenset({"[Content_Types].xml", "mimetype"})
"""Members of workbooks, documents and books."""
_MOST_MEMBERS: Final = 20_000
_MOST_BYTES: Final = 2 << 30
"""Bytes of all members, as the archive declares them; no more are read of a member than it declares."""
_CHUNK: Final = 1 << 20


def unpacked(source: FileSource) -> list[FileSource]:
    """The members of an archive in the order of their names, or the file itself where it is none that can be read, marked where nobody can open it."""
    if not source.can_be_read_again:
        return [source]
    try:
        with source.opened() as stream:
            if stream.read(len(_MARK)) != _MARK:
                return [source]
        with ZipFile(source.path) as archive:
            members = sorted(archive.infolist(), key=attrgetter("filename"))
    except PermissionError as error:
        return [replace(source, closed=error)]
    except (BadZipFile, IngestError, OSError):
        return [source]  # said where the file is read
    size = sum(one.file_size for one in members)
    is_read = len(members) <= _MOST_MEMBERS and size <= _MOST_BYTES
    if not is_read or any(one.filename in _OF_OFFICES for one in members):
        return [source]
    return [
        replace(
            source,
            path=source.path / one.filename.lstrip("/"),
            name=f"{source.name}/{one.filename}",
            lines=partial(_bytes_of, source, one),
        )
        for one in members
        if not one.is_dir() and not one.filename.rpartition("/")[2].startswith(".")
    ] or [source]


def _bytes_of(source: FileSource, member: ZipInfo) -> Iterator[bytes]:
    try:
        with ZipFile(source.path) as archive, archive.open(member) as stream:
            while chunk := stream.read(_CHUNK):
                yield chunk
    except (BadZipFile, EOFError, RuntimeError, zlib.error) as error:
        raise OSError(f"its archive is damaged or locked: {error}") from error

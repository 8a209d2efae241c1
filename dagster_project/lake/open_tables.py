"""Tables on this machine as they were opened last: their log is read again only where it has gone on since.

Comes in: a table's folder. Goes out: the table at its newest version. Opening one reads its whole log (15 ms after a hundred commits), and
a build reads tables hundreds of times. For readers only: what a commit was made of must not move on meanwhile. Each thread has tables of
its own.
"""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

_Mark = tuple[int, int, int]
"""Inode, time and size of a commit's file: a table that was removed and made anew has others."""


@dataclass(slots=True)
class _OpenTable:
    table: DeltaTable
    mark: _Mark | None


class _Tables(threading.local):
    """What a thread has opened, by folder."""

    def __init__(self) -> None:
        self.known: dict[str, _OpenTable] = {}


_MOST: Final = 256
_tables: Final = _Tables()


def newest(folder: Path) -> DeltaTable:
    """The table at its newest version; raises what `DeltaTable` raises."""
    known = _tables.known.get(str(folder))
    if known is not None and known.mark is not None and _mark(folder, known.table) == known.mark:
        if not _commit(folder, known.table.version() + 1).exists():
            return known.table
        if _moved_on(known.table):
            known.mark = _mark(folder, known.table)
            return known.table
    table = DeltaTable(str(folder))
    if len(_tables.known) >= _MOST:
        _tables.known.clear()
    _tables.known[str(folder)] = _OpenTable(table, _mark(folder, table))
    return table


def _moved_on(table: DeltaTable) -> bool:
    """Whether the commits since could be read alone."""
    try:
        table.update_incremental()
    except (DeltaError, OSError):
        return False
    return True


def _mark(folder: Path, table: DeltaTable) -> _Mark | None:
    """None where the commit's file is gone, as those before a checkpoint are after a week."""
    try:
        found = _commit(folder, table.version()).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _commit(folder: Path, version: int) -> Path:
    return folder / "_delta_log" / f"{version:020}.json"

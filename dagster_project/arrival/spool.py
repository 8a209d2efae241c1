"""The spool of `tracegym-exporter`: batches that an app without a network path left in a folder.

Comes in: a folder that apps write to while it is read. Goes out: bodies in the write-ahead log; a file is removed once it
is durable there, so the exporter's limit on the folder is never met by what has been read. What cannot be read is set
aside as `*.refused`. Links are not followed: who may write to the folder must not choose what is read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dagster_project.arrival.files import ArrivalCounts, keep_rejected
from dagster_project.home.layout import Home
from dagster_project.lake.store import Lake
from ingest.errors import SourceUnreadable
from ingest.files.telemetry_files import read_file
from ingest.receiver.wal import Wal, WalRecord
from ingest.records.quarantine import Rejected

_AT_ONCE: Final = 1_000
"""Files taken between two decodings into the lake."""


def take_spool(home: Home, wal: Wal, folder: Path, *, app: str | None = None) -> int:
    """Move finished batches into the log, oldest first; returns how many."""
    taken = 0
    for path in _batches(folder):
        try:
            records = list(read_file(path, app=app))
        except SourceUnreadable:
            continue  # gone or not readable yet: the next round looks again
        bodies = [record for record in records if isinstance(record, WalRecord)]
        if bodies:
            wal.append(bodies)
        _finish(home, path, [record for record in records if isinstance(record, Rejected)])
        taken += 1
    return taken


def _batches(folder: Path) -> list[Path]:
    # The exporter's names begin with their time; an unfinished batch has another name.
    found = sorted(folder.glob("*.pb")) if folder.is_dir() else []
    return [path for path in found if path.is_file() and not path.is_symlink()][:_AT_ONCE]


def _finish(home: Home, path: Path, refused: Sequence[Rejected]) -> None:
    if refused:
        keep_rejected(Lake(home.private / "lake"), refused, ArrivalCounts())
        path.rename(path.with_suffix(".refused"))
    else:
        path.unlink()

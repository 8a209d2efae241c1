"""Lists of a home that only grow, one JSON object a line: signatures, exports, withdrawals, the audit.

Comes in: a file and rows. Goes out: the rows, the oldest first. A row is there once `append` returns; one that was cut off by a
kill or a full disk was never there, and the next append takes its place.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dagster_project.errors import HomeError


def append(path: Path, rows: Iterable[Mapping[str, object]], *, mode: int = 0o644) -> None:
    """Add rows; a file that is not there is made with this mode."""
    text = "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows)
    with open(os.open(path, os.O_RDWR | os.O_CREAT, mode), "r+b") as file:  # noqa: PTH123 - by descriptor, for the mode
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(_end_of_last_line(file.read()))
        file.truncate()
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def rows_in(path: Path) -> list[dict[str, Any]]:
    """All rows; none where there is no file. Raises `HomeError` where a whole line is no row."""
    if not path.exists():
        return []
    data = path.read_bytes()
    found = []
    for number, line in enumerate(data[: _end_of_last_line(data)].splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError as fault:
            raise HomeError(_damaged(path, number)) from fault
        if not isinstance(row, dict):
            raise HomeError(_damaged(path, number))
        found.append(row)
    return found


def _end_of_last_line(data: bytes) -> int:
    """Where the last whole line ends."""
    return data.rfind(b"\n") + 1


def _damaged(path: Path, number: int) -> str:
    return f"line {number} of {path} is damaged; restore it from a backup"

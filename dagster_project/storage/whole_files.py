"""Files that are whole or not there, also where the power fails.

Comes in: a path and what to write. Goes out: the file, in one step. What a killed process was writing stays beside it, hidden (`.NAME.….part`).
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside another one that takes its place, with its mode, where nothing is raised and it was written."""
    beside = _path_beside(path)
    try:
        yield beside
        if beside.exists():
            if path.exists():
                shutil.copymode(path, beside)
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_whole(path: Path, text: str, *, errors: str = "strict") -> None:
    """Replace a file by a text."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n", errors=errors)


def write_once(path: Path, text: str, *, mode: int) -> None:
    """Write a file that nobody else has made meanwhile; the first one to come wins, whole."""
    fresh = _path_beside(path)
    fresh.touch(mode=mode)
    try:
        fresh.write_text(text, encoding="utf-8")
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()


def _path_beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")

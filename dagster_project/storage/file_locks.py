"""Folders and files that one process writes at a time.

Comes in: a path, and for a file what to say to the second one. Goes out: the right to write, until the context or the process ends.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dagster_project.errors import InputError


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold a folder until the context ends; other processes that want it wait."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def sole_writer(path: Path, otherwise: str, *, remove: bool = False) -> Iterator[None]:
    """Hold a file, made where there is none; raises `InputError` at once where another process holds it."""
    while True:
        try:
            file = path.open("a", encoding="utf-8")
        except OSError as fault:
            raise InputError(f"{path} cannot be written: {fault.strerror}") from fault
        with file:
            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as fault:
                raise InputError(otherwise) from fault
            # Whoever held it before may have put another file in its place.
            if not path.exists() or not os.path.samestat(os.fstat(file.fileno()), path.stat()):
                continue
            try:
                yield
            finally:
                if remove:
                    path.unlink(missing_ok=True)
            return

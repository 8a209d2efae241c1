"""The locks of a home: one process at a time does what a lock is named after.

Comes in: a home and a name. Goes out: the lock, until the context or the process ends. Of a home in object storage they lie on this machine.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dagster_project.errors import HomeError
from dagster_project.home.layout import Home


@contextmanager
def lock(
    home: Home, name: str, *, on_wait: Callable[[str], None] | None = None, patience_s: float = 3600
) -> Iterator[None]:
    """Hold the home's lock of that name; `on_wait` hears once who holds it. It ends with its process, however that ends."""
    path = home.private / "locks" / f"{name}.lock"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with path.open("a+", encoding="ascii") as file:
        _acquire(file.fileno(), path, on_wait=on_wait, patience_s=patience_s)
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _acquire(
    handle: int, path: Path, *, on_wait: Callable[[str], None] | None, patience_s: float
) -> None:
    deadline = time.monotonic() + patience_s
    told = False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            if fault.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
                raise HomeError(f"cannot lock {path}: {fault.strerror}") from fault
        else:
            return
        if time.monotonic() > deadline:
            raise HomeError(
                f"{path.stem} of this home is still in use by {_holder(path)}; try again when it is done"
            )
        if not told and on_wait is not None:
            on_wait(_holder(path))
            told = True
        time.sleep(0.05)


def _holder(path: Path) -> str:
    return path.read_text(encoding="ascii") or "another process"

"""Folders of what is not done yet, such as raw data in between: gone when their work is done, and at the next start when their process was killed.

Comes in: the folder above, such as the private side's. Goes out: a folder for the length of a context, locked by its process. The lock ends with the process,
however that ends, so what nobody holds was left behind.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Final

from dagster_project.storage.file_locks import lock_folder

ASSEMBLE: Final = "assemble-"
EPISODES: Final = "episodes-"
REKEY: Final = "rekey-"
_PREFIXES: Final = (ASSEMBLE, EPISODES, REKEY)


@contextmanager
def scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder, readable by its owner only, removed at the end."""
    # Beside a removal, a folder that is made and not yet locked would look left behind.
    with lock_folder(parent):
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=prefix))
        handle = _try_lock(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def remove_abandoned(parent: Path, prefixes: Iterable[str] = _PREFIXES) -> int:
    """Remove the folders whose process is gone; returns how many."""
    removed = 0
    with lock_folder(parent):
        for prefix in prefixes:
            for folder in sorted(parent.glob(f"{escape(prefix)}*")):
                if not folder.is_dir() or folder.is_symlink():
                    continue
                handle = _try_lock(folder)
                if handle is not None:
                    shutil.rmtree(folder, ignore_errors=True)
                    os.close(handle)
                    removed += 1
    return removed


def _try_lock(folder: Path) -> int | None:
    """The handle that holds a folder; None where another process does, or where the file system knows no locks."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle

"""Faults at the command line's edge: any exception in, one sentence and an exit code out; never a traceback.

Exceptions of our own folders carry a sentence without user text. Everything else is named by type only, because a
foreign message may quote the data.
"""

import errno
import sqlite3
from dataclasses import dataclass

from dagster_project.errors import ProjectError
from dagster_project.fatal import exception_chain, is_full

_OURS = frozenset({"ingest", "redact", "synth", "environments", "dagster_project"})
_NO_DISK = "disk I/O error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What to tell the user."""

    sentence: str
    exit_code: int = 1


def fault_of(error: BaseException) -> Fault:  # noqa: PLR0911 - a table in code
    """The sentence and exit code for an exception."""
    if isinstance(error, KeyboardInterrupt):
        return Fault(sentence="interrupted; what was stored stays", exit_code=130)
    if isinstance(error, ProjectError):
        return Fault(sentence=str(error), exit_code=error.exit_code)
    if type(error).__module__.partition(".")[0] in _OURS:
        return Fault(sentence=str(error))
    if any(is_full(one) for one in exception_chain(error)):
        where = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
        return Fault(sentence=f"{where}the disk is full; free some space and run the command again")
    if isinstance(error, OSError):
        return Fault(sentence=_disk_sentence(error))
    if any(
        isinstance(one, sqlite3.Error) and _NO_DISK in str(one) for one in exception_chain(error)
    ):
        return Fault(
            sentence="the disk cannot be written: it is full or damaged; free some space and run the command again"
        )
    if isinstance(error, MemoryError):
        return Fault(sentence="not enough memory; close other programs or use a larger machine")
    return Fault(
        sentence=f"an unexpected fault ({type(error).__name__}); run again with --debug for details"
    )


def _disk_sentence(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return f"{where}permission denied; check who owns it"
    if error.errno == errno.EADDRINUSE:
        return "the port is in use; pass another with --port"
    return f"{where}{error.strerror or type(error).__name__}"

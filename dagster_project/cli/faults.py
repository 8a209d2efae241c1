"""Faults at the command line's edge: any exception in, one sentence and an exit code out; never a traceback.

Exceptions of our own folders carry a sentence without user text. Everything else is named by type only, because a
foreign message may quote the data.
"""

import errno
import sqlite3
from dataclasses import dataclass

from dagster_project.errors import ProjectError

_OURS = frozenset({"ingest", "redact", "synth", "environments", "dagster_project"})
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


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
    if isinstance(error, OSError):
        return Fault(sentence=_disk_sentence(error))
    if isinstance(error, sqlite3.Error) and "full" in str(error):
        return Fault(sentence="the disk is full; free some space and run the command again")
    if isinstance(error, MemoryError):
        return Fault(sentence="not enough memory; close other programs or use a larger machine")
    return Fault(
        sentence=f"an unexpected fault ({type(error).__name__}); run again with --debug for details"
    )


def _disk_sentence(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno in _FULL:
        return f"{where}the disk is full; free some space and run the command again"
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return f"{where}permission denied; check who owns it"
    if error.errno == errno.EADDRINUSE:
        return "the port is in use; pass another with --port"
    return f"{where}{error.strerror or type(error).__name__}"

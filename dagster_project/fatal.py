"""What stops everything: errors that a person has to settle first, or that are not the doing of the work at hand.

Comes in: an exception. Goes out: whether the work may go on without the unit that raised it. Imports nothing slow: the command line
asks it about every fault.
"""

import errno
import sqlite3
from collections.abc import Iterator
from typing import Final

from dagster_project.errors import ProjectError

_FOR_A_PERSON: Final = frozenset(
    {
        *("ingest.errors.StorageError", "redact.errors.RedactError", "synth.llm.LlmError"),
        *("synth.labels.policy.OutcomePolicyError", "synth.world_settings.WorldSettingsError"),
        "environments.rollout.errors.RolloutError",
    }
)
"""Errors with a sentence that says what to do; by name, because most of these modules are slow to import."""
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSED: Final = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
)
"""What the disk or the machine refuses, whatever is asked."""
_WRITERS: Final = frozenset({"_internal", "builtins", "deltalake", "duckdb", "pyarrow"})
_NO_SPACE: Final = "No space left on device"


def is_fatal(fault: BaseException) -> bool:
    """Whether everything has to stop."""
    if not isinstance(fault, Exception) or isinstance(fault, ProjectError | MemoryError):
        return True
    names = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(fault).__mro__}
    if names & _FOR_A_PERSON:
        return True
    if isinstance(fault, OSError) and fault.errno in _REFUSED:
        return True
    return any(is_full(one) or isinstance(one, sqlite3.Error) for one in exception_chain(fault))


def exception_chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and those that it wraps; SQLAlchemy keeps the database's own as `orig`."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        inner = getattr(one, "orig", None) or one.__cause__ or one.__context__
        one = inner if isinstance(inner, BaseException) else None


def is_full(error: BaseException) -> bool:
    """Whether it says that the disk is full: Delta Lake and Arrow tell of it in words only."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return True
    if isinstance(error, sqlite3.Error):
        return "full" in str(error)
    return type(error).__module__.partition(".")[0] in _WRITERS and _NO_SPACE in str(error)

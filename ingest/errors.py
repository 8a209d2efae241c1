"""Errors of the ingest stage.

IngestError
├── StorageError         the write-ahead log cannot be used
│   ├── StorageFull      the disk is full; free space and send again
│   └── StorageUnwritable  read-only, no permission, broken or foreign file
├── SourceUnreadable     a path that was asked for by name cannot be read
└── BodyRefused          a body breaks a limit or is not what it says it is

A bad record is no error: it becomes an `ingest.records.quarantine.Rejected`.
"""

from __future__ import annotations


class IngestError(Exception):
    """Anything the ingest stage raises on purpose; the message is one sentence without user text."""


class StorageError(IngestError):
    """The write-ahead log cannot be used; nothing that was stored before is lost."""


class StorageFull(StorageError):  # noqa: N818 - names the state, not the class of error
    """The disk under the write-ahead log is full."""


class StorageUnwritable(StorageError):  # noqa: N818 - names the state, not the class of error
    """The write-ahead log cannot be opened or written."""


class SourceUnreadable(IngestError):  # noqa: N818 - names the state, not the class of error
    """A file or folder that was asked for by name cannot be read."""


class BodyRefused(IngestError):  # noqa: N818 - names what happened
    """A body that breaks a limit or cannot be decoded at all."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        """A stable snake_case word to count by."""
        self.reason = reason
        """One sentence: what is wrong and what to do."""

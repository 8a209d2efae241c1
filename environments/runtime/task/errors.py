"""What can go wrong with a task set on disk.

    TaskSetError            somebody handed in a folder that cannot be used as it is
    ├── NotATaskSetError    no manifest, or files that the manifest names are missing or unreadable
    ├── ChangedFileError    a file is not what the manifest says
    ├── WrongVersionError   another version of the format
    └── NoSuchTaskError     the task set has no task of that id

`task_set` raises them; `main` prints them. What a policy does wrong is never an error: it is a tool result.
"""

from __future__ import annotations


class TaskSetError(Exception):
    """A task set that cannot be used as it is; the message is one sentence for a person."""


class NotATaskSetError(TaskSetError):
    """The folder is no task set, or not a whole one."""


class ChangedFileError(TaskSetError):
    """A file differs from the manifest's hash."""


class WrongVersionError(TaskSetError):
    """The folder was written in another version of the format."""


class NoSuchTaskError(TaskSetError):
    """The task set has no task of that id."""

"""The manifest of a task set: what is in the folder, with a hash of every file. Written last, so it marks a whole set.

Goes in and out: `manifest.json`. Not here: reading the files it names (`task_set`), writing them (`environments.export`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..document.codec import BadPartError, decode
from .attempt import Json
from .errors import NotATaskSetError, WrongVersionError
from .share import PAYS, PAYS_ALL
from .typed import record_json

TASK_SET_FORMAT: Final = "1"
MANIFEST: Final = "manifest.json"
TASKS: Final = "tasks.jsonl"
RECORDINGS: Final = "recordings.json"
"""Judges' replies by question key, where a rubric asks a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEntry:
    """What the manifest says of one task."""

    task_id: str
    task_version: str
    app: str
    world: str
    """Path of the world file."""
    rubric: str
    """Path of the file with rubric, solution and verification."""
    status: str
    """`accepted`, `needs_review` or `rejected`, as verification left it."""
    reasons: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values."""
        return record_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSetManifest:
    """The whole manifest."""

    name: str
    task_set_version: str
    """Hash over the hashes of all files: two sets with one version are the same set."""
    tasks: tuple[TaskEntry, ...]
    files: Mapping[str, str]
    """SHA-256 of every file by its path in the folder."""
    redaction: str
    """`on`, `off` (data declared free of personal data) or `unknown`."""
    provenance: Mapping[str, Json] = field(default_factory=dict)
    """Where it comes from and how well its graders agree, as handed in: for people."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many candidates did not come in, by reason."""
    splits: Mapping[str, Json] = field(default_factory=dict)
    """`tasks` (task id -> split), how they were made, and the `proof` that nothing leaks between them."""
    reward: str = PAYS_ALL
    """What every export of this set pays: `all` (all or nothing) or `share` (the weighted share)."""
    format: str = TASK_SET_FORMAT

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values; `from_json` reads it back."""
        return record_json(self)

    def split_of(self, task_id: str) -> str:
        """The task's split; empty if it is in none."""
        tasks = self.splits.get("tasks")
        return str(tasks.get(task_id, "")) if isinstance(tasks, Mapping) else ""

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> TaskSetManifest:
        """The manifest that `to_json` wrote."""
        found = value.get("format")
        if found != TASK_SET_FORMAT:
            raise WrongVersionError(
                f"this task set has format {found!r}, this runtime reads {TASK_SET_FORMAT!r}: "
                "use the runtime inside the task set, or export it again"
            )
        pays = value.get("reward", PAYS_ALL)
        if pays not in tuple(PAYS):
            raise WrongVersionError(
                f"this task set pays {pays!r}, this runtime knows {' and '.join(PAYS)}: "
                "use the runtime inside the task set, or export it again"
            )
        try:
            return decode(TaskSetManifest, value)
        except BadPartError as fault:
            raise NotATaskSetError(
                f"{MANIFEST} is not a manifest ({fault}): export the task set again"
            ) from fault

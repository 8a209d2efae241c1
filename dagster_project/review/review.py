"""The review: one thing a person said about an episode, a rubric, a check or a task. Never changed, only followed.

Goes in and out: rows of the table `reviews`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from environments.runtime.task.rubric import Rubric
from environments.runtime.values.canonical import digest

LABEL: Final = "label"
"""What the user of one episode got: `RESOLVED`, `UNRESOLVED` or `UNKNOWN`."""
RUBRIC: Final = "rubric"
"""A rubric in place of the derived one; the value is its hash, or empty: the derived one again."""
DECISION: Final = "decision"
"""`ACCEPT` or `REJECT` a task version, or empty: as the gate says."""
CHECK: Final = "check"
"""A check was read and found right; the value is its id."""
CAUSE: Final = "cause"
"""What went wrong in one failed episode: one of `PARTIES`, or empty: taken back; the document names step and agent."""

RESOLVED: Final = "resolved"
UNRESOLVED: Final = "unresolved"
UNKNOWN: Final = "unknown"
LABELS: Final[Mapping[str, bool | None]] = {RESOLVED: True, UNRESOLVED: False, UNKNOWN: None}

ACCEPT: Final = "accept"
REJECT: Final = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One statement of one person."""

    app: str
    review_id: str = ""
    kind: str
    """`LABEL`, `RUBRIC`, `DECISION`, `CHECK` or `CAUSE`."""
    task_id: str
    task_version: str
    """The version that was looked at."""
    episode_id: str = ""
    """For labels and causes: the clean episode."""
    value: str
    by: str
    """Who says so."""
    at: int
    """Nanoseconds since the epoch."""
    note: str = ""
    document: str = "{}"
    """More, as JSON text: the rubric and the hash of the derived one it replaces; the probes that were judged."""

    @property
    def content(self) -> dict[str, Any]:
        """The document as JSON values."""
        found = json.loads(self.document)
        return found if isinstance(found, dict) else {}

    @property
    def rubric(self) -> Rubric | None:
        """The rubric of a rubric review; None where it goes back to the derived one."""
        found = self.content.get("rubric") if self.kind == RUBRIC and self.value else None
        return None if found is None else Rubric.from_json(found)

    @property
    def base(self) -> str:
        """The hash of the derived rubric that a rubric review replaces."""
        return str(self.content.get("base", ""))


def with_id(review: Review) -> Review:
    """The review with its id, a hash over all it says."""
    parts = {name: getattr(review, name) for name in Review.__slots__ if name != "review_id"}
    return replace(review, review_id=digest(parts)[:32])

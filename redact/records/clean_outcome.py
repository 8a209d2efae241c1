"""The clean outcome: an outcome past the gate, joined to its clean episode. Only `redact.apply.scrub` makes one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingest.records.columns import schema_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanOutcome:
    """One statement about how a clean episode went."""

    app: str
    outcome_id: str
    episode_id: str
    """Of the clean episode."""
    name: str
    value: float | None = None
    label: str | None = None
    text: str | None = None
    correction: str | None = None
    by: str = "unknown"
    """One of `ingest.records.outcome.ANNOTATORS`."""
    at: int | None = None
    source: str = ""
    replaced: bool | None = None
    """Whether something else stands in the correction for a part of what was written; None where an earlier version wrote it."""


CLEAN_OUTCOME_SCHEMA: Final = schema_of(CleanOutcome, "app", "day")
"""The lake table `clean_outcomes`, partitioned like the episodes they belong to."""

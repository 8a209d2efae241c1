"""The quarantined record: input that cannot be used, kept with its reason so that nothing disappears silently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingest.records.columns import schema_of

MAX_KEPT_BODY: Final = 64 << 10
"""Bytes of a refused record that are kept."""


ROW: Final = "row"
"""What the place of a record in a table of outcomes begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """One record that could not be used. `reason` never holds text of the record itself."""

    source: str
    """The file's name or the receiver's request id."""
    position: str
    """Where in the source: `line 12`, `span 3 of request 7`; `row 12` is one of a table of outcomes."""
    code: str
    """A stable snake_case word to count by (`not_json`, `unknown_role`, `no_messages`, ...)."""
    reason: str
    """One sentence: what is wrong and what to do."""
    body: bytes
    """The record itself, kept in the private home; cut at `MAX_KEPT_BODY`."""
    app: str | None = None
    at: int = 0
    """Nanoseconds since the epoch when it was refused."""

    @property
    def is_outcome(self) -> bool:
        """Whether it is a row of a table of outcomes, and so no conversation."""
        return self.position.startswith(f"{ROW} ")


REJECTED_SCHEMA: Final = schema_of(Rejected)

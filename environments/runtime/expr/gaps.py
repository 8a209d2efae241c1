"""Why a tree has no value: a path that is not there, or state that nobody knows (Kleene's third value, with its reason).

Operations pass a gap on as they find it. A gap is told from every value by its type: `type(value) is Gap`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """In place of a value."""

    name: str
    reason: str = ""

    def __repr__(self) -> str:
        return self.name


MISSING: Final = Gap("missing")
"""A path leads nowhere, or an operand has the wrong type."""
UNKNOWN: Final = Gap("unknown")
"""The value depends on state that nobody knows."""

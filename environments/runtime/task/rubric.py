"""The rubric: a list of checks that decides what an attempt at one task is worth. Data only; `checks` evaluates it.

Two verdicts come from one rubric. *Reward* is what training pays: 0 if a required reward check fails, None if one is
None, else the weighted mean of the graded others (1 if there are none). *Agreement* predicts the outcome the user
would report, by the same formula over the checks whose role includes it. A task set may pay the weighted *share* of
its checks instead (`share`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

from ..document.codec import decode
from .attempt import Json
from .typed import record_json

RUBRIC_FORMAT: Final = "1"

AGREEMENT: Final = "agreement"
REWARD: Final = "reward"
BOTH: Final = "both"
SHARE: Final = "share"
"""Counts in the weighted share only (`share`): it never decides all-or-nothing, and predicts nothing."""

PASSES: Final = 0.5
"""A required check fails below this; deterministic checks score 0 or 1, judges may score between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One question about an attempt."""

    check_id: str
    fn: str
    """An entry of the function table in `checks`, or `judge`."""
    args: Mapping[str, Json] = field(default_factory=dict)
    """For `judge`: prompt, scale, and which evidence to look at."""
    role: str = BOTH
    """`AGREEMENT`, `REWARD`, `BOTH` or `SHARE`."""
    required: bool = False
    """A failed required check makes its verdict 0; where none fails, a required None makes it None."""
    positive: bool = True
    """Positive checks pay for something done; negative ones only gate (something bad was not done)."""
    weight: float = 1.0
    says: str = ""
    """What a person wrote beside it, or the rule that it stands for; what it asks follows from its kind (`checks.kinds`)."""
    support: int = 0
    """Resolved attempts that satisfy it."""
    counter: int = 0
    """Resolved attempts that do not, or unresolved ones that do."""
    origin: tuple[str, ...] = ()
    """Clean episode ids it was derived from."""

    def __post_init__(self) -> None:
        if not isfinite(self.weight):
            raise ValueError("a check's weight is a finite number")

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values."""
        return record_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """All checks of one task."""

    task_id: str
    checks: tuple[Check, ...]
    evidence: Mapping[str, Json] = field(default_factory=dict)
    """Where it comes from: attempts by label, ends with support and posterior, notes. For people."""
    format: str = RUBRIC_FORMAT

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values; `from_json` reads it back."""
        return record_json(self)

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Rubric:
        """The rubric that `to_json` wrote; fields that a later version added are ignored."""
        return decode(Rubric, value)

"""The verdict: what a rubric says of an attempt, with the evidence for each check."""

from __future__ import annotations

from dataclasses import dataclass

from .attempt import Json
from .typed import record_json


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What one check found."""

    check_id: str
    score: float | None
    """In [0, 1]; None is "not graded", a value of its own."""
    evidence: str
    """One sentence with what was looked at; never shown to the policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many of the checks that pay passed, for a person: 42 of 57. Never what training pays."""

    passed: int
    graded: int
    total: int

    @property
    def says(self) -> str:
        """As a person reads it: `42 of 57`, with what was not graded behind it."""
        return score_says(self.passed, self.graded, self.total)


def count_text(number: int, one: str, many: str = "") -> str:
    """A number with what is counted, as a person says it: `1 call`, `3 calls`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def score_says(passed: int, graded: int, total: int) -> str:
    """Counts of checks as a person reads them: `42 of 57`, or `42 of 57, 3 not graded`."""
    missing = f", {total - graded} not graded" if total > graded else ""
    return f"{passed} of {total}{missing}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Two verdicts of one rubric: what training pays, and what the user would have reported."""

    task_id: str
    task_version: str
    rubric: str
    """The rubric's hash: scores of two rubrics are never mixed."""
    reward: float | None
    """What the task set pays, in [0, 1]: `all_or_nothing` or `share`, as it was asked for. None is masked, never 0."""
    predicted: float | None
    """Agreement: >= 0.5 counts as resolved; None abstains."""
    reason: str
    """One sentence: which check decided, or why nothing could be said."""
    score: Score
    all_or_nothing: float | None = None
    """The reward where every required check must pass."""
    share: float | None = None
    """The weighted share of the checks that passed; None exactly where `all_or_nothing` is None."""
    checks: tuple[CheckResult, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values, for tables and reports."""
        return record_json(self)

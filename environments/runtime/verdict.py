"""The verdict: what a rubric says of an attempt, with the evidence for each check."""

from __future__ import annotations

from dataclasses import dataclass

from .attempt import Json


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
    """How many checks passed, for a person: 120/183. Never what training pays."""

    passed: int
    graded: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Two verdicts of one rubric: what training pays, and what the user would have reported."""

    task_id: str
    task_version: str
    rubric: str
    """The rubric's hash: scores of two rubrics are never mixed."""
    reward: float | None
    """In [0, 1]; None is masked, never 0."""
    predicted: float | None
    """Agreement: >= 0.5 counts as resolved; None abstains."""
    reason: str
    """One sentence: which check decided, or why nothing could be said."""
    score: Score
    checks: tuple[CheckResult, ...] = ()

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values, for tables and reports."""
        return {
            "task_id": self.task_id,
            "task_version": self.task_version,
            "rubric": self.rubric,
            "reward": self.reward,
            "predicted": self.predicted,
            "reason": self.reason,
            "score": {
                "passed": self.score.passed,
                "graded": self.score.graded,
                "total": self.score.total,
            },
            "checks": [
                {"check_id": c.check_id, "score": c.score, "evidence": c.evidence}
                for c in self.checks
            ],
        }

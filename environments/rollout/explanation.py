"""What a rollout keeps for people: its cause, its verdict check by check, and where nobody knew an answer.

In: an attempt, its verdict, the rubric. Out: an `Explanation`, whose parts go into the rollout's row as JSON text. A run
can then be read without its task set. Not here: which cause holds (`causes`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from environments.describe_check import describe
from environments.rollout.causes import Cause, Facts, cause_of
from environments.runtime.document.codec import BadPartError, decode
from environments.runtime.task.attempt import Attempt
from environments.runtime.task.rubric import BOTH, REWARD, Rubric
from environments.runtime.task.verdict import Verdict
from environments.runtime.values.json_text import json_or_none

_LONGEST: Final = 2_000
"""Characters of a check's sentence or evidence that are kept: evidence may quote what the policy wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedCheck:
    """One check of the rubric with what it found in this run."""

    check_id: str
    fn: str
    says: str
    """The check as a sentence."""
    role: str
    required: bool
    weight: float = 1.0
    score: float | None = None
    """In [0, 1]; None is not graded."""
    evidence: str = ""

    @property
    def decides(self) -> bool:
        """Whether the reward is null or 0 without it."""
        return self.required and self.role in {REWARD, BOTH}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a run earned what it earned."""

    cause: Cause
    checks: tuple[GradedCheck, ...]
    """In the rubric's order; none for a run that broke."""
    answers: tuple[tuple[str, str], ...]
    """Each call of the policy in order: its tool, and where the answer came from (`runtime.task.attempt`)."""
    unanswered: tuple[int, ...]
    """Messages, by their place in the conversation, in which the user says that they do not understand."""


def explain(
    attempt: Attempt, verdict: Verdict, rubric: Rubric, *, error: str | None = None
) -> Explanation:
    """Everything a person needs to see why; `error` is the fault that broke the run."""
    results = {result.check_id: result for result in verdict.checks}
    checks = tuple(
        GradedCheck(
            check_id=check.check_id,
            fn=check.fn,
            says=describe(check)[:_LONGEST],
            role=check.role,
            required=check.required,
            weight=check.weight,
            score=found.score,
            evidence=found.evidence[:_LONGEST],
        )
        for check in rubric.checks
        if error is None and (found := results.get(check.check_id)) is not None
    )
    whole = verdict.reward if verdict.all_or_nothing is None else verdict.all_or_nothing
    facts = Facts(
        reward=whole,
        reason=verdict.reason,
        stop_reason=attempt.stop_reason,
        error=error,
        unknown_answers=attempt.unknown_answers,
        user_unknown=attempt.user_unknown,
        undecided=undecided(checks),
    )
    return Explanation(
        cause=cause_of(facts),
        checks=checks,
        answers=tuple((c.name, c.result.source) for c in attempt.calls if not c.by_user),
        unanswered=attempt.unanswered,
    )


def undecided(checks: Iterable[GradedCheck]) -> tuple[str, ...]:
    """The functions of the checks that decide the reward and were not graded."""
    return tuple(check.fn for check in checks if check.decides and check.score is None)


def checks_text(checks: Sequence[GradedCheck]) -> str:
    """The checks as JSON text for a row; `checks_of` reads it back."""
    return json.dumps([asdict(check) for check in checks], ensure_ascii=False)


def checks_of(text: str | None) -> tuple[GradedCheck, ...]:
    """The checks of a row; none where the row is older than they are, or holds something else."""
    found = _parsed(text)
    return tuple(check for one in found if (check := _check(one)) is not None)


def _check(value: object) -> GradedCheck | None:
    try:
        return decode(GradedCheck, value)
    except BadPartError:
        return None


def answers_of(text: str | None) -> tuple[tuple[str, str], ...] | None:
    """Tool and source of each answer of a row; None where the row does not say."""
    if not text:
        return None
    pairs = [one for one in _parsed(text) if isinstance(one, list) and len(one) == 2]
    return tuple((str(tool), str(source)) for tool, source in pairs)


def unanswered_of(text: str | None) -> tuple[int, ...]:
    """The places of a row's turns that the user did not understand."""
    return tuple(one for one in _parsed(text) if isinstance(one, int))


def _parsed(text: str | None) -> list[Any]:
    found = json_or_none(text or "[]")
    return found if isinstance(found, list) else []

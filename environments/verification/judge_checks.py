"""The gate over a task with judge checks: replies are recorded, and asked for only where somebody hands in a judge.

In: what `environments.verify.verify` takes, the replies known, and a function that asks a judge. Out: the verification;
a task about whose attempts a reply is missing is not accepted, unless the check weighs in the share only. An attempt that another required check fails is not asked
about: no reply could pay it. What weighs in the share only is asked about the good attempt. Not here: how a judge is asked (`environments.judges`), where replies are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from environments.judges.question import Question, questions_of, that_decide
from environments.runtime.checks.table import evaluate
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import AGREEMENT, PASSES, Rubric
from environments.runtime.task.task import Task
from environments.search.found_cheats import FoundCheat
from environments.verification.material import OtherTasks
from environments.verify import ACCEPTED, NEEDS_REVIEW, Runner, Verification, verify

UNASKED: Final = "judge_not_asked"
"""Reason: a judge has not said yet what its checks make of the gate's attempts."""
WORDING: Final = "wording_is_the_work"
"""Reason: nothing but its wording tells a good text. A judge who read the reference settles it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSays:
    """A judge as the gate hears it."""

    replies: Mapping[str, Json]
    """What is recorded, by question key."""
    answer: Callable[[Sequence[Question]], Mapping[str, Json]] | None = None
    """Asks for more, and gives every reply there is then; None where nobody can be asked."""


def asks_a_judge(rubric: Rubric) -> bool:
    """Whether a rubric has judge checks."""
    return any(check.fn == "judge" for check in rubric.checks)


def verify_judged(  # noqa: PLR0913 - all that the gate is told
    candidate: Candidate,
    *,
    others: Sequence[Candidate] | OtherTasks,
    run: Runner,
    judge: JudgeSays,
    world_digest: str = "",
    found: Sequence[FoundCheat] = (),
) -> Verification:
    """Run every probe; ask about those that need a reply, and run them again, until nothing new is asked."""
    open_ends = [reason for reason in candidate.reasons if reason == WORDING]
    if asks_a_judge(candidate.rubric):
        kept = tuple(reason for reason in candidate.reasons if reason != WORDING)
        candidate = replace(candidate, reasons=kept)
    known = dict(judge.replies)
    tried: set[str] = set()
    while True:
        watch = _Watch(candidate.rubric, run)
        said = verify(
            candidate,
            others=others,
            run=watch,
            world_digest=world_digest,
            recordings=known,
            found=found,
        )
        missing = [one for key, one in watch.questions.items() if key not in known]
        fresh = [one for one in missing if one.key not in tried]
        if judge.answer is None or not fresh:
            waits = any(one.key in watch.deciding for one in missing)
            return _waiting(said, open_ends) if waits else said
        tried |= {one.key for one in fresh}
        known |= judge.answer(fresh)


class _Watch:
    """Makes attempts, and notes what a judge would have to say about them."""

    def __init__(self, rubric: Rubric, run: Runner) -> None:
        self._rubric = rubric
        self._run = run
        self._deciding = that_decide(rubric)
        self.questions: dict[str, Question] = {}
        self.deciding: set[str] = set()
        """Keys of questions without whose answer nothing is decided; the others weigh in the share only."""
        self._first = True

    def __call__(self, task: Task, actions: Sequence[Action]) -> Attempt:
        attempt = self._run(task, actions)
        if not _failed_already(self._rubric, attempt):
            decides = {one.key: one for one in questions_of(self._deciding, attempt)}
            self.deciding |= set(decides)
            self.questions |= decides
            if self._first:
                # The good attempt comes first; no answer to these can pay an attack.
                self.questions |= {one.key: one for one in questions_of(self._rubric, attempt)}
        self._first = False
        return attempt


def _failed_already(rubric: Rubric, attempt: Attempt) -> bool:
    """Whether a required check without a judge fails for reward: no reply can change that."""
    verdict = evaluate(rubric, attempt, task_version="")
    return any(
        check.required
        and check.role != AGREEMENT
        and result.score is not None
        and result.score < PASSES
        for check, result in zip(rubric.checks, verdict.checks, strict=True)
    )


def _waiting(found: Verification, open_ends: Sequence[str]) -> Verification:
    status = NEEDS_REVIEW if found.status == ACCEPTED else found.status
    reasons = dict.fromkeys((*open_ends, UNASKED, *found.reasons))
    return replace(found, status=status, reasons=tuple(reasons))

"""The questions that a rubric has for a judge about one attempt.

In: a rubric and an attempt. Out: questions, each under the key by which the runtime finds its recorded reply. Not here:
how they are asked (`batch`, `ask`), how replies are graded (`environments.runtime.checks.judge`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.checks.judge import evidence_of, question_key, scale_of
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Attempt
from environments.runtime.task.rubric import SHARE, Rubric
from environments.runtime.task.share import PAYS_ALL, PAYS_SHARE

MOST_CHARACTERS: Final = 60_000
"""Evidence beyond this is not asked about: half a transcript would be judged as if it were all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One judge check on exactly one evidence."""

    key: str
    """Hash over check and evidence: the name of the reply."""
    prompt: str
    low: float
    high: float
    evidence: tuple[str, ...]


def that_decide(rubric: Rubric, pays: str = PAYS_ALL) -> Rubric:
    """The rubric without the checks that change nothing of what is paid: those of the share, where all or nothing is."""
    if pays == PAYS_SHARE:
        return rubric
    return replace(rubric, checks=tuple(c for c in rubric.checks if c.role != SHARE))


def questions_of(rubric: Rubric, attempt: Attempt) -> tuple[Question, ...]:
    """Every judge check of the rubric, about this attempt."""
    view = View(attempt)
    found: list[Question] = []
    for check in rubric.checks:
        prompt = check.args.get("prompt")
        if check.fn != "judge" or not isinstance(prompt, str):
            continue
        evidence = tuple(evidence_of(check.args, view))
        if sum(map(len, evidence)) <= MOST_CHARACTERS:
            low, high = scale_of(check.args.get("scale"))
            key = question_key(check.check_id, check.args, view)
            found.append(Question(key=key, prompt=prompt, low=low, high=high, evidence=evidence))
    return tuple(found)

"""Words that a grader need not ask for: without them every cheat that the gate knows is still unpaid.

In: candidates of an app, and a runner in its world. Out: a candidate without its check on the words that recorded good attempts share, where
the gate accepts the task without it. One or two attempts show their own wording; other words may be as good. Not here: the gate (`verify`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from environments.runtime.task.candidate import Candidate
from environments.runtime.task.rubric import REWARD
from environments.verification.material import OtherTasks
from environments.verify import ACCEPTED, Runner, verify

WORDS: Final = "said"
"""The check that asks for words of an explanation."""


def without_needless_words(one: Candidate, *, others: OtherTasks, run: Runner) -> Candidate:
    """The candidate without its required check on words if the gate accepts it so, else as it is."""
    checks = tuple(c for c in one.rubric.checks if c.fn != WORDS or c.role != REWARD)
    if not one.solution or len(checks) == len(one.rubric.checks):
        return one
    free = replace(one, rubric=replace(one.rubric, checks=checks))
    return free if verify(free, others=others, run=run).status == ACCEPTED else one

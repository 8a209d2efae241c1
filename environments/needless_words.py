"""Words that a grader need not ask for: without them every cheat that the gate knows is still unpaid.

In: candidates of an app, and a runner in its world. Out: a candidate without its check on the words that recorded good attempts share, where
the gate accepts the task without it. One or two attempts show their own wording; other words may be as good. Where nothing is done but to
decline, that it cannot be done stays asked for, in any words. Not here: the gate (`verify`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.checks.view import DECLINED, DECLINES
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import REWARD, Check
from environments.verification.material import OtherTasks
from environments.verify import ACCEPTED, Runner, verify

WORDS: Final = "said"
"""The check that asks for words of an explanation."""


def without_needless_words(one: Candidate, *, others: OtherTasks, run: Runner) -> Candidate:
    """The candidate without its required check on words if the gate accepts it so, else as it is."""
    checks = tuple(free for c in one.rubric.checks for free in _freed(c, one))
    if not one.solution or checks == one.rubric.checks:
        return one
    free = replace(one, rubric=replace(one.rubric, checks=checks))
    return free if verify(free, others=others, run=run).status == ACCEPTED else one


def _freed(check: Check, one: Candidate) -> tuple[Check, ...]:
    """The check without its words; nothing where it asks for words alone."""
    if check.fn != WORDS or check.role != REWARD:
        return (check,)
    if not _only_declines(one):
        return ()
    return (replace(check, args={"words": [], "declines": True}, says=DECLINED),)


def _only_declines(one: Candidate) -> bool:
    """Whether every resolved attempt says that it cannot be done, and no act stands for that."""
    acts = any(c.fn == "acted" and c.required for c in one.rubric.checks)
    resolved = [a for a in one.attempts if a.resolved]
    return not acts and bool(resolved) and all(_declines(a.actions) for a in resolved)


def _declines(actions: Sequence[Action]) -> bool:
    """Whether what is said after the last call says so: `I cannot find it on this page` is no answer."""
    last = max((at for at, one in enumerate(actions) if one.get("tool_calls")), default=-1)
    return any(DECLINES.search(str(one.get("content") or "")) for one in actions[last + 1 :])

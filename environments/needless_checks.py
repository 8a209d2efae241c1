"""Checks that a grader need not have: without them every cheat that the gate knows is still unpaid.

In: candidates of an app, and a runner in its world. Out: a candidate without its check on the words that recorded good attempts share,
without the texts of records that it asks for beside a count, and without the look-ups that they share where a figure is told, where the gate accepts the task so. One or two attempts show their own wording and
their own way; others may be as good. Where nothing is done but to decline, that it cannot be done stays asked for, in any words.
Not here: the gate (`verify`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.checks.view import DECLINES, objects_of
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import REWARD, Check
from environments.verification.material import OtherTasks
from environments.verify import ACCEPTED, Runner, verify

WORDS: Final = "said"
"""The check that asks for words of an explanation."""
LOOKS: Final = "read"
"""The check that asks for one of the look-ups that resolved attempts share."""
COUNTS: Final = "small_numbers_told"
"""The check that asks for the counts that they tell."""
SOME: Final = "told_some"
"""The check that asks for enough of what they tell: figures, or else texts of records."""
FIGURES: Final = frozenset({"told", SOME})
"""Checks that ask for what was found: who tells a figure has found it, by whichever look-ups; words can be guessed."""


def without_needless_checks(one: Candidate, *, others: OtherTasks, run: Runner) -> Candidate:
    """The candidate without its required words, then without its texts, and then without its required look-ups, as far as the gate accepts it so."""
    if not one.solution:
        return one
    for without in (_without_words, _without_texts, _without_looks):
        checks = without(one)
        if checks == one.rubric.checks:
            continue
        free = replace(one, rubric=replace(one.rubric, checks=checks))
        if verify(free, others=others, run=run).status == ACCEPTED:
            one = free
    return one


def _without_words(one: Candidate) -> tuple[Check, ...]:
    return tuple(free for c in one.rubric.checks for free in _freed(c, one))


def _without_texts(one: Candidate) -> tuple[Check, ...]:
    """Without the texts of records (`status: planned`) that it asks for beside a count: they are the words of one attempt."""
    checks = one.rubric.checks
    if not any(c.fn == COUNTS and c.required for c in checks):
        return checks
    return tuple(c for c in checks if c.fn != SOME or c.role != REWARD or _asks_for_a_figure(c))


def _without_looks(one: Candidate) -> tuple[Check, ...]:
    checks = one.rubric.checks
    if not any(c.required and _asks_for_a_figure(c) for c in checks):
        return checks
    return tuple(c for c in checks if c.fn != LOOKS or c.role != REWARD)


def _asks_for_a_figure(check: Check) -> bool:
    facts = objects_of(check.args, "facts")
    return check.fn in FIGURES and all(fact.get("kind") != "text" for fact in facts)


def _freed(check: Check, one: Candidate) -> tuple[Check, ...]:
    """The check without its words; nothing where it asks for words alone."""
    if check.fn != WORDS or check.role != REWARD:
        return (check,)
    if not _only_declines(one):
        return ()
    return (replace(check, args={"words": [], "declines": True}),)


def _only_declines(one: Candidate) -> bool:
    """Whether every resolved attempt says that it cannot be done, and no act stands for that."""
    acts = any(c.fn == "acted" and c.required for c in one.rubric.checks)
    resolved = [a for a in one.attempts if a.resolved]
    return not acts and bool(resolved) and all(_declines(a.actions) for a in resolved)


def _declines(actions: Sequence[Action]) -> bool:
    """Whether what is said after the last call says so: `I cannot find it on this page` is no answer."""
    last = max((at for at, one in enumerate(actions) if one.get("tool_calls")), default=-1)
    return any(DECLINES.search(str(one.get("content") or "")) for one in actions[last + 1 :])

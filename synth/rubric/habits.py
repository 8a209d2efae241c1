"""Faults of process that users of one app do not forgive, learnt from all its labelled attempts.

In: the facts of all attempts. Out: names of faults that hardly any resolved attempt has and many unresolved ones do:
doing nothing at all, changing something that the user had not agreed to, making one call over and over. Where resolved
attempts have them too (confirmation makes no difference to many apps' outcomes), nothing is learnt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import Final

from environments.runtime.attempt import Json
from environments.runtime.check_calls import called, confirmed, repeats_at_most
from environments.runtime.check_view import View
from environments.runtime.rubric import BOTH, Check
from synth.rubric.facts import Facts
from synth.rubric.tool_kinds import MAYBE, WRITE, ToolKinds

IDLE: Final = "called"
UNCONFIRMED: Final = "confirmed"
LOOP: Final = "repeats_at_most"

FORGIVEN: Final = 0.1
"""Share of resolved attempts among those with a fault up to which users do not forgive it."""
CHANCE: Final = 0.01
"""Probability up to which the contrast is not an accident."""
SAME_CALL: Final = 3
SAYS: Final[Mapping[str, str]] = {
    IDLE: "Something is done: at least one call answers.",
    UNCONFIRMED: "The user agrees before anything is changed.",
    LOOP: f"No call is made more than {SAME_CALL} times.",
}


def faults_of(attempt: Facts, kinds: ToolKinds) -> frozenset[str]:
    """The faults of process that one attempt has."""
    view = View(attempt.recorded.attempt)
    scores = {
        IDLE: called(_args(IDLE, kinds), view, ""),
        UNCONFIRMED: confirmed(_args(UNCONFIRMED, kinds), view, ""),
        LOOP: repeats_at_most(_args(LOOP, kinds), view, ""),
    }
    return frozenset(name for name, (score, _) in scores.items() if score == 0.0)


def unforgiven(attempts: Sequence[Facts], kinds: ToolKinds) -> frozenset[str]:
    """Faults that this app's users do not forgive."""
    labelled = [a for a in attempts if a.resolved is not None]
    good = sum(a.resolved is True for a in labelled)
    faults = [(a.resolved is True, faults_of(a, kinds)) for a in labelled]
    found: set[str] = set()
    for name in (IDLE, UNCONFIRMED, LOOP):
        with_it = [resolved for resolved, mine in faults if name in mine]
        share = sum(with_it) / len(with_it) if with_it else 1.0
        accident = _accident(len(labelled), good, len(with_it), sum(with_it))
        if share <= FORGIVEN and accident <= CHANCE:
            found.add(name)
    return frozenset(found)


def habit_checks(good: Sequence[Facts], faults: frozenset[str], kinds: ToolKinds) -> list[Check]:
    """Required negative checks against the faults that no resolved attempt at this task has."""
    own = frozenset[str]().union(*(faults_of(a, kinds) for a in good))
    return [
        Check(
            check_id=name,
            fn=name,
            args=_args(name, kinds),
            role=BOTH,
            required=True,
            positive=False,
            says=SAYS[name],
            support=len(good),
        )
        for name in sorted(faults - own)
    ]


def _args(name: str, kinds: ToolKinds) -> dict[str, Json]:
    tools: Sequence[str] = sorted({*kinds.of(WRITE), *kinds.of(MAYBE)})
    return {
        IDLE: {"least": 1},
        UNCONFIRMED: {"tools": list[Json](tools)},
        LOOP: {"most": SAME_CALL},
    }[name]


def _accident(total: int, good: int, drawn: int, good_drawn: int) -> float:
    """How probable so few resolved attempts among those with the fault are, if the fault made no difference."""
    if not drawn:
        return 1.0
    ways = sum(comb(good, k) * comb(total - good, drawn - k) for k in range(good_drawn + 1))
    return ways / comb(total, drawn)

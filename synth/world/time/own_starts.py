"""Own starts: apps of which every subject has a copy of its own, a sandbox for each task or an account for each customer.

Comes in: observations. Comes out: whether equal calls after equal pasts are always answered alike for one subject, and otherwise for
another; or were never compared. Such an app neither starts all episodes alike nor lives on: all its tools take the subject as
an argument. Not here: single tools that answer for whoever is signed in (`views.implicit_subject`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from synth.world.grouping import sets_by_key
from synth.world.observation import History, Observation, every_call
from synth.world.support import (
    HARDLY_EVER,
    SEEN_FOUR_TIMES,
    SEEN_MANY_TIMES,
    SEEN_OFTEN,
    SEEN_THRICE,
    SEEN_TWICE,
    SEEN_VERY_OFTEN,
    Support,
    accept,
)
from synth.world.time.equal_pasts import equal_pasts

MIN_WITHIN: Final = SEEN_MANY_TIMES
"""Pairs of one subject, all alike: where a backend lives on, one of ten differs."""
MIN_CONTESTED: Final = SEEN_FOUR_TIMES
"""Those among them of tools that answered subjects differently."""
MIN_DIFFERENT: Final = SEEN_TWICE
"""Pairs of different subjects that differ, and the share of all such pairs."""
MIN_SHARE: Final = HARDLY_EVER
MIN_SAME: Final = SEEN_TWICE
"""Pairs of two subjects that agree about a state that changes: they share it."""
MIN_UNCOMPARED: Final = SEEN_VERY_OFTEN
"""Pairs of one subject where no pair of two subjects says anything: their starts may differ or not."""
MAX_EQUAL: Final = SEEN_THRICE
"""Pairs of two subjects that agree, none of which differs: so many say that the start is shared. Of starts of their own the first would differ."""
MIN_SUBJECTS: Final = SEEN_OFTEN
"""Subjects, before it says something that no two of them were comparable."""
MIN_CHANGING: Final = SEEN_TWICE
"""Calls that were answered otherwise at some time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStarts:
    """What says that subjects begin in states of their own: calls after the very same calls, compared."""

    within: int
    """Alike, of one subject's episodes."""
    alike: int
    """Alike, of two subjects."""
    different: int
    """Unlike, of two subjects; none: no two subjects could be compared."""


@dataclass(slots=True)
class _Pairs:
    """Calls after the very same calls, compared with the last such one of the same subject, and of another."""

    within: Counter[str] = field(default_factory=Counter)
    """Per tool: alike."""
    broken: Counter[str] = field(default_factory=Counter)
    """Per tool: unlike, for one subject."""
    same: int = 0
    """Alike for two subjects, of tools that answered some call otherwise at some time: what they say depends on a state."""
    equal: int = 0
    """Alike for two subjects, of tools that never did."""
    different: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    """Those of calls with arguments."""

    def add(self, seen: Observation, own: Observation | None, other: Observation | None) -> None:
        """One more call."""
        if own is not None:
            (self.within if own.content == seen.content else self.broken)[seen.tool] += 1
        if other is not None and other.content != seen.content:
            self.different[seen.tool] += 1
            self.told[seen.tool] += bool(seen.arguments)


def infer_own_starts(histories: Sequence[History]) -> OwnStarts | None:
    """Whether every subject has a start of its own, or may have for all that is known; None: they share one."""
    told = sets_by_key(((seen.tool, seen.key), seen.content) for seen in every_call(histories))
    pairs = _compared(histories, told)
    # Of a tool that never says the same twice (a clock, dice) nothing is learnt.
    if any(pairs.within[tool] for tool in pairs.broken):
        return None
    steady = {tool for tool in pairs.different if pairs.within[tool]}
    different = sum(pairs.different[tool] for tool in steady)
    found = OwnStarts(
        within=pairs.within.total(), alike=pairs.same + pairs.equal, different=different
    )
    differs = Support(cases=different, against=found.alike)
    if accept(differs, least=MIN_DIFFERENT, share=MIN_SHARE):
        # What is asked without arguments may be whoever's is signed in, of records that all share.
        if not any(pairs.told[tool] for tool in steady):
            return None
        contested = sum(pairs.within[tool] for tool in steady)
        return found if found.within >= MIN_WITHIN and contested >= MIN_CONTESTED else None
    # Where nothing is ever answered otherwise, there is no state that starts could differ in.
    changing = sum(len(contents) > 1 for contents in told.values())
    compared = (
        pairs.same >= MIN_SAME or different or pairs.equal >= MAX_EQUAL or changing < MIN_CHANGING
    )
    compared = compared or len({h.subject for h in histories}) < MIN_SUBJECTS
    return found if not compared and found.within >= MIN_UNCOMPARED else None


def _compared(histories: Sequence[History], told: dict[tuple[str, str], set[str]]) -> _Pairs:
    out = _Pairs()
    changing = {tool for (tool, _), contents in told.items() if len(contents) > 1}
    for pair in equal_pasts(histories):
        seen, other = pair.seen, pair.other
        out.add(seen, pair.own, other)
        if other is not None and other.content == seen.content:
            if seen.tool in changing:
                out.same += 1
            else:
                out.equal += 1
    return out

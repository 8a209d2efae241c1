"""Change points: one point in time before which something was always so, and after which it never was again.

Comes in: flags in order of time, each with the task that it belongs to. Comes out: where they turn, if they turn exactly once
and chance hardly orders them so. The test is exact: of all orders of these tasks only one (or its mirror) is sorted, so the
chance is one in "tasks choose tasks after". Not here: what the flags mean (`drift`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

from synth.world.support import CHANCE_AMONG_MANY, SEEN_SEVERAL_TIMES

MIN_SIDE: Final = SEEN_SEVERAL_TIMES
"""Different tasks on either side: attempts at one task are one example."""
MIN_ODDS: Final = round(1 / CHANCE_AMONG_MANY)
"""One in this many orders of the tasks is sorted like that by chance; hundreds of things are tested per app."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """Whether one observation had a trait."""

    at: int
    """Nanoseconds since the epoch."""
    task: str
    held: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Where a trait turned."""

    last_old: int
    first_new: int
    """Moments of the last observation before and of the first one after, ns."""
    before: int
    after: int
    """Different tasks on either side."""
    appears: bool
    """Whether the trait is there after the turn, and not before."""


def find_split(
    flags: Iterable[Flag], *, min_side: int = MIN_SIDE, min_odds: int = MIN_ODDS
) -> Split | None:
    """The one turn of a trait; None where it never turns, turns back, or may have turned by chance."""
    ordered = sorted(flags, key=lambda f: f.at)
    turns = [i for i in range(1, len(ordered)) if ordered[i].held is not ordered[i - 1].held]
    if len(turns) != 1:
        return None
    old, new = ordered[: turns[0]], ordered[turns[0] :]
    if old[-1].at == new[0].at:
        return None
    before, after = tasks_of(old), tasks_of(new)
    if min(before, after) < min_side or comb(before + after, after) < min_odds:
        return None
    return Split(
        last_old=old[-1].at,
        first_new=new[0].at,
        before=before,
        after=after,
        appears=new[0].held,
    )


def tasks_of(flags: Sequence[Flag]) -> int:
    """How many different tasks they are of."""
    return len({f.task for f in flags})

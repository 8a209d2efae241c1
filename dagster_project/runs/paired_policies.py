"""Two policies paired by task: the difference with its interval, an exact test, and whether that is enough to tell.

Comes in: what each earned at each task, in one order. Goes out: `PairedDifference`. Tasks are the units: several rollouts at one task are
one mean. Pure; every draw has the same seed.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any, Final

import numpy as np

DRAWS: Final = 10_000
"""Of the bootstrap, and of the test where there are too many signs to go through."""
LEVEL: Final = 0.95
FEWEST: Final = 6
"""Of fewer tasks that differ no two-sided exact test at 5 % can say anything: 2 / 2 ** 5 is 6 %."""
MOST_EXACT: Final = 20
"""Tasks that differ of which every choice of signs is gone through: a million sums, 20 ms."""
EXACT: Final = "exact"
MONTE_CARLO: Final = "monte_carlo"

_SEED: Final = 0
_EQUAL: Final = 1e-9
"""Means that differ by less are the same: sums of the same rewards in another order."""
_AT_ONCE: Final = 1 << 21
"""Numbers drawn at once: 16 MiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """What B earns more than A, over the tasks of both."""

    tasks: int
    mean_a: float | None
    """Mean over tasks of the mean reward at each; None without a task, as everything that follows from it."""
    mean_b: float | None
    difference: float | None
    """B minus A."""
    low: float | None
    """Of the 95 % interval: percentiles of the bootstrap over tasks; None below two tasks."""
    high: float | None
    b_more: int
    """Tasks at which B earns more."""
    a_more: int
    p_value: float | None
    """Two-sided: how often signs given by luck make a mean difference as large."""
    test: str
    """`EXACT` (every choice of signs) or `MONTE_CARLO` (10,000 drawn ones)."""

    @property
    def differ(self) -> int:
        """Tasks at which they do not earn the same."""
        return self.a_more + self.b_more

    @property
    def doubt(self) -> str:
        """Why this is not enough to tell which is better, in words; empty where it is."""
        if self.differ == 0:
            return "no task tells them apart"
        if self.differ < FEWEST:
            return f"they differ at {self.differ} of {self.tasks} tasks, and fewer than {FEWEST} prove nothing"
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return "the interval holds 0"
        if self.p_value is None or self.p_value > 1 - LEVEL:
            return f"the interval leaves 0 out, but luck alone does as much with p = {self.p_value:.2g}"
        return ""

    @property
    def better(self) -> str:
        """`A` or `B`; empty where there are not enough tasks to tell."""
        if self.doubt or self.difference is None:
            return ""
        return "B" if self.difference > 0 else "A"

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {**asdict(self), "differ": self.differ, "better": self.better, "doubt": self.doubt}


def paired_difference(a: Sequence[float], b: Sequence[float]) -> PairedDifference:
    """Compare rewards task by task: `a[i]` and `b[i]` are what each earned at one task, in [0, 1].

    The order of the tasks must not depend on which is A: swapped, everything is the same with the other sign.
    """
    steps = np.array([y - x for x, y in zip(a, b, strict=True)], dtype=np.float64)
    steps[np.abs(steps) < _EQUAL] = 0.0
    low, high = _interval(steps)
    p_value, test = _sign_flips(steps[steps != 0])
    count = len(steps)
    return PairedDifference(
        tasks=count,
        mean_a=fsum(a) / count if count else None,
        mean_b=fsum(b) / count if count else None,
        difference=fsum(steps) / count if count else None,
        low=low,
        high=high,
        b_more=int((steps > 0).sum()),
        a_more=int((steps < 0).sum()),
        p_value=p_value if count else None,
        test=test,
    )


def _interval(steps: np.ndarray) -> tuple[float | None, float | None]:
    """The middle 95 % of the mean differences of tasks drawn with replacement."""
    count = len(steps)
    if count < 2:
        return None, None
    dice = np.random.default_rng(_SEED)
    means = np.empty(DRAWS)
    rows = max(1, _AT_ONCE // count)
    for start in range(0, DRAWS, rows):
        part = means[start : start + rows]
        part[:] = steps[dice.integers(count, size=(len(part), count))].mean(axis=1)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def _sign_flips(steps: np.ndarray) -> tuple[float, str]:
    """How often differences whose signs are luck sum up to as much, and how that was counted."""
    count = len(steps)
    seen = abs(float(steps.sum())) - _EQUAL * max(count, 1)
    if count <= MOST_EXACT:
        sums = np.zeros(1)
        for step in steps:
            sums = np.concatenate([sums - step, sums + step])
        return float((np.abs(sums) >= seen).mean()), EXACT
    dice = np.random.default_rng(_SEED)
    reached = 0
    rows = max(1, _AT_ONCE // count)
    for start in range(0, DRAWS, rows):
        size = (min(rows, DRAWS - start), count)
        sums = (2.0 * dice.integers(2, size=size) - 1.0) @ steps
        reached += int((np.abs(sums) >= seen).sum())
    # The differences as they were seen are one of the choices.
    return (reached + 1) / (DRAWS + 1), MONTE_CARLO

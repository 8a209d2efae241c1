"""Two policies on the same requests: shares with intervals, and whether the difference is more than luck."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import comb
from random import Random
from typing import Final

from dagster_project.tasks.shares import wilson

DRAWS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Before and after, on the same requests."""

    requests: int
    before: float
    before_interval: tuple[float, float]
    """Wilson, 95 %."""
    after: float
    after_interval: tuple[float, float]
    gained: int
    """Requests resolved only after."""
    lost: int
    difference: float
    difference_interval: tuple[float, float]
    """Bootstrap over requests, 95 %."""
    p_value: float
    """McNemar's exact test, two-sided."""

    def document(self) -> dict[str, object]:
        """As JSON."""
        return asdict(self)


def paired(before: Sequence[bool], after: Sequence[bool]) -> Paired:
    """Compare request by request."""
    count = len(before)
    gained = sum(b and not a for a, b in zip(before, after, strict=True))
    lost = sum(a and not b for a, b in zip(before, after, strict=True))
    steps = [int(b) - int(a) for a, b in zip(before, after, strict=True)]
    return Paired(
        requests=count,
        before=sum(before) / count,
        before_interval=wilson(sum(before) / count, count),
        after=sum(after) / count,
        after_interval=wilson(sum(after) / count, count),
        gained=gained,
        lost=lost,
        difference=sum(steps) / count,
        difference_interval=_bootstrap(steps),
        p_value=_mcnemar(gained, lost),
    )


def _bootstrap(steps: Sequence[int]) -> tuple[float, float]:
    dice, count = Random(0), len(steps)
    means = sorted(sum(dice.choices(steps, k=count)) / count for _ in range(DRAWS))
    return means[DRAWS // 40], means[-DRAWS // 40 - 1]


def _mcnemar(gained: int, lost: int) -> float:
    changed = gained + lost
    tail: int = sum(comb(changed, k) for k in range(min(gained, lost) + 1))
    return min(1.0, float(2 * tail / 2**changed))

"""What to expect of a task before any rollout, from attempts in production; and how far such estimates can be trusted.

Comes in: attempts with a known outcome, each with its task, its kind of task, steps and writes. Goes out: estimates,
and their calibration on attempts they had not seen. A task's own attempts count most, then those at its kind of task,
then the app's; length and writes move the estimate where they were seen to matter. Pure: no lake, no Dagster.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import log1p
from typing import Final, TypeAlias
from zlib import crc32

import numpy as np
import numpy.typing as npt

from dagster_project.difficulty.pass_rates import SAFE, Estimate, shifted_rate
from dagster_project.tasks.shares import wilson

Numbers: TypeAlias = npt.NDArray[np.float64]
FOLDS: Final = 5
BINS: Final = 5
ENOUGH: Final = 20
"""Attempts below which no calibration is given."""
STRENGTHS: Final = tuple(product((0.5, 1.0, 2.0, 5.0, 10.0, 30.0), (0.5, 1.0, 2.0, 5.0, 10.0)))
"""How many attempts the app counts for beside a kind, and the kind beside a task: chosen by what predicts best."""
_RIDGE: Final = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedAttempt:
    """One attempt in production whose outcome is known."""

    task_id: str
    kind: str
    resolved: bool
    steps: float
    """Assistant messages of the task's attempts, the median."""
    writes: float
    """Their calls of tools that change something, the median."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Attempts with similar estimates."""

    attempts: int
    expected: float
    resolved: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How estimates compare with outcomes they had not seen."""

    attempts: int
    brier: float
    brier_of_mean: float
    """The same score for always saying the mean: an estimate above it is worth nothing."""
    error: float
    """Expected calibration error over bins of equal size."""
    bins: tuple[Bin, ...]


class Estimator:
    """Estimates for one app."""

    def __init__(self, attempts: Sequence[TriedAttempt]) -> None:
        self._counts = counts = _Counts(attempts)
        seen = counts.rows_for(attempts)
        good = np.array([float(one.resolved) for one in attempts])
        self._strengths = best = min(STRENGTHS, key=lambda s: _loss(seen, good, s))
        self._length = _length(attempts, _rate(seen, best))

    def counting(self, counts: "_Counts") -> "Estimator":
        """The same settings over other counts."""
        other = Estimator.__new__(Estimator)
        other._counts, other._strengths, other._length = counts, self._strengths, self._length  # noqa: SLF001 - its own kind
        return other

    def estimate(self, task: TriedAttempt) -> Estimate | None:
        """What to expect of a task (its `resolved` is not looked at); None while no outcome is known at all."""
        if not self._counts.all[0]:
            return None
        rate = self._shifted_rate(self._counts.rate(task, self._strengths, itself=False), task)
        tried = int(self._counts.tasks[task.task_id][0])
        low, high = wilson(rate, tried + self._strengths[1])
        return Estimate(rate=rate, low=low, high=high, attempts=tried)

    def expect(self, one: TriedAttempt) -> float:
        """The estimate for an attempt that was counted, from all the others."""
        return self._shifted_rate(self._counts.rate(one, self._strengths), one)

    def _shifted_rate(self, rate: float, one: TriedAttempt) -> float:
        mean, weights = self._length
        shift = float(np.dot(weights, np.subtract(_shape(one), mean)))
        return shifted_rate(rate, shift)


class _Counts:
    """Attempts and resolved ones: in all, by kind, by task."""

    def __init__(self, attempts: Sequence[TriedAttempt]) -> None:
        self.all = [0.0, 0.0]
        self.kinds: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.tasks: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for one in attempts:
            for counts in (self.all, self.kinds[one.kind], self.tasks[one.task_id]):
                counts[0] += 1
                counts[1] += one.resolved

    def rate(
        self, one: TriedAttempt, strengths: tuple[float, float], *, itself: bool = True
    ) -> float:
        """The share resolved among the others; `itself` is False for a task rather than an attempt."""
        return float(_rate(self.rows_for([one], itself=itself), strengths)[0])

    def rows_for(self, attempts: Sequence[TriedAttempt], *, itself: bool = True) -> Numbers:
        """What is counted beside each attempt, a row each: app, kind and task, tried and resolved."""
        rows = []
        for one in attempts:
            own, alike = self.tasks[one.task_id], self.kinds[one.kind]
            tried, solved = (1, int(one.resolved)) if itself else (0, 0)
            rows.append(
                (
                    *(self.all[0] - tried, self.all[1] - solved),
                    *(alike[0] - own[0], alike[1] - own[1]),
                    *(own[0] - tried, own[1] - solved),
                )
            )
        return np.array(rows, dtype=float).reshape(-1, 6)


def _rate(seen: Numbers, strengths: tuple[float, float]) -> Numbers:
    """The share resolved, the task's own attempts beside its kind's, those beside the app's."""
    app = (seen[:, 1] + 1) / (seen[:, 0] + 2)
    kind = (seen[:, 3] + strengths[0] * app) / (seen[:, 2] + strengths[0])
    rate: Numbers = (seen[:, 5] + strengths[1] * kind) / (seen[:, 4] + strengths[1])
    return rate


def _loss(seen: Numbers, good: Numbers, strengths: tuple[float, float]) -> float:
    rate = np.clip(_rate(seen, strengths), SAFE, 1 - SAFE)
    return -float(np.sum(np.log(np.where(good > 0, rate, 1 - rate))))


def _length(attempts: Sequence[TriedAttempt], rates: Numbers) -> tuple[list[float], list[float]]:
    """How steps and writes move the odds: mean shape and weights of a ridge logistic regression on top of the rates."""
    if not attempts:
        return [0.0, 0.0], [0.0, 0.0]
    shapes = np.array([_shape(one) for one in attempts])
    mean = shapes.mean(axis=0)
    shapes -= mean
    safe = np.clip(rates, SAFE, 1 - SAFE)
    base = np.log(safe / (1 - safe))
    good = np.array([float(one.resolved) for one in attempts])
    weights = np.zeros(2)
    for _ in range(25):
        found = 1 / (1 + np.exp(-(base + shapes @ weights)))
        slope = shapes.T @ (good - found) - _RIDGE * weights
        bend = (shapes.T * (found * (1 - found))) @ shapes + _RIDGE * np.eye(2)
        weights += np.linalg.solve(bend, slope)
    return [float(m) for m in mean], [float(w) for w in weights]


def _shape(one: TriedAttempt) -> tuple[float, float]:
    return log1p(one.steps), float(one.writes)


def calibrate(attempts: Sequence[TriedAttempt]) -> Calibration | None:
    """Estimate every attempt by settings learnt from other tasks and counts without itself; None for too few."""
    if len(attempts) < ENOUGH:
        return None
    fold = [crc32(one.task_id.encode()) % FOLDS for one in attempts]
    pairs: list[tuple[float, float]] = []
    means: list[tuple[float, float]] = []
    counts = _Counts(attempts)
    for part in range(FOLDS):
        seen = [one for one, f in zip(attempts, fold, strict=True) if f != part]
        if not seen:
            continue
        learnt = Estimator(seen)
        learnt = learnt.counting(counts)
        mean = sum(one.resolved for one in seen) / len(seen)
        for one in (one for one, f in zip(attempts, fold, strict=True) if f == part):
            pairs.append((learnt.expect(one), float(one.resolved)))
            means.append((mean, float(one.resolved)))
    return compare(pairs, means)


def compare(
    pairs: Sequence[tuple[float, float]], means: Sequence[tuple[float, float]]
) -> Calibration:
    """Estimates beside what came out, each a pair; and the mean in place of the estimates."""
    bins = _bins(pairs)
    return Calibration(
        attempts=len(pairs),
        brier=_brier(pairs),
        brier_of_mean=_brier(means),
        error=sum(b.attempts * abs(b.expected - b.resolved) for b in bins) / max(1, len(pairs)),
        bins=bins,
    )


def _brier(pairs: Sequence[tuple[float, float]]) -> float:
    return sum((rate - good) ** 2 for rate, good in pairs) / max(1, len(pairs))


def _bins(pairs: Sequence[tuple[float, float]]) -> tuple[Bin, ...]:
    """Bins of equal size, from the lowest estimates to the highest."""
    ranked = sorted(pairs)
    size = -(-len(ranked) // BINS)
    parts = [ranked[i : i + size] for i in range(0, len(ranked), max(1, size))]
    return tuple(
        Bin(
            attempts=len(part),
            expected=sum(rate for rate, _ in part) / len(part),
            resolved=sum(good for _, good in part) / len(part),
        )
        for part in parts
    )

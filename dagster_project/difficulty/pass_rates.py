"""Difficulty: how often a task is solved, in production and by each policy that tried it, with intervals.

Comes in: recorded attempts with what their users said, and rollouts. Goes out: `TaskDifficulty`. A rate without attempts is not known,
never 0; rollouts without a grade do not count.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any, Final

from dagster_project.tasks.shares import wilson
from environments.runtime.task.candidate import Candidate
from environments.runtime.values.grouping import by_key

_FLAT = 1e-6
"""Rewards that differ by less give no advantage to learn from."""
SAFE: Final = 0.02
"""No estimate says never or always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often it went well."""

    tried: int
    solved: float
    """Sum of rewards, or resolved attempts."""
    rate: float | None
    low: float | None
    high: float | None
    """Wilson's 95 % interval; None while nothing was tried."""
    spread: float | None = None
    """Largest reward minus smallest; None below two attempts."""

    @property
    def flat(self) -> bool:
        """A group whose attempts all earned the same: it teaches nothing."""
        return self.spread is not None and self.spread < _FLAT


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What to expect before any rollout, from attempts in production."""

    rate: float
    low: float
    high: float
    attempts: int
    """Attempts at this task with a known outcome; the kind of task and the app speak for the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDifficulty:
    """One task version."""

    task_id: str
    task_version: str
    production: Rate
    policies: Mapping[str, Rate]
    steps: int | None
    """Actions of the known solution."""
    writes: int | None = None
    """Calls of the known solution whose tool was seen to change something."""
    kind: str = ""
    """Which tools its attempts call to change something."""
    estimate: Estimate | None = None


def difficulty_of(
    candidate: Candidate, version: str, rollouts: Iterable[Mapping[str, Any]]
) -> TaskDifficulty:
    """The difficulty of one task version, as far as its own attempts and rollouts tell."""
    rewards = by_key(
        (row["policy"], float(row["reward"]))
        for row in rollouts
        if row["task_version"] == version and row["reward"] is not None
    )
    judged = [float(a.resolved) for a in candidate.attempts if a.resolved is not None]
    return TaskDifficulty(
        task_id=candidate.task.task_id,
        task_version=version,
        production=rate_of(judged),
        policies={policy: rate_of(found) for policy, found in sorted(rewards.items())},
        steps=len(candidate.solution) or None,
    )


def rate_of(scores: Sequence[float]) -> Rate:
    """The mean of scores in [0, 1] with its interval."""
    tried, solved = len(scores), sum(scores)
    if not tried:
        return Rate(tried=0, solved=0.0, rate=None, low=None, high=None)
    share = solved / tried
    low, high = wilson(share, tried)
    spread = max(scores) - min(scores) if tried > 1 else None
    return Rate(tried=tried, solved=solved, rate=share, low=low, high=high, spread=spread)


def odds_of(rate: float) -> float:
    """The logit of a rate that says neither never nor always."""
    safe = min(max(rate, SAFE), 1 - SAFE)
    return log(safe / (1 - safe))


def chance(odds: float) -> float:
    """The rate with a logit."""
    return 1 / (1 + exp(-odds))


def shifted_rate(rate: float, shift: float) -> float:
    """A rate whose logit is moved; no estimate says never or always."""
    return min(max(chance(odds_of(rate) + shift), SAFE), 1 - SAFE)

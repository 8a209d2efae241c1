"""Rewards by reason and by policy, and which policies have no reward more often where they fail.

Comes in: rows of rollouts, without their conversations. Goes out: one `PolicyReasons` per policy. A run without a reward whose rubric
predicts that the user would report a failure is a failure. Of the others nobody knows how they would have ended: each counts as a failure
by the chance that this policy fails at that task, by its own graded rollouts of the task version; where it has none, by those of other
policies, moved to this policy's level.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import Any, Final

from dagster_project.difficulty.pass_rates import Estimate, TaskDifficulty, rate_of
from dagster_project.difficulty.policy_level import level, shift_estimate
from environments.rollout.causes import CAUSES, ERROR, FAILED, JUDGE, NULLS
from environments.runtime.task.rubric import PASSES
from environments.runtime.task.typed import record_json
from environments.runtime.values.grouping import by_key

COLUMNS: Final = ("rollout_id", "policy", "task_id", "task_version", "reward", "predicted", "cause")
"""What a row must hold."""
LEAST: Final = 0.01
"""Shares of null below this are not reported: they teach nothing."""
SURE: Final = 1.645
"""Standard deviations by which the shares must differ: 95 %, one-sided."""

_NOT_ITS_DOING: Final = frozenset({ERROR, JUDGE})
"""Causes that no policy can bring about: such rollouts say nothing about what it hides."""

Row = Mapping[str, Any]
_Version = tuple[str, str]
"""A task's id and version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyReasons:
    """What one policy's rollouts earned, and why the others earned nothing."""

    policy: str
    rollouts: int
    tasks: int
    graded: int
    mean_reward: float | None
    """Over graded rollouts; None where there is none."""
    reasons: Mapping[str, int]
    """Rollouts by the code of their cause, in the order of `CAUSES`; causes without a rollout are absent."""
    null_when_failing: float | None
    """Share of null among the rollouts that (are expected to) fail; None where none does."""
    null_when_succeeding: float | None
    hides: bool
    """Whether null is clearly more frequent where the policy fails than where it succeeds."""

    @property
    def null(self) -> int:
        """Rollouts that ended and have no reward."""
        return sum(self.reasons.get(code, 0) for code in NULLS if code != ERROR)

    @property
    def null_share(self) -> float:
        """The same as a share of the rollouts that ended."""
        ended = self.rollouts - self.reasons.get(ERROR, 0)
        return self.null / ended if ended else 0.0

    @property
    def null_shares(self) -> tuple[float | None, float | None, float | None]:
        """Of all rollouts that ended, of those that fail, of those that succeed."""
        return self.null_share, self.null_when_failing, self.null_when_succeeding

    def says(self) -> str:
        """What of a policy that hides its failures, in words; empty for others."""
        if not self.hides or self.null_when_failing is None:
            return ""
        if not self.graded:
            return "no run of it has a reward"
        failing = f"{self.null_when_failing:.0%} of its failing runs are null"
        if self.null_when_succeeding is None:
            return f"{failing}, and no run of it is rewarded"
        return f"{failing}, but {self.null_when_succeeding:.0%} of its successful ones"

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values, for a card and a report."""
        return record_json(self) | {"null": self.null, "null_share": self.null_share}


def count_causes(codes: Iterable[str]) -> dict[str, int]:
    """How many rollouts each cause has, in the order of `CAUSES`."""
    found = Counter(codes)
    return {code: found[code] for code in CAUSES if found[code]}


def by_policy(rows: Iterable[Row]) -> tuple[PolicyReasons, ...]:
    """Every policy's rewards by reason, in order of the policies' names."""
    groups = by_key((str(row["policy"]), row) for row in rows)
    rewards = {policy: _rewards(mine) for policy, mine in groups.items()}
    return tuple(_reasons_of_policy(policy, groups[policy], rewards) for policy in sorted(groups))


def _rewards(rows: Iterable[Row]) -> dict[_Version, list[float]]:
    return by_key((_version(row), _worth(row)) for row in rows if row["reward"] is not None)


def _worth(row: Row) -> float:
    """The reward of a graded run; a failed one is worth nothing, although a set that pays the share pays it a part."""
    return 0.0 if row["cause"] == FAILED else float(row["reward"])


def _version(row: Row) -> _Version:
    return str(row["task_id"]), str(row["task_version"])


def _reasons_of_policy(
    policy: str, rows: Sequence[Row], rewards: Mapping[str, Mapping[_Version, Sequence[float]]]
) -> PolicyReasons:
    graded = [float(row["reward"]) for row in rows if row["reward"] is not None]
    failing, succeeding, hides = _shares(rows, _expected(policy, rows, rewards))
    return PolicyReasons(
        policy=policy,
        rollouts=len(rows),
        tasks=len({row["task_id"] for row in rows}),
        graded=len(graded),
        mean_reward=fsum(graded) / len(graded) if graded else None,
        reasons=count_causes(row["cause"] for row in rows),
        null_when_failing=failing,
        null_when_succeeding=succeeding,
        hides=hides,
    )


def _expected(
    policy: str, rows: Iterable[Row], rewards: Mapping[str, Mapping[_Version, Sequence[float]]]
) -> dict[_Version, float]:
    """What the policy is expected to earn at each task version: nothing, where it never earned anything."""
    mine = rewards[policy]
    graded = [reward for found in mine.values() for reward in found]
    mean = fsum(graded) / len(graded) if graded else 0.0
    others = _of_others(policy, rewards) if mean > 0 else {}
    shift = level(
        (_compare_version(policy, one, others, mine) for one in sorted(mine) if one in others),
        policy,
    )
    expected: dict[_Version, float] = {}
    for one in {_version(row) for row in rows}:
        if one in mine:
            expected[one] = fsum(mine[one]) / len(mine[one])
        elif one in others:
            expected[one] = shift_estimate(fsum(others[one]) / len(others[one]), shift)
        else:
            expected[one] = mean
    return expected


def _of_others(
    policy: str, rewards: Mapping[str, Mapping[_Version, Sequence[float]]]
) -> dict[_Version, list[float]]:
    """Rewards of the other policies, those left out that earn the same everywhere: they do not tell tasks apart."""
    found: dict[_Version, list[float]] = defaultdict(list)
    for other, by_task in rewards.items():
        everything = [reward for some in by_task.values() for reward in some]
        if other != policy and everything and min(everything) < max(everything):
            for one, some in by_task.items():
                found[one] += some
    return found


def _compare_version(
    policy: str,
    one: _Version,
    others: Mapping[_Version, Sequence[float]],
    mine: Mapping[_Version, Sequence[float]],
) -> TaskDifficulty:
    """A task that the policy and others tried, as `policy_level` reads it."""
    rate = fsum(others[one]) / len(others[one])
    return TaskDifficulty(
        task_id=one[0],
        task_version=one[1],
        production=rate_of([]),
        policies={policy: rate_of(mine[one])},
        steps=None,
        estimate=Estimate(rate=rate, low=0.0, high=1.0, attempts=len(others[one])),
    )


def _shares(
    rows: Iterable[Row], expected: Mapping[_Version, float]
) -> tuple[float | None, float | None, bool]:
    """Share of null where the policy fails and where it succeeds, and whether the first is clearly larger."""
    ended = [row for row in rows if row["cause"] not in _NOT_ITS_DOING]
    runs = [(row["reward"] is None, _earns(row, expected)) for row in ended]
    fails, succeeds = fsum(1 - e for _, e in runs), fsum(e for _, e in runs)
    null_fails = fsum(1 - e for null, e in runs if null)
    null_succeeds = fsum(e for null, e in runs if null)
    failing = null_fails / fails if fails else None
    succeeding = null_succeeds / succeeds if succeeds else None
    if failing is None or failing < LEAST:
        return failing, succeeding, False
    if succeeding is None:
        return failing, None, True
    pooled = (null_fails + null_succeeds) / (fails + succeeds)
    spread = sqrt(pooled * (1 - pooled) * (1 / fails + 1 / succeeds))
    return failing, succeeding, failing - succeeding > SURE * spread


def _earns(row: Row, expected: Mapping[_Version, float]) -> float:
    """What a run earned, or would be expected to earn; nothing where its user would have reported a failure."""
    if row["reward"] is not None:
        return _worth(row)
    predicted = row["predicted"]
    failed = predicted is not None and predicted < PASSES
    return 0.0 if failed else expected[_version(row)]

"""The rollout: one attempt at a task by a policy, as a record and as a table row; and advantages within groups.

Free-form values are JSON text, because Arrow unifies the structs of different rows. A reward of None is masked
everywhere, never a 0. Not here: running (`engine`), writing tables (the lake).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from math import fsum, sqrt
from typing import Any, Final, NamedTuple

import pyarrow as pa

from environments.runtime.values.canonical import digest

LEAST_SPREAD: Final = 1e-6
"""Groups whose rewards differ by less teach nothing: their advantages are 0."""


class RolloutKey(NamedTuple):
    """What makes a rollout the same rollout when a run is started again."""

    task_id: str
    task_version: str
    policy: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """One attempt at a task by a policy."""

    app: str
    task_id: str
    task_version: str
    policy: str
    seed: int
    task_set_version: str
    reward: float | None
    """In [0, 1]; None is masked: not graded, or the run broke."""
    predicted: float | None
    reason: str
    passed: int
    graded: int
    total: int
    """`score` of the verdict: passed, graded, total."""
    stop_reason: str | None
    error: str | None = None
    """The infrastructure fault that broke the run; such a rollout is not done and may be run again."""
    trajectory: str
    """The whole conversation as JSON text."""
    opening: int
    """How many of its messages were there before the policy acted."""
    tools: str
    """Tool definitions as JSON text."""
    messages: int
    calls: int
    malformed: int
    unknown: int
    """Answers that nobody knew, tools and user together."""
    simulated: int = 0
    """Answers of tools that a model made up."""
    simulator: str | None = None
    """That model: a run is made again with its recorded replies."""
    user_model: str | None = None
    """The model that played the user, if one did: a run is made again with the user's turns as they stand in it."""
    user_unknown: int | None = None
    """Those of `unknown` that were turns of the user; None in rows that are older than this column."""
    cause: str
    """Why it earned this: a code of `causes`."""
    checks: str | None = None
    """The verdict check by check as JSON text (`explanation.checks_of`); None in older rows."""
    answers: str | None = None
    """The tool and the source of the answer of each call, in order, as JSON text (`explanation.answers_of`); None in older rows."""
    unanswered: str | None = None
    """Which messages of the trajectory say that the user did not understand, as JSON text; None in older rows."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    tokens: str | None = None
    """Token ids and logprobs of each action as JSON text, where the endpoint gives them."""
    started_at: int
    """Nanoseconds since the epoch."""
    seconds: float

    @property
    def key(self) -> RolloutKey:
        """What makes it the same rollout when a run is started again."""
        return RolloutKey(self.task_id, self.task_version, self.policy, self.seed)

    @property
    def is_known_failure(self) -> bool:
        """Whether it has no reward, and the user would all the same say that nothing was resolved."""
        return self.reward is None and self.error is None and self.predicted == 0.0

    @property
    def rollout_id(self) -> str:
        """Hash of the key."""
        return digest(list(self.key))[:32]

    @property
    def group_id(self) -> str:
        """Rollouts of one policy at one task version are a group: their rewards are compared."""
        return digest([self.task_id, self.task_version, self.policy])[:32]

    def to_row(self, advantage: float | None = None) -> dict[str, Any]:
        """A row of the lake table."""
        day = datetime.fromtimestamp(self.started_at / 1e9, UTC).date().isoformat()
        ids = {"rollout_id": self.rollout_id, "group_id": self.group_id}
        return asdict(self) | ids | {"day": day, "advantage": advantage}


def advantages(
    rollouts: Iterable[Rollout], *, known_failures: bool = False
) -> dict[str, float | None]:
    """Group-relative advantages by rollout id: (reward - mean) / deviation over the graded of a group, None for the rest.

    With `known_failures` a run without a reward that the user would call unresolved is a 0 of its group. Otherwise a policy that
    leaves what is known is told nothing, and goes on leaving it.
    """
    return advantages_of(
        (r.rollout_id, r.group_id, 0.0 if known_failures and r.is_known_failure else r.reward)
        for r in rollouts
    )


def advantages_of(rows: Iterable[tuple[str, str, float | None]]) -> dict[str, float | None]:
    """The same from rollout ids, group ids and rewards; the order of the rows changes nothing."""
    groups: dict[str, dict[str, float | None]] = defaultdict(dict)
    for rollout_id, group_id, reward in rows:
        groups[group_id][rollout_id] = reward
    return {k: v for group in groups.values() for k, v in _of_group(group).items()}


def _of_group(group: Mapping[str, float | None]) -> dict[str, float | None]:
    rewards = [reward for reward in group.values() if reward is not None]
    if not rewards:
        return dict.fromkeys(group)
    mean = fsum(rewards) / len(rewards)
    spread = sqrt(fsum((reward - mean) ** 2 for reward in rewards) / len(rewards))
    scale = 0.0 if spread < LEAST_SPREAD else 1 / spread
    return {k: None if r is None else (r - mean) * scale for k, r in group.items()}


_COLUMNS: Final[dict[str, pa.DataType]] = {
    "app": pa.string(),
    "day": pa.string(),
    "rollout_id": pa.string(),
    "group_id": pa.string(),
    "task_id": pa.string(),
    "task_version": pa.string(),
    "task_set_version": pa.string(),
    "policy": pa.string(),
    "seed": pa.int64(),
    "reward": pa.float64(),
    "predicted": pa.float64(),
    "advantage": pa.float64(),
    "reason": pa.string(),
    "passed": pa.int64(),
    "graded": pa.int64(),
    "total": pa.int64(),
    "stop_reason": pa.string(),
    "error": pa.string(),
    "trajectory": pa.string(),
    "opening": pa.int64(),
    "tools": pa.string(),
    "messages": pa.int64(),
    "calls": pa.int64(),
    "malformed": pa.int64(),
    "unknown": pa.int64(),
    "prompt_tokens": pa.int64(),
    "completion_tokens": pa.int64(),
    "cost": pa.float64(),
    "tokens": pa.string(),
    "started_at": pa.int64(),
    "seconds": pa.float64(),
    "simulated": pa.int64(),
    "simulator": pa.string(),
    "user_model": pa.string(),
    "user_unknown": pa.int64(),
    "cause": pa.string(),
    "checks": pa.string(),
    "answers": pa.string(),
    "unanswered": pa.string(),
}
ROLLOUT_SCHEMA: Final = pa.schema(_COLUMNS)
"""The lake table `rollouts`, partitioned by app and day (the UTC day of `started_at`, ISO format)."""

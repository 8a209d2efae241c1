"""Rollouts of a policy over a task set, kept in the lake of a home as they end.

Comes in: a task set's folder, a policy's name and settings. Goes out: rollouts in the lake and counts. Stopped at any
moment it goes on where it was: what is in the lake is not run again. Not here: the loop (`environments.rollout`).
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from dagster_project.judge_replies import JudgeChoice, judge_of, judge_says, keep_fresh
from dagster_project.lake import Lake
from dagster_project.rollout_store import done, keep
from environments.llm import LlmPolicy
from environments.rollout.endpoint import EndpointPolicy, EndpointSettings
from environments.rollout.engine import RolloutSettings, run_rollouts
from environments.rollout.policy import Policy
from environments.rollout.rollout import Rollout
from environments.rollout.scripted import scripted
from environments.runtime.task_set import TaskSet

_KEEP_EVERY_S: Final = 2.0
_KEEP_EVERY: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChoice:
    """Which policy acts."""

    name: str
    """A scripted policy, an endpoint's URL, or a model's name as litellm has it (`provider/model`)."""
    model: str = ""
    """The model behind a URL."""
    api_key: str = ""
    temperature: float | None = None


@dataclass(slots=True, kw_only=True)
class RolloutCounts:
    """What a run did."""

    policy: str = ""
    rollouts: int = 0
    graded: int = 0
    masked: int = 0
    failed: int = 0
    """Broken by a fault of the infrastructure; they are run again next time."""
    reward: float = 0.0
    before: int = 0
    """Rollouts that were there already."""
    judge: Mapping[str, object] = field(default_factory=dict)
    """What a judge was asked, and what became of it; empty without a judge."""

    def add(self, rollout: Rollout) -> None:
        """Count one more."""
        self.rollouts += 1
        self.failed += rollout.error is not None
        self.graded += rollout.reward is not None
        self.masked += rollout.reward is None and rollout.error is None
        self.reward += rollout.reward or 0.0

    @property
    def mean_reward(self) -> float | None:
        """Over graded rollouts; None while there is none."""
        return self.reward / self.graded if self.graded else None


async def roll_out(  # noqa: PLR0913 - what runs, where to, how, and who listens
    lake: Lake | None,
    folder: Path,
    choice: PolicyChoice,
    settings: RolloutSettings,
    *,
    judged_by: JudgeChoice | None = None,
    on_rollout: Callable[[Rollout, RolloutCounts], None] = lambda *_: None,
) -> RolloutCounts:
    """Run what is not in the lake yet; without a lake, everything."""
    task_set = TaskSet.load(folder)
    counts = RolloutCounts()
    async with AsyncExitStack() as stack:
        policy = await _policy(choice, task_set, stack)
        counts.policy = policy.name
        apps = {task.app for task in task_set.tasks}
        judge = judge_of(judged_by, lake, apps)
        there = done(lake, apps) if lake is not None else set()
        counts.before = sum(key.policy == policy.name for key in there)
        batch: list[Rollout] = []
        kept_at = time.monotonic()
        try:
            async for rollout in run_rollouts(task_set, policy, settings, done=there, judge=judge):
                counts.add(rollout)
                batch.append(rollout)
                on_rollout(rollout, counts)
                if len(batch) >= _KEEP_EVERY or time.monotonic() - kept_at > _KEEP_EVERY_S:
                    _keep(lake, batch)
                    keep_fresh(lake, judge)
                    kept_at = time.monotonic()
        finally:
            _keep(lake, batch)
            keep_fresh(lake, judge)
    counts.judge = judge_says(judge) if judged_by is not None else {}
    return counts


def _keep(lake: Lake | None, batch: list[Rollout]) -> None:
    if lake is not None and batch:
        keep(lake, batch)
    batch.clear()


async def _policy(choice: PolicyChoice, task_set: TaskSet, stack: AsyncExitStack) -> Policy:
    if choice.name.startswith(("http://", "https://")):
        settings = EndpointSettings(
            base_url=choice.name,
            model=choice.model,
            api_key=choice.api_key,
            temperature=choice.temperature,
        )
        return await stack.enter_async_context(EndpointPolicy(settings))
    if "/" in choice.name:
        return LlmPolicy(model=choice.name, temperature=choice.temperature)
    return scripted(choice.name, task_set)

"""Where a policy practises: groups of rollouts with what each earned, in exported environments or at a real backend.

In: a policy and how many rollouts. Out: `Played`, the same for both, so that arms differ in nothing but where they practise.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from environments.rollout.engine import RolloutSettings, run_rollouts
from environments.rollout.rollout import Rollout, advantages, advantages_of
from environments.runtime.task.task_set import TaskSet
from examples.train_small.learner import LinearPolicy, RunKey
from examples.train_small.shown import Message

Act = Callable[[Sequence[Message], Sequence[Message]], Message]
"""An agent: the next message after these, with these tools."""


class Sitting(Protocol):
    """One request at the real backend, which is fresh each time."""

    @property
    def key(self) -> str:
        """Names the request."""
        ...

    @property
    def task_key(self) -> str | None:
        """What production's log calls the request: its task is found by it. None where it calls it nothing."""
        ...

    def play(self, act: Act) -> bool:
        """Let an agent serve it; whether the real backend says that it is resolved."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One rollout."""

    key: RunKey
    reward: float | None
    advantage: float | None
    """None where there is no reward: it teaches nothing."""
    cause: str = ""
    """Why there is this reward, where the environment says so."""


class Practice(Protocol):
    """A place to practise in."""

    @property
    def tasks(self) -> Sequence[str]:
        """What can be practised."""
        ...

    def play(self, policy: LinearPolicy, tasks: Sequence[str], samples: int) -> list[Played]:
        """A group of rollouts at each of these tasks."""
        ...


@dataclass(frozen=True, slots=True)
class Exported:
    """The exported task set, played by tracegym's own engine."""

    task_set: TaskSet
    split: str = "train"
    known_failures: bool = True
    """Whether runs without a reward that the user would call unresolved count as 0 within their group."""

    @property
    def tasks(self) -> Sequence[str]:
        """The tasks of the split."""
        return [task.task_id for task in self.task_set.split(self.split)]

    def play(self, policy: LinearPolicy, tasks: Sequence[str], samples: int) -> list[Played]:
        """A group of rollouts at each of these tasks."""
        rollouts = asyncio.run(self._roll(policy, tasks, samples))
        worth = advantages(rollouts, known_failures=self.known_failures)
        return [
            Played(
                key=(rollout.task_id, rollout.seed),
                reward=rollout.reward,
                advantage=worth[rollout.rollout_id],
                cause=rollout.cause or "",
            )
            for rollout in sorted(rollouts, key=lambda one: (one.task_id, one.seed))
        ]

    async def _roll(
        self, policy: LinearPolicy, chosen: Sequence[str], samples: int
    ) -> list[Rollout]:
        settings = RolloutSettings(samples=samples, concurrency=8, tasks=frozenset(chosen))
        return [rollout async for rollout in run_rollouts(self.task_set, policy, settings)]


@dataclass(frozen=True, slots=True)
class Real:
    """Requests of production, served at the real backend."""

    sittings: Sequence[Sitting]

    @property
    def tasks(self) -> Sequence[str]:
        """The requests' names."""
        return [sitting.key for sitting in self.sittings]

    def play(self, policy: LinearPolicy, tasks: Sequence[str], samples: int) -> list[Played]:
        """A group of rollouts at each of these requests."""
        chosen = [sitting for sitting in self.sittings if sitting.key in set(tasks)]
        rewards = {
            (sitting.key, seed): float(serve(policy, sitting, seed))
            for sitting in chosen
            for seed in range(samples)
        }
        worth: Mapping[str, float | None] = advantages_of(
            (f"{key}/{seed}", key, reward) for (key, seed), reward in rewards.items()
        )
        return [
            Played(key=(key, seed), reward=reward, advantage=worth[f"{key}/{seed}"])
            for (key, seed), reward in rewards.items()
        ]


def serve(policy: LinearPolicy, sitting: Sitting, seed: int = 0) -> bool:
    """One request at the real backend by a policy."""
    return sitting.play(
        lambda messages, tools: policy.write(messages, tools, key=(sitting.key, seed))
    )

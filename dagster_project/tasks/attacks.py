"""Attacks on a task set: every task searched for attempts that are paid without doing the job.

Comes in: an opened task set, which policy looks, and for how long. Goes out: what was tried and found, task by task.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from dagster_project.errors import InputError
from dagster_project.rollouts.policies import PolicyChoice
from environments.rollout.budget import Budget, Limits
from environments.rollout.errors import EndpointError
from environments.runtime.task.task_set import PackedTask, TaskSet
from environments.search.found_cheats import FoundCheat
from environments.search.hunt import SCRIPTED, DoubtfulAttempt, Ground, TaskHunt, ground_of, hunt
from environments.search.player import play

BUDGET: Final = 200
"""Attempts per task of the scripted search."""
MODEL_BUDGET: Final = 4
"""Attempts per task of a model."""
AT_ONCE: Final = 8
"""Tasks that a model attacks at one time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackSettings:
    """Who looks, and for how long."""

    policy: PolicyChoice | None = None
    """None is the scripted search."""
    budget: int = BUDGET
    """Attempts per task."""
    seconds: float | None = None
    cost: float | None = None
    seed: int = 0

    @property
    def label(self) -> str:
        """The policy's name."""
        return SCRIPTED if self.policy is None else self.policy.label


@dataclass(slots=True, kw_only=True)
class Attacked:
    """What an attack did."""

    policy: str
    tasks: list[TaskHunt] = field(default_factory=list)
    unfinished: bool = False
    """Whether time or money ended it before every task had its attempts."""
    cost: float = 0.0

    @property
    def attempts(self) -> int:
        """All attempts made."""
        return sum(one.attempts for one in self.tasks)

    @property
    def found_cheats(self) -> list[FoundCheat]:
        """All paid cheats."""
        return [cheat for one in self.tasks for cheat in one.found]

    @property
    def to_judge(self) -> list[DoubtfulAttempt]:
        """All paid attempts that only a person can call bad."""
        return [judged for one in self.tasks for judged in one.to_judge]

    @property
    def best_share(self) -> float | None:
        """The largest share that a cheat earned."""
        return max((s for o in self.tasks if (s := o.best_share) is not None), default=None)


def attack(
    task_set: TaskSet,
    tasks: Sequence[PackedTask],
    settings: AttackSettings,
    *,
    on_task: Callable[[Attacked], None] = lambda _: None,
) -> Attacked:
    """Attack each task; `on_task` hears after each, the newest task last: what it heard is what a search that is stopped leaves."""
    if not any(task_set.solution(task.task_id) for task in tasks):
        raise InputError(
            f"{task_set.path} holds no solution, and cheats are made from solutions: "
            "export the whole task set with tracegym export taskset"
        )
    told = Attacked(policy=settings.label)
    if settings.policy is None:
        _run_scripted(task_set, tasks, settings, told, on_task)
    else:
        asyncio.run(_model(task_set, tasks, settings, told, on_task))
    told.tasks.sort(key=lambda one: one.task_id)
    return told


def _run_scripted(
    task_set: TaskSet,
    tasks: Sequence[PackedTask],
    settings: AttackSettings,
    told: Attacked,
    on_task: Callable[[Attacked], None],
) -> None:
    started = time.monotonic()

    def is_late() -> bool:
        left = settings.seconds
        told.unfinished |= left is not None and time.monotonic() - started >= left
        return told.unfinished

    for task in tasks:
        ground = ground_of(task_set, task)
        told.tasks.append(
            hunt(ground, budget=settings.budget, seed=settings.seed, late=is_late)
            if isinstance(ground, Ground)
            else TaskHunt(task_id=task.task_id, skipped=ground)
        )
        on_task(told)


async def _model(
    task_set: TaskSet,
    tasks: Sequence[PackedTask],
    settings: AttackSettings,
    told: Attacked,
    on_task: Callable[[Attacked], None],
) -> None:
    if settings.policy is None:
        raise TypeError("a model attacks only where one is chosen")
    limits = Limits(cost=settings.cost, seconds=settings.seconds)
    budget = Budget(limits, time.monotonic)
    gate = asyncio.Semaphore(AT_ONCE)
    refused: BaseException | None = None
    async with settings.policy.open(task_set) as policy:

        async def attack_one(task: PackedTask) -> None:
            async with gate:
                ground = ground_of(task_set, task)
                if isinstance(ground, Ground):
                    hunted = await play(ground, policy, budget, attempts=settings.budget)
                    told.unfinished |= hunted.attempts + hunted.failed < settings.budget
                else:
                    hunted = TaskHunt(task_id=task.task_id, skipped=ground)
                told.tasks.append(hunted)
                told.cost = budget.cost
                on_task(told)

        try:
            async with asyncio.TaskGroup() as group:
                for task in tasks:
                    group.create_task(attack_one(task))
        except* EndpointError as faults:
            # Every further call would be refused as well: the first one says why.
            refused = faults.exceptions[0]
    if refused is not None:
        raise refused
    tried = [one for one in told.tasks if not one.skipped]
    if tried and all(one.failed and not one.attempts for one in tried):
        raise InputError("every attempt failed; see that the endpoint answers and try again")

"""GRPO for the linear policy: groups of rollouts, rewards compared within a group, one step towards the better.

In: weights, a place to practise, a plan. Out: better weights and what each step saw. A rollout
without an advantage is in no group.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from examples.train_small.learner import LinearPolicy
from examples.train_small.linear import Climber, Weights
from examples.train_small.practice import Played, Practice

ALIKE: Final = 0.2
"""Weight of a task whose last group had like rewards, beside 1 for the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How long and how fast."""

    steps: int = 24
    tasks: int = 8
    """Tasks in a step."""
    samples: int = 6
    """Rollouts of each: a group, whose rewards are compared."""
    rate: float = 0.1
    caution: float = 0.01
    """Of the steps (`Climber`)."""
    look_every: int = 12
    """Steps between two looks at what was learnt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step saw."""

    step: int
    reward: float
    """Mean over rollouts that have one."""
    rollouts: int
    masked: int
    """Rollouts without a reward."""
    groups: int
    spread: int
    """Groups with unlike rewards: only these teach."""
    causes: Mapping[str, int]
    """Rollouts by the reason of their reward."""


def reinforce(
    start: LinearPolicy,
    practice: Practice,
    schedule: Schedule,
    *,
    seed: int,
    look: Callable[[int, Weights], None] = lambda _step, _weights: None,
) -> tuple[Weights, list[Step]]:
    """Weights that earn more there; those of the start stay as they are."""
    learnt, hopes = start.weights.copy(), dict[str, float]()
    climber, dice, steps = Climber(learnt, schedule.rate, schedule.caution), Random(seed), []
    for number in range(schedule.steps):
        if number % schedule.look_every == 0:
            look(number, learnt)
        policy = LinearPolicy("learner", start.vocabulary, learnt, salt=f"{seed} {number}")
        chosen = _chosen(practice.tasks, hopes, schedule.tasks, dice)
        played = practice.play(policy, chosen, schedule.samples)
        teach(policy, played, climber)
        hopes.update(_hopes(played))
        steps.append(step_of(number, played))
    look(schedule.steps, learnt)
    return learnt, steps


def _chosen(
    tasks: Sequence[str], hopes: Mapping[str, float], count: int, dice: Random
) -> list[str]:
    """Tasks drawn without repetition, those that may teach more often; one that was never tried may."""
    marks = {task: dice.random() ** (1 / hopes.get(task, 1.0)) for task in tasks}
    return sorted(tasks, key=lambda task: marks[task], reverse=True)[:count]


def _hopes(played: Sequence[Played]) -> dict[str, float]:
    """How likely a task is to teach next time: a group of like rewards taught nothing."""
    spread = {one.key[0] for one in played if one.advantage}
    return {one.key[0]: 1.0 if one.key[0] in spread else ALIKE for one in played}


def teach(policy: LinearPolicy, played: Sequence[Played], climber: Climber) -> None:
    """One step: every choice of a rollout is pushed by the rollout's advantage."""
    useful = [one for one in played if one.advantage]
    for one in useful:
        for choice in policy.choices[one.key]:
            climber.push(choice, (one.advantage or 0.0) / len(useful))
    climber.step()


def step_of(number: int, played: Sequence[Played]) -> Step:
    """What a step or a round saw."""
    rewards = [one.reward for one in played if one.reward is not None]
    return Step(
        step=number,
        reward=sum(rewards) / len(rewards) if rewards else 0.0,
        rollouts=len(played),
        masked=len(played) - len(rewards),
        groups=len({one.key[0] for one in played}),
        spread=len({one.key[0] for one in played if one.advantage}),
        causes=dict(Counter(one.cause for one in played if one.cause)),
    )

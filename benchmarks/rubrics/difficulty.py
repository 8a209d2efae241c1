"""The estimate of difficulty from production beside rollouts of policies of mixed quality.

Seasons of the example support desk, four attempts a request, are production: tasks, rubrics and estimates come from them alone. Then policies
that mix the desk's scripted agents try every accepted task eight times at the real database, and the task's rubric gives the reward.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from zlib import crc32

from benchmarks.figures import Figure, Row
from benchmarks.rubrics.desk import Made, make, true_label
from benchmarks.testbeds.desk.conversations import hold_season
from dagster_project.difficulty.by_task import AppDifficulty, difficulties
from dagster_project.difficulty.estimate import Calibration, compare
from dagster_project.difficulty.pass_rates import TaskDifficulty, rate_of
from dagster_project.difficulty.picture import picture
from dagster_project.difficulty.policy_level import level, shift_estimate
from dagster_project.difficulty.report import BAND, document, flat_groups
from environments.runtime.task.candidate import Candidate

SEASONS: Final = ((0, 9), (2, 11), (4, 13))
TRIES: Final = 8
GOOD: Final = "good"
BETTER: Final = 0.6
"""How often the better mix acts as the good agent, whatever production did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """One season's tasks, what to expect of them, and the mixes' rewards by task."""

    made: Made
    tasks: tuple[Candidate, ...]
    expected: AppDifficulty
    rewards: Mapping[str, Mapping[str, list[float]]]
    """By mix, by task; rewards that the rubric could not give are left out."""


def mixes(made: Made) -> dict[str, list[str]]:
    """Policies as lists to draw from: as production was, better, and without the good agent."""
    production = [talk.policy for talk in made.shop.talks]
    faulty = [policy for policy in production if policy != GOOD]
    better = round(BETTER / (1 - BETTER) * len(faulty))
    return {
        "as production": production,
        "better": [*faulty, *[GOOD] * better],
        "faulty only": faulty,
    }


def rollouts(made: Made, task: Candidate, mix: Sequence[str], chance: random.Random) -> list[float]:
    """The rewards of some tries at one task."""
    talk = made.talks[task.attempts[0].episode_id]
    found = []
    for _ in range(TRIES):
        fresh = made.shop.fresh(talk, chance.choice(mix), chance.randrange(10**6))
        found.append(made.grade(task, fresh).reward)
    return [reward for reward in found if reward is not None]


def season(variant: int, seed: int, conversations: int) -> Season:
    """Hold one, make its tasks, let every mix try them."""
    shop = hold_season(variant=variant, seed=seed, conversations=conversations, attempts=4)
    made = make(shop, {t.episode.episode_id: true_label(t) for t in shop.talks})
    tasks = tuple(made.accepted())
    writers = [name for name, tool in made.world.tools.items() if tool.part.kind == "write"]
    versions = {task.task.task_id: "1" for task in tasks}
    expected = difficulties(made.candidates, versions, {}, writers=writers)
    chance = random.Random(seed)  # noqa: S311 - a repeatable draw, not a secret
    rewards = {
        name: {task.task.task_id: rollouts(made, task, mix, chance) for task in tasks}
        for name, mix in mixes(made).items()
    }
    return Season(made=made, tasks=tasks, expected=expected, rewards=rewards)


def with_rollouts(one: Season) -> AppDifficulty:
    """The season's difficulty with the mixes as policies."""
    tasks: list[TaskDifficulty] = []
    for task in one.expected.tasks:
        policies = {name: rate_of(found[task.task_id]) for name, found in one.rewards.items()}
        tasks.append(replace(task, policies=policies))
    return AppDifficulty(tasks=tuple(tasks), calibration=one.expected.calibration)


def compared(seasons: Sequence[Season], mix: str) -> Calibration:
    """The estimates beside a mix's rewards."""
    pairs = []
    for one in seasons:
        for task in one.expected.tasks:
            if task.estimate is not None:
                rate = task.estimate.rate
                pairs += [(rate, reward) for reward in one.rewards[mix][task.task_id]]
    mean = sum(reward for _, reward in pairs) / max(1, len(pairs))
    return compare(pairs, [(mean, reward) for _, reward in pairs])


def untried(seasons: Sequence[Season], mix: str) -> tuple[Calibration, Calibration]:
    """The same over tasks that the mix has not tried, as they stand and moved to its level: a fifth of the tasks tells it."""
    plain: list[tuple[float, float]] = []
    better: list[tuple[float, float]] = []
    for one in seasons:
        tasks = with_rollouts(one).tasks
        tried = [task for task in tasks if crc32(task.task_id.encode()) % 5 == 0]
        shift = level(tried, mix)
        for task in tasks:
            if task not in tried and task.estimate is not None:
                rewards = one.rewards[mix][task.task_id]
                plain += [(task.estimate.rate, reward) for reward in rewards]
                better += [
                    (shift_estimate(task.estimate.rate, shift), reward) for reward in rewards
                ]
    return compare(plain, plain), compare(better, plain)


def _figures(seasons: Sequence[Season], mix: str) -> dict[str, Figure]:
    """Of one mix."""
    found = compared(seasons, mix)
    tasks = [task for one in seasons for task in with_rollouts(one).tasks]
    groups, flat = flat_groups(tasks)[mix]
    chosen = [t for t in tasks if t.estimate and BAND[0] <= t.estimate.rate <= BAND[1]]
    chosen_groups, chosen_flat = flat_groups(chosen)[mix]
    plain, better = untried(seasons, mix)
    means = {
        "expected": sum(b.expected * b.attempts for b in found.bins) / found.attempts,
        "reached": sum(b.resolved * b.attempts for b in found.bins) / found.attempts,
        "Brier": found.brier,
        "Brier of the mean": found.brier_of_mean,
        "calibration error": found.error,
        "untried, Brier": plain.brier,
        "untried, error": plain.error,
        "level known, Brier": better.brier,
        "level known, error": better.error,
    }
    return {
        "rollouts": found.attempts,
        **{name: round(value, 3) for name, value in means.items()},
        "groups": groups,
        "without spread": flat,
        "groups in the band": chosen_groups,
        "of these without spread": chosen_flat,
    }


def options(parser: argparse.ArgumentParser) -> None:
    """How much production, and a picture of it."""
    parser.add_argument("--conversations", type=int, default=240)
    parser.add_argument("--picture", type=Path, help="draws the last season as an export does")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each mix of policies, and what each estimated rate came to."""
    seasons = [season(variant, seed, options.conversations) for variant, seed in SEASONS]
    tasks = sum(len(one.tasks) for one in seasons)
    agents = Counter(talk.policy for one in seasons for talk in one.made.shop.talks)
    yield Row(case="production", figures={"accepted tasks": tasks, **agents})
    for mix in seasons[0].rewards:
        yield Row(case=mix, figures=_figures(seasons, mix))
    for mix in seasons[0].rewards:
        reached = {f"{b.expected:.2f}": round(b.resolved, 2) for b in compared(seasons, mix).bins}
        yield Row(case=f"{mix}, reached where expected", figures=reached)
    if options.picture:
        drawn = picture(document([with_rollouts(seasons[-1])]))
        options.picture.write_bytes(drawn)

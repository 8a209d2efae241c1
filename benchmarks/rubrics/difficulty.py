"""The estimate of difficulty from production beside rollouts of policies of mixed quality.

Run: `python -m benchmarks difficulty`. Seasons of the example support desk, four attempts a request, are production: tasks,
rubrics and estimates come from them alone. Then policies that mix the desk's scripted agents try every accepted task
eight times at the real database, and the task's rubric gives the reward. Prints Markdown tables; `--picture FILE` draws
the last season as `tracegym export` does.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final
from zlib import crc32

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
    writers = [name for name, tool in made.world.tools.items() if tool.kind == "write"]
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


def row(seasons: Sequence[Season], mix: str) -> str:
    """One line of the table."""
    found = compared(seasons, mix)
    tasks = [task for one in seasons for task in with_rollouts(one).tasks]
    groups, flat = flat_groups(tasks)[mix]
    chosen = [t for t in tasks if t.estimate and BAND[0] <= t.estimate.rate <= BAND[1]]
    chosen_groups, chosen_flat = flat_groups(chosen)[mix]
    plain, better = untried(seasons, mix)
    expected = sum(b.expected * b.attempts for b in found.bins) / found.attempts
    reached = sum(b.resolved * b.attempts for b in found.bins) / found.attempts
    return (
        f"| {mix} | {found.attempts} | {expected:.2f} / {reached:.2f} | {found.brier:.3f} "
        f"| {found.brier_of_mean:.3f} | {found.error:.3f} | {flat} of {groups} "
        f"| {chosen_flat} of {chosen_groups} | {plain.brier:.3f}, {plain.error:.3f} "
        f"| {better.brier:.3f}, {better.error:.3f} |"
    )


def main() -> int:
    """Hold the seasons and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=240)
    parser.add_argument("--picture", type=Path)
    told = parser.parse_args()
    seasons = [season(variant, seed, told.conversations) for variant, seed in SEASONS]
    tasks = sum(len(one.tasks) for one in seasons)
    agents = Counter(talk.policy for one in seasons for talk in one.made.shop.talks)
    print(f"{tasks} accepted tasks; agents in production: {dict(sorted(agents.items()))}\n")
    print(
        "| policy | rollouts | expected / reached | Brier | of the mean | calibration error "
        "| groups without spread | of those within the band "
        "| untried: Brier, error | with the level of a fifth |"
        "\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    )
    for mix in seasons[0].rewards:
        print(row(seasons, mix))
    for mix in seasons[0].rewards:
        bins: list[dict[str, Any]] = [asdict(b) for b in compared(seasons, mix).bins]
        print(f"{mix}: " + ", ".join(f"{b['expected']:.2f} → {b['resolved']:.2f}" for b in bins))
    print(json.dumps([asdict(c) if (c := one.expected.calibration) else None for one in seasons]))
    if told.picture:
        told.picture.write_bytes(picture(document([with_rollouts(seasons[-1])])))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

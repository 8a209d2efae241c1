"""How hard a whole task set is: what `difficulty.json` says, which tasks lie in a band, saturation over versions.

Comes in: the clean lake or difficulties. Goes out: plain JSON without a clock, and task ids.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from dagster_project.difficulty.by_task import AppDifficulty, difficulties
from dagster_project.difficulty.pass_rates import Rate, TaskDifficulty, rate_of
from dagster_project.difficulty.policy_level import level, shift_estimate
from dagster_project.lake.documents import records
from dagster_project.lake.learnt_tables import TASKS, VERIFIED
from dagster_project.lake.rows import plain_json
from dagster_project.lake.store import Lake
from dagster_project.rollouts.reasons import PolicyReasons
from dagster_project.rollouts.store import rewards_of
from dagster_project.tasks.verification import VerifiedTask
from dagster_project.worlds.stored_worlds import world_of
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.task.candidate import Candidate

BAND: Final = (0.02, 0.8)
"""Below, a group of rollouts rarely holds a success; above, rarely a failure."""
AIM: Final = (0.2, 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturation:
    """How much a policy still has to learn from one version of a task set."""

    policy: str
    task_set_version: str
    first_day: str
    tasks: int
    mean: float
    saturated: int
    """Tasks above the band: solved nearly always."""
    aimed: int
    """Tasks between 20 and 50 %."""
    flat: int
    """Groups of two rollouts or more whose rewards are all the same."""


def app_difficulty(lake: Lake, app: str) -> AppDifficulty:
    """The difficulty of every verified task of an app, as the lake stands."""
    verdicts = records(lake, VERIFIED, app, VerifiedTask)
    world = world_of(lake, app)
    return difficulties(
        list(records(lake, TASKS, app, Candidate).values()),
        {task_id: verdict.task_version for task_id, verdict in verdicts.items()},
        rewards_of(lake, app),
        writers=(world.document if world is not None else WorldDocument()).writers,
    )


def saturation(rollouts: Iterable[Mapping[str, Any]]) -> list[Saturation]:
    """One line per policy and version of the task set, the earliest first."""
    groups: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    days: dict[tuple[str, str], str] = {}
    for row in rollouts:
        if row["reward"] is not None:
            key = (row["policy"], row["task_set_version"])
            groups[key][row["task_id"]].append(float(row["reward"]))
            days[key] = min(days.get(key, row["day"]), row["day"])
    lines = [_line(key, days[key], by_task) for key, by_task in groups.items()]
    return sorted(lines, key=lambda one: (one.policy, one.first_day, one.task_set_version))


def _line(key: tuple[str, str], day: str, by_task: Mapping[str, Sequence[float]]) -> Saturation:
    rates = [rate_of(rewards) for rewards in by_task.values()]
    shares = [rate.rate or 0.0 for rate in rates]
    return Saturation(
        policy=key[0],
        task_set_version=key[1],
        first_day=day,
        tasks=len(rates),
        mean=sum(shares) / len(shares),
        saturated=sum(share > BAND[1] for share in shares),
        aimed=sum(AIM[0] <= share <= AIM[1] for share in shares),
        flat=sum(rate.flat for rate in rates),
    )


def pass_rate(task: TaskDifficulty, policy: str, shift: float = 0.0) -> float | None:
    """What a task is chosen by: the policy's own rate where it has tried, else the estimate, moved to the policy's level."""
    tried = task.policies.get(policy)
    if tried is not None and tried.rate is not None:
        return tried.rate
    return shift_estimate(task.estimate.rate, shift) if task.estimate is not None else None


def in_band(
    tasks: Iterable[TaskDifficulty], band: tuple[float, float], policy: str = ""
) -> frozenset[str]:
    """The tasks within a band; one of which nothing is known is not."""
    every = list(tasks)
    shift = level(every, policy)
    return frozenset(
        task.task_id
        for task in every
        if (rate := pass_rate(task, policy, shift)) is not None and band[0] <= rate <= band[1]
    )


def document(
    found: Sequence[AppDifficulty],
    lines: Sequence[Saturation] = (),
    *,
    band: tuple[float, float] | None = None,
    policy: str = "",
    policies: Sequence[PolicyReasons] = (),
) -> dict[str, Any]:
    """What `difficulty.json` says; the calibration is that of the app with most attempts."""
    known = [one.calibration for one in found if one.calibration is not None]
    widest = max(known, key=lambda one: one.attempts, default=None)
    return {
        "format": "1",
        "band": list(band) if band else None,
        "policy": policy or None,
        "calibration": asdict(widest) if widest is not None else None,
        "saturation": [asdict(line) for line in lines],
        "rollouts": [one.to_json() for one in policies],
        "tasks": {t.task_id: _task(t) for one in found for t in one.tasks},
    }


def _task(task: TaskDifficulty) -> dict[str, Any]:
    value: dict[str, Any] = plain_json(task)
    return {name: part for name, part in value.items() if name != "task_id"}


def flat_groups(tasks: Iterable[TaskDifficulty]) -> dict[str, tuple[int, int]]:
    """By policy: groups of two rollouts or more, and those without spread."""
    rates: dict[str, list[Rate]] = defaultdict(list)
    for task in tasks:
        for policy, rate in task.policies.items():
            if rate.tried > 1:
                rates[policy].append(rate)
    return {policy: (len(r), sum(one.flat for one in r)) for policy, r in sorted(rates.items())}

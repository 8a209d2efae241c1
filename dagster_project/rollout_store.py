"""Rollouts in the lake: appended as they end, one row per rollout; advantages are computed when they are read.

Comes in: rollouts of one task set. Goes out: their keys (to go on where a run stopped), and counts per policy.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import pyarrow as pa

from dagster_project.lake import Lake, once
from dagster_project.learnt_tables import ROLLOUTS
from dagster_project.report.data import RolloutRow
from environments.rollout.rollout import Rollout, RolloutKey, advantages

_COUNTED = (
    "app",
    "day",
    "rollout_id",
    "policy",
    "task_id",
    "task_version",
    "task_set_version",
    "seed",
    "reward",
    "error",
)


def keep(lake: Lake, rollouts: Sequence[Rollout]) -> None:
    """Append finished rollouts."""
    advantage = advantages(rollouts)
    rows = [rollout.to_row(advantage.get(rollout.rollout_id)) for rollout in rollouts]
    lake.append(ROLLOUTS, pa.Table.from_pylist(rows, schema=ROLLOUTS.schema))


def done(lake: Lake, apps: Iterable[str]) -> set[RolloutKey]:
    """Rollouts that need not be run again: those that no fault of the infrastructure broke."""
    return {
        RolloutKey(row["task_id"], row["task_version"], row["policy"], row["seed"])
        for app in sorted(set(apps))
        for row in lake.read(ROLLOUTS, app=app, columns=_COUNTED).to_pylist()
        if row["error"] is None
    }


def rewards_of(lake: Lake, app: str) -> dict[str, list[dict[str, object]]]:
    """Finished rollouts of an app by task, without their trajectories."""
    found: dict[str, list[dict[str, object]]] = defaultdict(list)
    for row in once(lake.read(ROLLOUTS, app=app, columns=_COUNTED), ROLLOUTS).to_pylist():
        if row["error"] is None:
            found[row["task_id"]].append(row)
    return found


def rollout_rows(lake: Lake) -> tuple[RolloutRow, ...]:
    """How each policy did, by app."""
    groups: dict[tuple[str, str], list[dict[str, object]]] = defaultdict(list)
    rows = once(lake.read(ROLLOUTS, columns=_COUNTED), ROLLOUTS).to_pylist()
    for row in rows:
        if row["error"] is None:
            groups[row["app"], row["policy"]].append(row)
    return tuple(_row(app, policy, group) for (app, policy), group in sorted(groups.items()))


def _row(app: str, policy: str, group: list[dict[str, object]]) -> RolloutRow:
    rewards = [float(str(row["reward"])) for row in group if row["reward"] is not None]
    return RolloutRow(
        app=app,
        policy=policy,
        tasks=len({row["task_id"] for row in group}),
        rollouts=len(group),
        graded=len(rewards),
        mean_reward=sum(rewards) / len(rewards) if rewards else None,
    )

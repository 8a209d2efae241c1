"""Rollouts in the lake: appended as they end, one row per rollout; advantages follow when the run is over.

Comes in: rollouts of one task set. Goes out: their keys (to go on where a run stopped), and counts per policy.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dagster_project.lake.learnt_tables import ROLLOUTS
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import deduplicate
from dagster_project.rollouts.reasons import COLUMNS, PolicyReasons, by_policy
from environments.rollout.rollout import Rollout, RolloutKey, advantages_of
from environments.runtime.values.grouping import by_key

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
_EXPLAINED = tuple(dict.fromkeys((*_COUNTED, *COLUMNS)))


def keep(lake: Lake, rollouts: Sequence[Rollout]) -> None:
    """Append finished rollouts; what the others of their groups earn is not known yet, so they have no advantage."""
    rows = [rollout.to_row() for rollout in rollouts]
    lake.append(ROLLOUTS, pa.Table.from_pylist(rows, schema=ROLLOUTS.schema))


def settle(lake: Lake, apps: Iterable[str]) -> int:
    """Write the advantages of groups that have grown, whenever their rollouts ran; how many rows changed."""
    changed = 0
    for app in sorted(set(apps)):
        columns = (*_COUNTED, "group_id", "advantage")
        rows = _unbroken(lake, columns, app)
        found = advantages_of((r["rollout_id"], r["group_id"], r["reward"]) for r in rows)
        stale = {
            r["rollout_id"]: r["day"] for r in rows if r["advantage"] != found[r["rollout_id"]]
        }
        for day in sorted(set(stale.values())):
            lake.change(ROLLOUTS, (app, day), lambda before: _with_advantages(before, found))  # noqa: B023 - called at once
        changed += len(stale)
    return changed


def groups_in(lake: Lake, apps: Iterable[str]) -> list[tuple[str, str, float | None]]:
    """Rollout id, group id and reward of every rollout of some apps."""
    columns = (*_COUNTED, "group_id")
    rows = [row for app in sorted(set(apps)) for row in _unbroken(lake, columns, app)]
    return [(row["rollout_id"], row["group_id"], row["reward"]) for row in rows]


def _unbroken(lake: Lake, columns: Sequence[str], app: str | None = None) -> list[dict[str, Any]]:
    """Rollouts that no fault broke, each once: a broken one that was run again must not stand before the good one."""
    rows = lake.read(ROLLOUTS, app=app, columns=columns)
    return deduplicate(rows.filter(pc.is_null(rows.column("error"))), ROLLOUTS).to_pylist()


def explained_rollouts(
    lake: Lake, app: str, columns: Sequence[str] = _EXPLAINED
) -> list[dict[str, Any]]:
    """All rollouts of an app, each once; one that a fault broke only where it was not made again."""
    rows = lake.read(ROLLOUTS, app=app, columns=columns)
    broken = pc.is_valid(rows.column("error"))
    # Of two rows of one rollout the later one is kept: the one that ended.
    both = pa.concat_tables([rows.filter(broken), rows.filter(pc.invert(broken))])
    return deduplicate(both, ROLLOUTS).to_pylist()


def reasons_of(
    lake: Lake, versions: Mapping[str, str], apps: Iterable[str]
) -> tuple[PolicyReasons, ...]:
    """Rewards by reason of every policy that tried these versions of the tasks (task ids to versions)."""
    rows = [row for app in sorted(set(apps)) for row in explained_rollouts(lake, app)]
    return by_policy(row for row in rows if versions.get(row["task_id"]) == row["task_version"])


def _with_advantages(rows: pa.Table, found: Mapping[str, float | None]) -> pa.Table:
    plain = rows.select(["rollout_id", "reward"]).to_pylist()
    values = [found.get(r["rollout_id"]) if r["reward"] is not None else None for r in plain]
    at = rows.schema.get_field_index("advantage")
    return rows.set_column(at, rows.schema.field(at), pa.array(values, type=pa.float64()))


def finished_rollouts(lake: Lake, apps: Iterable[str]) -> set[RolloutKey]:
    """Rollouts that need not be run again: those that no fault of the infrastructure broke."""
    return {
        RolloutKey(row["task_id"], row["task_version"], row["policy"], row["seed"])
        for app in sorted(set(apps))
        for row in lake.read(ROLLOUTS, app=app, columns=_COUNTED).to_pylist()
        if row["error"] is None
    }


def rewards_of(lake: Lake, app: str) -> dict[str, list[dict[str, object]]]:
    """Finished rollouts of an app by task, without their trajectories."""
    return by_key((row["task_id"], row) for row in _unbroken(lake, _COUNTED, app))


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRow:
    """How one policy did over the tasks of an app."""

    app: str
    found: PolicyReasons


def rollout_rows(lake: Lake) -> tuple[RolloutRow, ...]:
    """How each policy did, by app, and why the others of its rollouts have no reward."""
    apps = sorted({key[0] for key in lake.counts(ROLLOUTS)})
    return tuple(
        RolloutRow(app=app, found=one)
        for app in apps
        for one in by_policy(_unbroken(lake, _EXPLAINED, app))
    )

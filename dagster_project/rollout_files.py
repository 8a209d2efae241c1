"""Rollouts as a file for a trainer: JSON lines with the advantages of whole groups.

Comes in: the rollouts of one run, and the lake that holds earlier ones of the same groups. Goes out: a file.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dagster_project.lake import Lake
from dagster_project.rollout_store import groups_in
from environments.rollout.rollout import Rollout, advantages_of
from environments.rollout.training import training_row

ROWS = "rows"


def write_rollouts(
    path: Path, rollouts: Sequence[Rollout], format_name: str, lake: Lake | None
) -> None:
    """One line a rollout; those that a fault of the infrastructure broke are in `rows` only."""
    known = [(r.rollout_id, r.group_id, r.reward) for r in rollouts]
    if lake is not None:
        known = [*groups_in(lake, {r.app for r in rollouts}), *known]
    found = advantages_of(known)
    lines = [
        json.dumps(_line(r.to_row(found[r.rollout_id]), format_name), ensure_ascii=False)
        for r in rollouts
        if format_name == ROWS or r.error is None
    ]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _line(row: dict[str, Any], format_name: str) -> dict[str, Any]:
    return row if format_name == ROWS else training_row(row, format_name)

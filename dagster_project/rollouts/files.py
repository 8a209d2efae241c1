"""Rollouts as a file for a trainer: JSON lines with the advantages of whole groups.

Comes in: the rollouts of one run, the lake that holds earlier ones of the same groups, and what the file holds already. Goes
out: a file, written whole. What stood there stays: rows are added to rows, and no other format is written over.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dagster_project.errors import InputError
from dagster_project.lake.store import Lake
from dagster_project.rollouts.store import groups_in
from dagster_project.storage.whole_files import write_whole
from environments.rollout.rollout import Rollout, advantages_of
from environments.rollout.training import training_row

ROWS = "rows"
_NEEDED = frozenset({"rollout_id", "group_id", "reward", "error"})


def earlier_rows(path: Path, format_name: str) -> list[dict[str, Any]]:
    """The rows that a file holds already; a file that cannot be gone on with is an error before anything is run."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; --out names a file")
    if not path.is_file() or not path.stat().st_size:
        return []
    if format_name != ROWS:
        raise InputError(
            f"{path} exists, and {format_name} is not added to: give --out another name"
        )
    rows: list[Any]
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except ValueError:
        rows = [None]
    if not all(isinstance(row, dict) and row.keys() >= _NEEDED for row in rows):
        raise InputError(
            f"{path} exists and holds something other than rollouts: give --out another name"
        )
    return rows


def write_rollouts(
    path: Path,
    rollouts: Sequence[Rollout],
    format_name: str,
    lake: Lake | None,
    *,
    earlier: Sequence[Mapping[str, Any]] = (),
) -> None:
    """One line a rollout, after those of `earlier` that were not made again; broken ones are in `rows` only."""
    new = {r.rollout_id for r in rollouts}
    kept = [row for row in earlier if row["rollout_id"] not in new]
    known = [(row["rollout_id"], row["group_id"], row["reward"]) for row in kept]
    known += [(r.rollout_id, r.group_id, r.reward) for r in rollouts]
    if lake is not None:
        known = [*groups_in(lake, {r.app for r in rollouts}), *known]
    found = advantages_of(known)
    lines = [{**row, "advantage": found[row["rollout_id"]]} for row in kept]
    lines += [
        _line(r.to_row(found[r.rollout_id]), format_name)
        for r in rollouts
        if format_name == ROWS or r.error is None
    ]
    write_whole(path, "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines))


def _line(row: dict[str, Any], format_name: str) -> dict[str, Any]:
    return row if format_name == ROWS else training_row(row, format_name)

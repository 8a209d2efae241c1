"""Writes a task set as a dataset folder in the layout of the Hugging Face Hub: a card with front matter, Parquet per split.

In: a task set folder. Out: `README.md`, `data/<split>-00000-of-00001.parquet`, and the task set itself under `task_set/`. Rows show
what a policy may see and what is known of the task; the answers are in `task_set/` only. Nothing is uploaded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from environments.export.formats.parquet import parquet
from environments.export.package import Format, by_split
from environments.runtime.task.task_set import PackedTask, TaskSet
from environments.runtime.values.canonical import canonical

_COLUMNS: Final[dict[str, pa.DataType]] = {
    "task_id": pa.string(),
    "task_version": pa.string(),
    "app": pa.string(),
    "split": pa.string(),
    "messages": pa.string(),
    "tools": pa.string(),
    "started_at": pa.int64(),
    "steps": pa.int64(),
    "expected_pass_rate": pa.float64(),
}
ROW_SCHEMA: Final = pa.schema(_COLUMNS)
"""Messages and tools are JSON text: as records, Arrow would merge those of two tasks into one with nulls."""
LICENCE: Final = re.compile(r"[A-Za-z0-9.\-]{1,40}")
SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
PICTURE: Final = "difficulty.png"


def _files(opened: TaskSet, package: str) -> Mapping[str, bytes]:
    known = _difficulty(opened)
    rows = [(t.task_id, _row(opened, t, known.get(t.task_id, {}))) for t in opened.tasks]
    parts = by_split(opened, rows, lambda part: parquet(part, ROW_SCHEMA), "")
    files = {f"data/{split}-00000-of-00001.parquet": data for split, data in parts.items()}
    card = (opened.path / "README.md").read_text(encoding="utf-8")
    front = _front(opened, package, sorted(parts))
    picture = opened.path / PICTURE
    if PICTURE in opened.manifest.files:
        files[PICTURE] = picture.read_bytes()
        card = card.replace("## Pass rates\n", f"## Pass rates\n\n![pass rates]({PICTURE})\n", 1)
    card = card.replace("DIR", "task_set")
    return {**files, "README.md": f"{front}\n{card}".encode()}


def _row(opened: TaskSet, task: PackedTask, known: Mapping[str, Any]) -> dict[str, object]:
    estimate = known.get("estimate") or {}
    return {
        "task_id": task.task_id,
        "task_version": task.task_version,
        "app": task.app,
        "split": opened.manifest.split_of(task.task_id) or "train",
        "messages": canonical([dict(message) for message in task.opening]),
        "tools": canonical([dict(tool) for tool in task.tools]),
        "started_at": task.started_at,
        "steps": known.get("steps"),
        "expected_pass_rate": estimate.get("rate"),
    }


def _difficulty(opened: TaskSet) -> Mapping[str, Any]:
    if "difficulty.json" not in opened.manifest.files:
        return {}
    found: Any = json.loads((opened.path / "difficulty.json").read_text(encoding="utf-8"))
    return dict(found.get("tasks", {}))


def _front(opened: TaskSet, package: str, splits: list[str]) -> str:
    """The YAML that the Hub and `datasets` read; every value is JSON, which is YAML."""
    licence = str(opened.manifest.provenance.get("license", ""))
    plain = bool(LICENCE.fullmatch(licence))
    count = len(opened.tasks)
    lines = [
        "---",
        f"pretty_name: {json.dumps(opened.manifest.name)}",
        f"license: {json.dumps(licence.lower() if plain else 'other')}",
        "task_categories: [text-generation]",
        "tags: [agents, tool-use, reinforcement-learning, environment]",
        f"size_categories: [{json.dumps(next((s for n, s in SIZES if count < n), 'n>100K'))}]",
        "configs:",
        f"- config_name: {json.dumps(package)}",
        "  default: true",
        "  data_files:",
    ]
    for split in splits:
        lines += [f"  - split: {split}", f"    path: {json.dumps(f'data/{split}-*.parquet')}"]
    return "\n".join([*lines, "---"]) + "\n"


HUGGINGFACE: Final = Format(
    name="huggingface",
    task_sets=("task_set",),
    check="python -c \"import datasets; print(datasets.load_dataset('DIR'))\"",
    rows=_files,
)

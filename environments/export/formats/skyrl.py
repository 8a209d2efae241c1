"""Writes a task set for SkyRL: rows, and an environment for `skyrl_gym` that plays and grades them.

In: a task set folder. Out: `train.parquet` (prompt with the tools in it, the task's id, no answer) and a package whose
environment reads calls from text, since SkyRL's rows carry no tools. Imports nothing of SkyRL. A verdict of None raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from environments.export.formats.parquet import MESSAGES, parquet
from environments.export.package import Format, by_split
from environments.runtime.play.play import Play
from environments.runtime.play.tool_text import text_opening
from environments.runtime.task.task_set import TaskSet

NAMED: Final = pa.struct([("task_id", pa.string()), ("task_version", pa.string())])
ROW_SCHEMA: Final = pa.schema(
    [
        ("data_source", pa.string()),
        ("env_class", pa.string()),
        ("prompt", MESSAGES),
        ("reward_spec", pa.struct([("method", pa.string()), ("ground_truth", pa.string())])),
        ("extra_info", NAMED),
    ]
)
"""`ground_truth` names the task: the answer stays in the package."""


def _rows(opened: TaskSet, package: str) -> Mapping[str, bytes]:
    rows = [(task.task_id, _row(Play(opened, task.task_id), package)) for task in opened.tasks]
    return by_split(opened, rows, lambda part: parquet(part, ROW_SCHEMA), ".parquet")


def _row(play: Play, package: str) -> dict[str, object]:
    return {
        "data_source": package,
        "env_class": package,
        "prompt": text_opening(play.opening, play.tools),
        "reward_spec": {"method": "rule", "ground_truth": play.task.task_id},
        "extra_info": {"task_id": play.task.task_id, "task_version": play.task.task_version},
    }


SKYRL: Final = Format(
    name="skyrl",
    consumer="skyrl_gym",
    check="pip install DIR (see DIR/README.md)",
    rows=_rows,
)
"""`name` is the environment's id in `skyrl_gym`."""

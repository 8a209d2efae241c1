"""Writes a task set for TRL: rows, environment classes for `environment_factory`, and a reward function.

In: a task set folder. Out: `train.parquet` (prompt, which class, the task's id, no answer) and a package. Imports nothing of TRL.
TRL discovers tools from a class, so rows name the class that has their tools. A verdict of None stays None.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from environments.export.formats.parquet import MESSAGES, parquet
from environments.export.package import Format, by_split
from environments.runtime.play.play import Play
from environments.runtime.play.tool_text import text_messages
from environments.runtime.task.task_set import TaskSet
from environments.runtime.values.canonical import digest

ROW_SCHEMA: Final = pa.schema(
    [
        ("prompt", MESSAGES),
        ("environment", pa.string()),
        ("task_id", pa.string()),
        ("task_version", pa.string()),
    ]
)


def _rows(opened: TaskSet, _package: str) -> Mapping[str, bytes]:
    rows = [(task.task_id, _row(Play(opened, task.task_id))) for task in opened.tasks]
    return by_split(opened, rows, lambda part: parquet(part, ROW_SCHEMA), ".parquet")


def _row(play: Play) -> dict[str, object]:
    return {
        "prompt": list(text_messages(play.opening)),
        # As the package's own `environments` names its classes.
        "environment": f"tools_{digest(list(play.tools))[:12]}",
        "task_id": play.task.task_id,
        "task_version": play.task.task_version,
    }


TRL: Final = Format(
    name="trl",
    consumer="trl",
    check="pip install DIR (see DIR/README.md)",
    rows=_rows,
)

"""The dataset folder in the hands of `datasets`: every split loads, nothing merged, no answer in a row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from environments.export.registry import FORMATS
from environments.export.splits import SplitSettings
from environments.export.taskset import Choice
from environments.runtime import TaskSet
from tests.consumer_venv import make_venv, sh
from tests.environments_shop import entry, write_shop

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
LOAD = """
import json, sys
from datasets import load_dataset
found = load_dataset(sys.argv[1], cache_dir="cache")
print(json.dumps({name: [dict(row) for row in rows] for name, rows in found.items()}))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with `datasets`."""
    return make_venv(
        "skyrl", ("skyrl-gym>=0.4", "datasets>=5", "pyarrow"), tmp_path_factory.mktemp("c")
    )


def test_datasets_loads_every_split_by_the_front_matter(consumer: Path, tmp_path: Path) -> None:
    """`load_dataset(FOLDER)` needs no argument; the task set lies beside it, unchanged."""
    halves = Choice(splits=SplitSettings(shares={"train": 0.5, "held_out": 0.5}))
    write_shop(tmp_path / "set", entries=[entry(1), entry(3)], choice=halves)
    FORMATS["huggingface"].write(tmp_path / "set", tmp_path / "out")
    loaded = json.loads(sh(consumer / "python", "-c", LOAD, tmp_path / "out", cwd=tmp_path))
    opened = TaskSet.load(tmp_path / "out" / "task_set")
    assert {name: [row["task_id"] for row in rows] for name, rows in loaded.items()} == {
        name: [task.task_id for task in opened.split(name)] for name in ("train", "held_out")
    }
    for row in [row for rows in loaded.values() for row in rows]:
        task = opened.task(row["task_id"])
        assert json.loads(row["messages"]) == [dict(message) for message in task.opening]
        assert json.loads(row["tools"]) == [dict(tool) for tool in task.tools]

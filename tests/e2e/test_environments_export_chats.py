"""Chat JSONL and preference pairs in the hands of `datasets`: nothing lost, nothing merged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from environments.export.registry import FORMATS
from tests.consumer_desk import write_desk
from tests.consumer_venv import make_venv, sh

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
LOAD = """
import json, sys
from datasets import load_dataset
rows = load_dataset("json", data_files=sys.argv[1], split="train", cache_dir="cache")
print(json.dumps([dict(row) for row in rows]))
"""


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with `datasets`."""
    return make_venv(
        "skyrl", ("skyrl-gym>=0.4", "datasets>=5", "pyarrow"), tmp_path_factory.mktemp("c")
    )


@pytest.mark.parametrize("format_name", ["sft", "dpo"])
def test_datasets_gives_back_what_was_written(
    consumer: Path, tmp_path: Path, format_name: str
) -> None:
    """Tool calls, tool definitions of every row and all fields come back equal."""
    write_desk(tmp_path / "set")
    writer = FORMATS[format_name].write
    writer(tmp_path / "set", tmp_path / "out")
    path = tmp_path / "out" / "train.jsonl"
    written = [json.loads(line) for line in path.read_text().splitlines()]
    loaded = json.loads(sh(consumer / "python", "-c", LOAD, path, cwd=tmp_path))
    assert len(written) == 2
    assert loaded == written

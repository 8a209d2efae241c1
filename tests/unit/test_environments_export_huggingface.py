"""The dataset folder: front matter, one file per split; and rows of every trainer kept apart by split."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from environments.export.registry import FORMATS
from environments.export.splits import SplitSettings
from environments.export.taskset import Choice
from environments.runtime import TaskSet
from environments.runtime.task.candidate import RecordedAttempt
from tests.environments_shop import call, entry, write_shop

HALVES = SplitSettings(shares={"train": 0.5, "held_out": 0.5})


@pytest.fixture(scope="module")
def divided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task set with one task to train on and one held out, each with a good and a bad attempt."""
    folder = tmp_path_factory.mktemp("divided") / "set"
    bad = (call("hand_over", {}),)
    entries = [
        replace(
            one := entry(n),
            attempts=(
                RecordedAttempt(episode_id=f"g{n}", actions=one.solution, resolved=True),
                RecordedAttempt(episode_id=f"b{n}", actions=bad, resolved=False),
            ),
        )
        for n in (1, 3)
    ]
    difficulty = {"tasks": {"task1": {"steps": 4, "estimate": {"rate": 0.25}, "policies": {}}}}
    choice = Choice(splits=HALVES, difficulty=difficulty, pictures={"difficulty.png": b"\x89PNG"})  # type: ignore[arg-type]  # nested JSON
    write_shop(
        folder, entries=entries, choice=choice, provenance={"name": "a: b", "license": "MIT"}
    )
    return folder


def test_the_card_says_where_each_split_is(divided: Path, tmp_path: Path) -> None:
    """Front matter that names every file, whatever the task set is called; the picture and the figures come along."""
    FORMATS["huggingface"].write(divided, tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    front, _, rest = card.removeprefix("---\n").partition("\n---\n")
    assert 'pretty_name: "a: b"' in front
    assert 'license: "mit"' in front
    assert '- split: held_out\n    path: "data/held_out-*.parquet"' in front
    assert "![pass rates](difficulty.png)" in rest
    assert (tmp_path / "out" / "difficulty.png").read_bytes() == b"\x89PNG"
    tables = {p.name: pq.read_table(p) for p in (tmp_path / "out" / "data").iterdir()}
    assert sorted(tables) == ["held_out-00000-of-00001.parquet", "train-00000-of-00001.parquet"]
    rows = pa.concat_tables(tables.values()).to_pylist()
    rates = {row["task_id"]: row["expected_pass_rate"] for row in rows}
    assert rates == {"task1": 0.25, "task3": None}


@pytest.mark.parametrize("name", ["sft", "dpo", "trl", "verl", "skyrl", "nemo-gym", "huggingface"])
def test_no_file_mixes_splits(name: str, divided: Path, tmp_path: Path) -> None:
    """The file that trainers read names no held-out task; the held-out file names no other."""
    opened = TaskSet.load(divided)
    ids = {split: opened.split(split)[0].task_id for split in ("train", "held_out")}
    FORMATS[name].write(divided, tmp_path / "out", name="desk tasks")
    rows = {
        path.name.split(".")[0].split("-")[0]: _text(path)
        for path in (tmp_path / "out").rglob("*")
        if path.suffix in {".jsonl", ".parquet"} and "task_set" not in path.parts
    }
    assert ids["train"] in rows["train"]
    assert ids["train"] not in rows["held_out"]
    assert ids["held_out"] in rows["held_out"]
    assert ids["held_out"] not in rows["train"]


def _text(path: Path) -> str:
    if path.suffix == ".parquet":
        return json.dumps(pq.read_table(path).to_pylist())
    return path.read_text()

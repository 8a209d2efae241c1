"""A reader sees the newest version, whoever wrote it, though it reads the log only where that has gone on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from dagster_project.errors import LakeError
from dagster_project.lake import open_tables as lake_opened
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Table

_FIELDS: list[pa.Field[Any]] = [
    pa.field("app", pa.string()),
    pa.field("day", pa.string()),
    pa.field("n", pa.int64()),
]
THINGS = Table(name="things", schema=pa.schema(_FIELDS))


def things(day: str, *numbers: int) -> pa.Table:
    """Rows of a day."""
    rows = [{"app": "a", "day": day, "n": n} for n in numbers]
    return pa.Table.from_pylist(rows, schema=THINGS.schema)


def numbers_in(lake: Lake) -> list[int]:
    """All that a reader sees."""
    return sorted(row["n"] for row in lake.read(THINGS, app="a").to_pylist())


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which tables are opened by reading their log."""
    found: list[str] = []

    def noted(path: str) -> DeltaTable:
        found.append(path)
        return DeltaTable(path)

    monkeypatch.setattr(lake_opened, "DeltaTable", noted)
    return found


def test_reading_again_and_again_reads_the_log_once(tmp_path: Path, opens: list[str]) -> None:
    """Also by other lakes over the same folder, and past commits, of which only the new ones are read."""
    writer, reader = Lake(tmp_path), Lake(tmp_path)
    writer.replace(THINGS, things("1", 1, 2), [("a", "1")])
    assert numbers_in(reader) == numbers_in(Lake(tmp_path)) == [1, 2]
    for day in range(2, 5):
        writer.replace(THINGS, things(str(day), day), [("a", str(day))])
        assert numbers_in(reader)[-1] == day
    assert len(opens) == 1


def test_a_table_that_was_made_anew_is_another(tmp_path: Path) -> None:
    """Its log is as long as that of the one before, or longer, and says something else."""
    first = Lake(tmp_path / "lake")
    first.replace(THINGS, things("1", 1), [("a", "1")])
    assert numbers_in(first) == [1]
    shutil.rmtree(tmp_path / "lake")
    assert numbers_in(first) == []
    second = Lake(tmp_path / "lake")
    second.replace(THINGS, things("1", 7), [("a", "1")])
    assert numbers_in(first) == [7]


def test_a_log_without_its_older_commits_is_read_anew(tmp_path: Path) -> None:
    """As after a checkpoint: what a reader knew is gone, what there is counts."""
    writer, reader = Lake(tmp_path), Lake(tmp_path)
    writer.replace(THINGS, things("1", 1), [("a", "1")])
    assert numbers_in(reader) == [1]
    writer.replace(THINGS, things("2", 2), [("a", "2")])
    DeltaTable(str(tmp_path / "things")).create_checkpoint()
    (tmp_path / "things" / "_delta_log" / f"{1:020}.json").unlink()
    assert numbers_in(reader) == [1, 2]


def test_a_damaged_log_is_a_sentence_as_before(tmp_path: Path) -> None:
    """What is in memory does not hide what lies on the disk."""
    lake = Lake(tmp_path)
    lake.replace(THINGS, things("1", 1), [("a", "1")])
    assert numbers_in(lake) == [1]
    for commit in (tmp_path / "things" / "_delta_log").glob("*.json"):
        commit.write_text("no commit", encoding="utf-8")
    with pytest.raises(LakeError, match="things"):
        numbers_in(lake)

"""A home that grows day by day ends as one that got everything at once, though it does less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dagster_project.arrival.files import take_in
from dagster_project.build import figures
from dagster_project.build.run import build
from dagster_project.defs.verified_tasks import verified_of
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.learnt_tables import AGREEMENT, TASKS, VERDICT_READS, VERIFIED
from dagster_project.lake.store import Lake
from dagster_project.worlds.stored_worlds import world_of
from environments.runtime.task.task_set import TaskSet
from tests.lending_desk import line, write

SECRET = "a secret of the tests, long enough"


def day_of(folder: Path, day: int, numbers: range) -> Path:
    """A day of the library: some readers, each with a good attempt and some with a bad one."""
    chats = [line(n, good=True, attempt=0, day=day) for n in numbers]
    chats += [line(n, good=False, attempt=1, day=day) for n in numbers if n % 3 == 0]
    return write(folder / f"day-{day}.jsonl", chats)


def built(path: Path, *rounds: list[Path]) -> Home:
    """A home, built after each round of files."""
    home = open_home(path, create=True)
    for files in rounds:
        take_in(home, files)
        build(home, secret=SECRET)
    return home


def learnt(home: Home) -> dict[str, list[dict[str, Any]]]:
    """Tasks, verdicts and what these were made of, as they lie in the lake."""
    lake = Lake(home.clean / "lake")
    return {
        table.name: sorted(lake.read(table).to_pylist(), key=lambda row: str(row["id"]))
        for table in (TASKS, VERIFIED, VERDICT_READS)
    }


def test_a_home_that_grew_is_equal_to_one_that_was_built_at_once(tmp_path: Path) -> None:
    """Byte for byte: tasks, verdicts, what they were made of, and the task set."""
    days = [day_of(tmp_path, 1, range(9)), day_of(tmp_path, 2, range(9, 14))]
    grown = built(tmp_path / "grown", days[:1], days[1:])
    whole = built(tmp_path / "whole", days)
    assert learnt(grown) == learnt(whole)
    assert learnt(grown)["verdict_reads"]
    versions = [
        TaskSet.load(home.clean / "tasksets" / "lending").manifest.task_set_version
        for home in (grown, whole)
    ]
    assert versions[0] == versions[1]


def test_figures_of_a_large_app_stand_for_a_day_that_adds_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agreement and held-out calls are those of before, tasks those of a build at once; asked for afresh, everything is."""
    monkeypatch.setattr(figures, "SMALL", 10)
    days = [day_of(tmp_path, 1, range(12)), day_of(tmp_path, 2, range(12, 14))]
    grown = built(tmp_path / "grown", days[:1])
    before = taken(grown)
    grown = built(tmp_path / "grown", days[1:])
    whole = built(tmp_path / "whole", days)
    assert taken(grown) == before != taken(whole)
    assert statuses(grown) == statuses(whole)
    build(grown, secret=SECRET, fresh=True)
    assert taken(grown) == taken(whole)
    assert learnt(grown) == learnt(whole)
    assert build(grown, secret=SECRET).apps == 0


def taken(home: Home) -> tuple[list[dict[str, Any]], Any]:
    """The attempts that were left out once, and what held-out calls said of the world."""
    lake = Lake(home.clean / "lake")
    world = world_of(lake, "lending")
    assert world is not None
    return sorted(lake.read(AGREEMENT).to_pylist(), key=lambda row: str(row["id"])), world.fidelity


def statuses(home: Home) -> dict[str, str]:
    """What the gate says of each task."""
    return {
        name: one.status for name, one in verified_of(Lake(home.clean / "lake"), "lending").items()
    }

"""Builds that may not take everything: a sample of requests, and budgets that leave work for the next build."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dagster_project.arrival.files import take_in
from dagster_project.build.run import BuildResult, build
from dagster_project.home.layout import Home, open_home
from dagster_project.report.parts import write_home_report
from dagster_project.report.yield_table import as_documents
from environments.runtime.task.task_set import TaskSet
from tests.lending_desk import line, write

SECRET = "a secret of the tests, long enough"
REQUESTS = 12


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with two attempts at each of a few requests, half of them failed."""
    write(
        tmp_path / "chats.jsonl",
        [
            line(number, good=number % 2 == 0, attempt=attempt)
            for number in range(REQUESTS)
            for attempt in range(2)
        ],
    )
    made = open_home(tmp_path / "h", create=True)
    take_in(made, [tmp_path / "chats.jsonl"])
    return made


def told(home: Home) -> dict[str, dict[str, Any]]:
    """The yield by stage; every conversation stands in one row."""
    rows = as_documents(write_home_report(home).funnel)
    for before, after in pairwise(rows):
        assert after["count"] + sum(after["lost"].values()) == before["count"]  # type: ignore[attr-defined,operator]
    return {str(row["stage"]): row for row in rows}


def made(home: Home, **options: Any) -> BuildResult:  # noqa: ANN401 - what a build may be told
    """Build it."""
    return build(home, secret=SECRET, **options)


def test_a_sample_is_told_and_weighs(home: Home) -> None:
    """What did not go on stands in the yield, and manifest and tasks say what each stands for."""
    made(home, most_requests=4)
    lost = told(home)["in a task"]["lost"]
    assert lost["not_sampled"] == 2 * (REQUESTS - 4)
    task_set = TaskSet.load(home.clean / "tasksets" / "lending")
    sampling: Any = task_set.manifest.provenance["sampling"]
    strata = sampling["lending"]["strata"]
    assert sum(row["requests"] for row in strata) == REQUESTS
    assert sum(row["kept"] for row in strata) == 4
    weights = {row["weight"] for row in strata}
    assert task_set.tasks
    assert {task.provenance["weight"] for task in task_set.tasks} <= weights
    card = (home.clean / "tasksets" / "lending" / "README.md").read_text(encoding="utf-8")
    assert "### A sample" in card
    settings = json.loads(home.manifest.read_text(encoding="utf-8"))
    home.manifest.write_text(json.dumps({**settings, "most_requests": REQUESTS}), encoding="utf-8")
    made(home)
    assert "not_sampled" not in told(home)["in a task"]["lost"]
    whole = TaskSet.load(home.clean / "tasksets" / "lending")
    assert "sampling" not in whole.manifest.provenance
    assert len(whole.tasks) > len(task_set.tasks)


def test_a_large_app_is_sampled_unless_all_is_asked_for(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has to know of the option for a build to end."""
    monkeypatch.setattr("dagster_project.home.settings.MOST_REQUESTS", 4)

    made(home)
    sampled = told(home)["in a task"]["lost"]
    made(home, most_requests=0)

    assert sampled["not_sampled"] == 2 * (REQUESTS - 4)
    assert "not_sampled" not in told(home)["in a task"]["lost"]


@pytest.mark.leaves_out
def test_what_budgets_leave_the_next_build_does(home: Home) -> None:
    """And then the home is as if there never was a budget."""
    none = ["worlds=0s", "agreement=0s", "verified_tasks=0s"]
    first = made(home, budgets=none)
    assert {one.stage for one in first.skipped} == {"worlds"}
    second = made(home, budgets=none[1:])
    assert {one.stage for one in second.skipped} == {"agreement", "verified_tasks"}
    assert told(home)["accepted"]["lost"]["budget"] > 0
    lines = [row.says for row in write_home_report(home).skipped]
    assert all(one.startswith("left for later: ") for one in lines)
    assert made(home).skipped == ()
    version = TaskSet.load(home.clean / "tasksets" / "lending").manifest.task_set_version
    assert made(home).apps == 0
    other = open_home(home.path.with_name("other"), create=True)
    take_in(other, [home.path.parent / "chats.jsonl"])
    made(other)
    alike = TaskSet.load(other.clean / "tasksets" / "lending").manifest.task_set_version
    assert alike == version

"""Two task sets compared: what came, went and changed, and why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from environments.diff import Difference, diff
from environments.export.taskset import Entry
from environments.runtime import TaskSet
from environments.runtime.task.rubric import Check
from tests.environments_shop import entry, world, write_shop


def compared(folder: Path, entries: list[Entry], other: dict[str, Any] | None = None) -> Difference:
    """The shop's set of tasks 1 and 3 against another one."""
    write_shop(folder / "a")
    write_shop(folder / "b", entries=entries, worlds={"shop": other or world()})
    return diff(TaskSet.load(folder / "a"), TaskSet.load(folder / "b"))


def parts(found: Difference) -> dict[str, list[tuple[str, str]]]:
    """The reasons of each changed task."""
    return {one.task_id: [(r.part, r.what) for r in one.reasons] for one in found.changed}


def test_equal_sets_do_not_differ(tmp_path: Path) -> None:
    """The same entries in another order are the same tasks."""
    found = compared(tmp_path, [entry(1), entry(3), entry(2, "rejected")])
    assert (found.same, found.came, found.went, found.changed) == (2, (), (), ())
    assert found.before == found.after
    assert found.runtime == ()


def test_equal_tasks_under_another_version_say_which_file_makes_it(tmp_path: Path) -> None:
    """A card with another figure is another version of the set, and no task changed."""
    write_shop(tmp_path / "a")
    told = {"name": "shop", "redaction": "on", "agreement": {"kappa": 0.8}}
    write_shop(tmp_path / "b", provenance=told)
    found = diff(TaskSet.load(tmp_path / "a"), TaskSet.load(tmp_path / "b"))
    assert found.before != found.after
    assert (found.same, found.changed, found.beside) == (2, (), ("README.md",))
    assert found.to_json()["beside"] == ["README.md"]


def test_tasks_come_and_go(tmp_path: Path) -> None:
    """A task that is accepted now came, one that is not there any more went, and so the count of left-out ones."""
    found = compared(tmp_path, [entry(1), entry(2)])
    assert [one.task_id for one in found.came] == ["task2"]
    assert [one.task_id for one in found.went] == ["task3"]
    assert found.came[0].title == "I want to cancel an order."
    assert found.left_out == {"rejected": (1, 0)}


def test_a_rubric_changes_check_by_check(tmp_path: Path) -> None:
    """An added, a removed and a heavier check are named one by one."""
    one = entry(1)
    end = replace(one.rubric.checks[0], weight=2.0)
    new = Check(check_id="calm", fn="calls_at_most", args={"most": 9}, says="At most 9 calls.")
    changed = replace(one, rubric=replace(one.rubric, checks=(end, new)))
    found = compared(tmp_path, [changed, entry(3)])
    assert parts(found) == {
        "task1": [
            ("rubric", "check told removed"),
            ("rubric", "check calm added"),
            ("rubric", "check end another weight"),
        ]
    }
    assert "The agent makes at most 9 calls." in found.changed[0].reasons[1].says


def test_the_task_itself_and_its_slice_change(tmp_path: Path) -> None:
    """Another user, other limits and another start are three reasons; a note for people is none."""
    one, three = entry(1), entry(3)
    task = replace(one.task, user=one.task.user[:1], start={"tables": {}})
    noted = replace(three, task=replace(three.task, provenance={"note": "other"}))
    found = compared(tmp_path, [replace(one, task=task), noted])
    assert parts(found) == {"task1": [("task", "user"), ("world slice", "start")]}


def test_the_world_changes_for_all_its_tasks(tmp_path: Path) -> None:
    """A tool that behaves otherwise is named for each task."""
    other = world()
    other["tools"]["get_order"]["kind"] = "search"
    found = compared(tmp_path, [entry(1), entry(3)], other)
    assert parts(found) == {
        "task1": [("world", "tools: get_order")],
        "task3": [("world", "tools: get_order")],
    }


def test_json_holds_everything(tmp_path: Path) -> None:
    """The document for programs can be written as JSON and names versions, tasks and reasons."""
    one = entry(1)
    stricter = replace(one.rubric.checks[0], weight=2.0)
    document = compared(
        tmp_path,
        [replace(one, rubric=replace(one.rubric, checks=(stricter, *one.rubric.checks[1:])))],
    )
    written = json.loads(json.dumps(document.to_json()))
    assert written["changed"][0]["reasons"][0]["what"].endswith("another weight")
    assert written["went"][0]["task_id"] == "task3"
    assert written["same"] == 0

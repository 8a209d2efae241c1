"""Writing a task set: what comes in, the same bytes, no half-written folder, no folder lost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from environments.export.errors import ExportError
from environments.export.taskset import Choice, entry_of, write_task_set
from environments.runtime import TaskSet
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from tests.environments_shop import entry, world, write_shop


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    """Neither time nor the order of the records shows in the folder."""
    first = write_shop(tmp_path / "a")
    second = write_shop(tmp_path / "b", entries=[entry(2, "rejected"), entry(1), entry(3)])
    assert first == second
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_only_accepted_tasks_come_in(tmp_path: Path) -> None:
    """What verification did not accept is counted, not exported, unless it is asked for."""
    manifest = write_shop(tmp_path / "a")
    assert [e.task_id for e in manifest.tasks] == ["task1", "task3"]
    assert manifest.left_out == {"rejected": 1}
    manifest = write_shop(tmp_path / "b", choice=Choice(statuses=("accepted", "rejected")))
    assert [e.status for e in manifest.tasks] == ["accepted", "rejected", "accepted"]


def test_withheld_consent_stands_above_every_status(tmp_path: Path) -> None:
    """A task whose episode must not be trained on never comes in."""
    withheld = entry(1)
    withheld = replace(withheld, task=replace(withheld.task, provenance={"do_not_train": True}))
    manifest = write_shop(tmp_path / "a", entries=[withheld, entry(3)])
    assert [e.task_id for e in manifest.tasks] == ["task3"]
    assert manifest.left_out == {"do_not_train": 1}


def test_the_version_follows_the_content_only(tmp_path: Path) -> None:
    """Notes for people do not change a version; a tool, a check or the world does."""
    plain = entry(1)
    noted = replace(plain, task=replace(plain.task, provenance={"other": 1}))
    first, *others = plain.rubric.checks
    heavier = (replace(first, weight=first.weight + 1), *others)
    stricter = replace(plain, rubric=replace(plain.rubric, checks=heavier))
    other = world() | {"note": "changed"}
    versions = [
        write_shop(tmp_path / "set", entries=[e], worlds={"shop": w}).tasks[0].task_version
        for e, w in ((plain, world()), (noted, world()), (stricter, world()), (plain, other))
    ]
    assert versions[0] == versions[1]
    assert len(set(versions)) == 3


def test_ids_from_data_never_become_paths(tmp_path: Path) -> None:
    """An id that is no file name is hashed; nothing is written outside the folder."""
    bad = entry(1)
    task_id = "../../evil"
    bad = replace(
        bad,
        task=replace(bad.task, task_id=task_id, world="a/b"),
        rubric=replace(bad.rubric, task_id=task_id),
    )
    write_shop(tmp_path / "in" / "set", entries=[bad], worlds={"a/b": world()})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in"]
    task_set = TaskSet.load(tmp_path / "in" / "set")
    assert task_set.grade(task_id, task_set.solution(task_id)).reward == 1.0


def test_a_task_set_replaces_an_older_one(tmp_path: Path) -> None:
    """Exporting to the same place again leaves the new set and nothing of the old one."""
    write_shop(tmp_path / "set")
    write_shop(tmp_path / "set", entries=[entry(1)])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["set"]
    assert sorted(p.name for p in (tmp_path / "set" / "rubrics").iterdir()) == ["task1.json"]


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    """A destination that holds something else is refused and stays as it was."""
    (tmp_path / "thesis.txt").write_text("work")
    with pytest.raises(ExportError, match="not a task set"):
        write_shop(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match="is a file"):
        write_shop(tmp_path / "file")
    assert (tmp_path / "thesis.txt").read_text() == "work"


def test_a_failed_export_leaves_what_was_there(tmp_path: Path) -> None:
    """A missing world or a double task stops before anything is replaced."""
    write_shop(tmp_path / "set")
    before = contents(tmp_path / "set")
    with pytest.raises(ExportError, match="world"):
        write_shop(tmp_path / "set", worlds={})
    with pytest.raises(ExportError, match="2 times"):
        write_shop(tmp_path / "set", entries=[entry(1), entry(1)])
    assert contents(tmp_path / "set") == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["set"]


def test_the_card_says_what_matters(tmp_path: Path) -> None:
    """Counts, verification, agreement, redaction and licence, with names as plain text."""
    write_shop(tmp_path / "set", provenance={"name": "<b>*x*", "redaction": "on"})
    text = (tmp_path / "set" / "README.md").read_text()
    assert "pseudonymised, not anonymous" in text
    assert "left out: 1 rejected" in text
    assert "# \\<b\\>\\*x\\*" in text
    assert "Not measured." in text
    write_shop(tmp_path / "set", provenance={"redaction": "off", "license": "MIT"})
    text = (tmp_path / "set" / "README.md").read_text()
    assert "was **off**" in text
    assert "MIT" in text


def test_the_card_shows_how_far_each_kind_of_check_is_trusted(tmp_path: Path) -> None:
    """Two lines a kind: attempts left out, and tasks; names from data stay plain text."""
    none: Json = {"count": 0, "of": 0, "low": 0.0, "high": 1.0}
    some: Json = {"count": 1, "of": 40, "low": 0.0006, "high": 0.1316}
    attempts: Json = {"graded": 40, "of": 44, "kappa": 0.95, "false_pass": some, "false_fail": none}
    tasks: Json = {"graded": 0, "of": 9, "kappa": None, "false_pass": none, "false_fail": none}
    row: Json = {
        "app": "a|b",
        "kind": "changes",
        "standing": "not proven",
        "tasks": 9,
        "left_out": {"attempts": attempts, "tasks": tasks},
    }
    write_shop(tmp_path / "set", provenance={"redaction": "on", "graders": [row]})
    text = (tmp_path / "set" / "README.md").read_text()
    begins = "| a\\|b | the right records are changed | 9"
    assert (
        f"{begins} | attempt | 40 of 44 | 0.95 | 1 (0.1 to 13.2 %) | not measured | not proven |"
        in text
    )
    assert f"{begins} | task | 0 of 9 | unknown | not measured | not measured | |" in text


def test_an_empty_set_is_still_a_task_set(tmp_path: Path) -> None:
    """No accepted task is a set of none, not a crash."""
    write_shop(tmp_path / "set", entries=[])
    assert TaskSet.load(tmp_path / "set").tasks == ()


def test_an_entry_comes_from_a_verified_candidate(tmp_path: Path) -> None:
    """A candidate and its verification make an entry; both are in the folder."""
    plain = entry(1)
    candidate = Candidate(task=plain.task, rubric=plain.rubric, solution=plain.solution)
    made = entry_of(candidate, status="accepted", verification={"probes": 7})
    write_task_set(tmp_path / "set", [made], {"shop": world()}, provenance={})
    document = json.loads((tmp_path / "set" / "rubrics" / "task1.json").read_text())
    assert document["verification"] == {"probes": 7}

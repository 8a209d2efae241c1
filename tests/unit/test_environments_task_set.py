"""Opening a task set, its verdicts, its commands, and what happens to a changed or foreign folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from environments.runtime import TaskSet, grade, run_actions
from environments.runtime.play.main import main
from environments.runtime.task.errors import (
    ChangedFileError,
    NoSuchTaskError,
    NotATaskSetError,
    WrongVersionError,
)
from environments.runtime.values.canonical import canonical, digest_bytes
from tests.environments_shop import call, entry, say, write_shop


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A task set of the small shop."""
    write_shop(tmp_path / "set")
    return tmp_path / "set"


def rewrite(folder: Path, **changes: object) -> None:
    """Change the manifest."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(canonical(manifest | changes))


def test_a_task_set_opens_with_its_tasks(folder: Path) -> None:
    """Tasks carry id, version and app."""
    task_set = TaskSet.load(folder)
    assert [task.task_id for task in task_set.tasks] == ["task1", "task3"]
    assert {task.app for task in task_set.tasks} == {"shop"}
    assert len({task.task_version for task in task_set.tasks}) == 2
    assert task_set.tasks[0].to_json()["user"] == [
        {"text": "It is o1.", "asked": "Which order is it?", "ends": False},
        {"text": "Thanks, bye.", "asked": "It is cancelled. Anything else?", "ends": True},
    ]


def test_signs_that_end_a_line_elsewhere_end_no_task(tmp_path: Path) -> None:
    """A line separator, a form feed or a next-line sign inside a message stands in its task like any other sign."""
    opening = {"role": "user", "content": "one\u2028two\x0cthree\x85four\u2029five"}
    entries = [entry(3), replace(entry(1), task=replace(entry(1).task, opening=(opening,)))]
    write_shop(tmp_path / "set", entries=entries)
    task_set = TaskSet.load(tmp_path / "set")
    assert [task.task_id for task in task_set.tasks] == ["task1", "task3"]
    assert task_set.tasks[0].opening[-1] == opening


def test_live_and_pure_grading_agree(folder: Path) -> None:
    """Stepping through an environment and grading its actions give one verdict."""
    task_set = TaskSet.load(folder)
    for task in task_set.tasks:
        environment = task_set.environment(task.task_id, seed=3)
        for action in task_set.solution(task.task_id):
            environment.step(action)
        live = environment.grade()
        assert live == grade(task, task_set.solution(task.task_id))
        assert (live.reward, live.task_version) == (1.0, task.task_version)


def test_doing_nothing_and_claiming_pay_nothing(folder: Path) -> None:
    """Words without the change score 0."""
    task_set = TaskSet.load(folder)
    assert task_set.grade("task1", ()).reward == 0
    assert task_set.grade("task1", [say("It is cancelled.")] * 3).reward == 0
    assert task_set.grade("task1", [call("cancel_order", {"order_id": "o3"})]).reward == 0


def test_a_tampered_transcript_is_never_paid(folder: Path) -> None:
    """A claimed tool result that differs from the re-run takes the reward away."""
    task_set = TaskSet.load(folder)
    forged = {"role": "tool", "tool_call_id": "c2", "content": '{"status": "refunded"}'}
    actions = [*task_set.solution("task1")[:3], forged, task_set.solution("task1")[3]]
    assert task_set.grade("task1", actions).reward is None


@pytest.mark.parametrize(
    "name", ["tasks.jsonl", "worlds/shop.json", "rubrics/task1.json", "runtime/checks/table.py"]
)
def test_a_changed_file_is_named(folder: Path, name: str) -> None:
    """One byte more in any file stops the load with the file's name."""
    with (folder / name).open("ab") as stream:
        stream.write(b" ")
    with pytest.raises(ChangedFileError, match=name):
        TaskSet.load(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    """A set that is not whole says what it lacks."""
    (folder / "tasks.jsonl").unlink()
    with pytest.raises(NotATaskSetError, match=r"tasks\.jsonl"):
        TaskSet.load(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "1"}', '{"format": "1", "tasks": 3}'])
def test_a_folder_that_is_no_task_set_says_so(tmp_path: Path, text: str) -> None:
    """No manifest, a broken one, or another file of that name."""
    if text:
        (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(NotATaskSetError):
        TaskSet.load(tmp_path)


def test_another_version_is_a_clear_error(folder: Path) -> None:
    """A set of a later format names both versions."""
    rewrite(folder, format="9")
    with pytest.raises(WrongVersionError, match=r"'9'.*'1'"):
        TaskSet.load(folder)


def test_a_manifest_cannot_point_outside(folder: Path) -> None:
    """A path that leaves the folder is refused before it is read."""
    outside = folder.parent / "secret"
    outside.write_text("x")
    rewrite(folder, files={"../secret": digest_bytes(b"x")})
    with pytest.raises(NotATaskSetError, match="outside"):
        TaskSet.load(folder)


def test_a_world_of_another_version_is_a_clear_error(tmp_path: Path) -> None:
    """A world file that this runtime cannot read is named when its task is opened."""
    write_shop(tmp_path / "set", worlds={"shop": {"format": "9"}})
    with pytest.raises(WrongVersionError, match=r"shop\.json"):
        TaskSet.load(tmp_path / "set").environment("task1")


def test_an_unknown_task_is_a_clear_error(folder: Path) -> None:
    """A task id that is not there is named."""
    with pytest.raises(NoSuchTaskError, match="nope"):
        TaskSet.load(folder).environment("nope")


def test_observations_never_hold_the_answer(folder: Path) -> None:
    """What a policy sees of a run holds neither rubric, solution, provenance nor other orders."""
    task_set = TaskSet.load(folder)
    environment = task_set.environment("task1")
    seen = [environment.reset()]
    seen += [environment.step(action) for action in task_set.solution("task1")]
    text = json.dumps([[list(s.messages), list(s.tools)] for s in seen])
    assert not any(secret in text for secret in ("ep1", "end_state", "o3", "asked", "support"))


def test_the_attempt_is_the_same_whatever_the_seed(folder: Path) -> None:
    """A scripted run has no randomness: seeds only name runs."""
    task = TaskSet.load(folder).task("task1")
    world = task.task_set.world("task1")
    actions = task.task_set.solution("task1")
    assert run_actions(task, world, actions, 1) == run_actions(task, world, actions, 2)


def run(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The shipped command on an isolated Python, from another folder."""
    command = [sys.executable, "-I", str(folder), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, input=stdin, cwd=folder.parent, check=False
    )


def test_validate_passes_on_a_bare_python(folder: Path) -> None:
    """`python DIR validate` needs nothing installed and leaves the folder as it was."""
    before = sorted(folder.rglob("*.*"))
    done = run(folder, "validate")
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 tasks, 2 valid" in done.stdout
    left = [path for path in folder.rglob("*.*") if path.parent != folder / "__pycache__"]
    assert sorted(left) == before


def test_validate_reports_for_scripts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` gives the same findings as data."""
    assert main(["validate", "--json"], folder) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["valid"] is True
    assert [row["solution"] for row in found["tasks"]] == [1.0, 1.0]


def test_validate_names_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A solution that no longer scores 1 fails the command, also when the hashes were made to fit."""
    path = folder / "rubrics" / "task1.json"
    path.write_text(canonical(json.loads(path.read_text()) | {"solution": [say("no")]}))
    files = json.loads((folder / "manifest.json").read_text())["files"]
    rewrite(folder, files=files | {"rubrics/task1.json": digest_bytes(path.read_bytes())})
    assert main(["validate"], folder) == 1
    assert "the solution does not score 1" in capsys.readouterr().out


def test_a_changed_set_ends_the_command_with_one_sentence(folder: Path) -> None:
    """No traceback for a folder that cannot be used."""
    (folder / "tasks.jsonl").write_text("")
    done = run(folder, "validate")
    assert done.returncode == 2
    assert "tasks.jsonl" in done.stderr
    assert "Traceback" not in done.stderr


def test_run_plays_a_task_in_the_terminal(folder: Path) -> None:
    """Words, calls and the verdict, typed by hand."""
    typed = 'Which order is it?\n/tools\n/call cancel_order {"order_id": "o1"}\nIt is cancelled. Anything else?\n'
    done = run(folder, "run", "task1", stdin=typed)
    assert done.returncode == 0
    assert "Thanks, bye." in done.stdout
    assert '"reward": 1.0' in done.stdout


@pytest.mark.parametrize("lines", [True, False])
def test_run_takes_actions_from_a_file(folder: Path, *, lines: bool) -> None:
    """A file of messages, as a list or one a line, is played and graded."""
    actions = [dict(a) for a in TaskSet.load(folder).solution("task3")]
    path = folder.parent / "actions"
    path.write_text("\n".join(map(json.dumps, actions)) if lines else json.dumps(actions))
    done = run(folder, "run", "task3", "--actions", str(path))
    assert '"reward": 1.0' in done.stdout
    assert "cancel_order(" in done.stdout


@pytest.mark.parametrize("text", ["not json", "[1]"])
def test_a_bad_actions_file_is_one_sentence(folder: Path, text: str) -> None:
    """A file that holds no messages is named, without a traceback."""
    path = folder.parent / "actions"
    path.write_text(text)
    done = run(folder, "run", "--actions", str(path))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert str(path) in done.stderr


def listed(folder: Path, name: str, text: str) -> None:
    """Write a file and list it: what somebody can do who may change the whole folder."""
    (folder / name).write_text(text)
    files = json.loads((folder / "manifest.json").read_text())["files"]
    rewrite(folder, files=files | {name: digest_bytes(text.encode())})


def rubric_of(folder: Path) -> str:
    """The path of the first task's rubric."""
    return str(json.loads((folder / "manifest.json").read_text())["tasks"][0]["rubric"])


def opened(folder: Path) -> None:
    """Open everything that a run and its verdict need."""
    task_set = TaskSet.load(folder)
    for task in task_set.tasks:
        task_set.grade(task.task_id, task_set.solution(task.task_id))


def test_a_rubric_that_the_manifest_does_not_list_is_refused(folder: Path) -> None:
    """A file beside the set is no part of it, whatever a task's entry says."""
    tasks = json.loads((folder / "manifest.json").read_text())["tasks"]
    (folder / "other.json").write_bytes((folder / rubric_of(folder)).read_bytes())
    rewrite(folder, tasks=[tasks[0] | {"rubric": "other.json"}, *tasks[1:]])
    with pytest.raises(NotATaskSetError, match="does not list"):
        opened(folder)


def test_a_file_that_changes_after_loading_is_refused(folder: Path) -> None:
    """What is read late is checked when it is read."""
    task_set = TaskSet.load(folder)
    rubric = folder / rubric_of(folder)
    rubric.write_text(rubric.read_text().replace("1", "2"))
    with pytest.raises(ChangedFileError):
        task_set.rubric("task1")


@pytest.mark.parametrize("kind", ["file", "folder", "pipe"])
def test_links_and_pipes_in_a_task_set_are_refused(folder: Path, tmp_path: Path, kind: str) -> None:
    """A link leads to what nobody exported, and a pipe would never end."""
    rubric = folder / rubric_of(folder)
    if kind == "folder":
        rubric.parent.rename(tmp_path / "elsewhere")
        rubric.parent.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    else:
        rubric.rename(tmp_path / "elsewhere")
        if kind == "file":
            rubric.symlink_to(tmp_path / "elsewhere")
        else:
            os.mkfifo(rubric)
    with pytest.raises(NotATaskSetError, match="no plain file"):
        opened(folder)


def test_code_beside_a_task_set_never_runs(folder: Path, tmp_path: Path) -> None:
    """A module that the manifest does not list is neither run by the commands nor passed over."""
    for name in ("json.py", "pathlib.py", "argparse.py"):
        (folder / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    ran = subprocess.run(
        [sys.executable, "-I", str(folder), "validate"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert "no part of the exported task set" in ran.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tasks.jsonl", '"calls":100', '"calls":Infinity'),
        ("tasks.jsonl", '"calls":100', '"calls":1e999'),
        ("tasks.jsonl", '"calls":100', '"calls":' + "9" * 5000),
        ("tasks.jsonl", '"calls":100', '"calls":[]'),
        ("tasks.jsonl", '"limits":{', '"limits":[{'),
        ("rubric", '"weight":1', '"weight":NaN'),
        ("rubric", '"weight":1', '"weight":1e999'),
        ("rubric", '"weight":1', '"weight":[]'),
        ("rubric", '"args":{', '"args":[],"nothing":{'),
        ("rubric", '"solution":[', '"solution":7,"nothing":['),
    ],
)
def test_values_that_no_export_writes_are_one_sentence(
    folder: Path, name: str, old: str, new: str
) -> None:
    """Numbers without end, other types and damage raise the loader's own error."""
    name = rubric_of(folder) if name == "rubric" else name
    text = (folder / name).read_text()
    assert old in text
    listed(folder, name, text.replace(old, new))
    with pytest.raises(NotATaskSetError, match="export the task set again"):
        opened(folder)

"""`export --rekey`: the same tasks under another key, in nothing joinable to an export of the home itself."""

import re
from pathlib import Path

import pytest

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.cli.tasks.export import export
from dagster_project.home.layout import Home, open_home
from environments.runtime.task.task_set import TaskSet
from tests.lending_desk import FIRST, LAST, lines, write

_ID = re.compile(r"\b[0-9a-f]{32}\b")
_MAIL = re.compile(r"[\w.+-]+@[\w.-]+")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with one small app, built once."""
    folder = tmp_path_factory.mktemp("rekey")
    made = open_home(folder / "home", create=True)
    take_in(made, [write(folder / "chats.jsonl", lines(12))])
    assert build(made, secret="a secret of the tests, long enough").failed_checks == ()
    return made


def words(folder: Path, pattern: re.Pattern[str]) -> set[str]:
    """Everything of a form that stands in the tasks and worlds of a task set."""
    files = [folder / "tasks.jsonl", *sorted((folder / "worlds").rglob("*.json"))]
    return {found for file in files for found in pattern.findall(file.read_text("utf-8"))}


@pytest.mark.slow
def test_two_exports_under_two_keys_share_no_id_and_no_address(home: Home, tmp_path: Path) -> None:
    """As many tasks, no id and no surrogate in common, nobody's real name, and nothing left behind."""
    plain, other, third = tmp_path / "plain", tmp_path / "other", tmp_path / "third"
    export("taskset", plain, home=home.path)
    export("taskset", other, home=home.path, rekey=True)
    export("taskset", third, home=home.path, rekey=True)
    one, two = TaskSet.load(plain), TaskSet.load(other)
    assert len(one.tasks) == len(two.tasks) > 0
    for pattern in (_ID, _MAIL):
        seen = [words(folder, pattern) for folder in (plain, other, third)]
        assert all(seen)
        assert not seen[0] & seen[1]
        assert not seen[1] & seen[2]
    text = (other / "tasks.jsonl").read_text("utf-8").lower()
    assert not [f for f in FIRST for n in LAST if f"{f} {n}".lower() in text]
    assert not list(home.private.glob("rekey-*"))

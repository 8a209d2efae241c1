"""Past the gate nothing that was planted stands, in any file of a home and its exports, and no export joins another."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.cli.tasks.export import export
from dagster_project.home.layout import Home, open_home
from dagster_project.tasks.grader_trust import CHECK
from environments.runtime.task.task_set import TaskSet
from tests.lending_desk import write
from tests.planted_desk import MEMBERS, folded, line, planted

_SUBJECT = re.compile(r"s1:[^\"\\]+")
_ESCAPE = re.compile(r"\\+u([0-9a-fA-F]{4})")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with the planted app, built once; its own checks find nothing."""
    folder = tmp_path_factory.mktemp("planted")
    made = open_home(folder / "home", create=True)
    take_in(made, [write(folder / "chats.jsonl", [line(number) for number in range(24)])])
    failed = build(made, secret="a secret of the tests, long enough").failed_checks
    assert [check for check in failed if CHECK not in check] == []  # so few attempts prove nothing
    return made


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file's name and text, escapes read; tables row by row with what their footers say."""
    for file in sorted(folder.rglob("*")):
        if not file.is_file() or file.suffix == ".py":
            continue
        yield "name", str(file.relative_to(folder))
        if file.suffix == ".parquet":
            table = pq.ParquetFile(file)
            yield str(file), json.dumps(table.read().to_pylist(), default=str, ensure_ascii=False)
        text = file.read_bytes().decode("utf-8", "replace")
        yield str(file), _ESCAPE.sub(lambda code: chr(int(code[1], 16)), text)


def found(folder: Path) -> set[tuple[str, str]]:
    """What was planted and stands there, with the file."""
    wanted = planted()
    return {
        (one, where)
        for where, text in texts(folder)
        for told in (folded(text),)
        for one in wanted
        if one in told
    }


@pytest.mark.slow
def test_nothing_planted_stands_past_the_gate(home: Home, tmp_path: Path) -> None:
    """Lake, worlds, tasks, reports, Dagster's storage and exports hold no name, address, number or cut user name."""
    assert found(home.clean) == set()
    assert found(home.private / "dagster") == set()
    for form in ("taskset", "sft", "huggingface"):
        export(form, tmp_path / form, home=home.path, include=["needs_review"])
    assert found(tmp_path) == set()
    said = json.loads((home.clean / "leaks.json").read_text("utf-8"))["yolpay"]
    assert said["leaks"] == 0
    assert said["commutation"] | {"calls": 0, "withheld": 0} == dict.fromkeys(
        said["commutation"], 0
    )


@pytest.mark.slow
def test_worlds_of_signed_in_members_know_surrogates_only(home: Home, tmp_path: Path) -> None:
    """Whose session it is stands in tables and starts as a surrogate, and as another under another key."""
    seen = []
    for name, rekey in (("one", False), ("two", True)):
        folder = tmp_path / name
        export("taskset", folder, home=home.path, include=["needs_review"], rekey=rekey)
        files = (folder / "worlds").rglob("*.json")
        told = {one[3:] for file in files for one in _SUBJECT.findall(file.read_text("utf-8"))}
        told |= {str(task.start["subject"]) for task in TaskSet.load(folder).tasks}
        assert len(told) >= len(MEMBERS)
        # A short id has few others: one member's is made another's.
        long = {folded(one) for one in told if len(one) > len("u88")}
        assert not long & {folded(one) for who in MEMBERS for one in (who.subject, who.name)}
        seen.append(long)
    assert seen[0]
    assert not seen[0] & seen[1]

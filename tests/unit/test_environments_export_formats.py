"""What holds for every format: the same bytes, the task set inside unchanged, no answer where a policy can look."""

from __future__ import annotations

import ast
import json
import sys
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dagster_project.cli.tasks.export import FORMATS as NAMES
from environments.export.errors import ExportError
from environments.export.package import MARKER
from environments.export.registry import FORMATS
from environments.runtime import TaskSet
from environments.runtime.task.errors import ChangedFileError
from tests.consumer_desk import write_desk
from tests.syntax import syntax

FRAMEWORKS = {
    "verifiers": {"verifiers", "aiohttp"},
    "skyrl": {"skyrl_gym"},
    "inspect": {"inspect_ai"},
    "openenv": {"openenv", "pydantic", "uvicorn", "models", "server", "task_set", "client"},
    "verl": {"verl", "desk_tasks"},
    "harbor": {"runtime"},
    "nemo-gym": {"nemo_gym", "fastapi", "pydantic", "task_set"},
}
"""What a format's own files may import beside the standard library and themselves."""
ROWS = {"skyrl": "train.parquet", "trl": "train.parquet", "verl": "train.parquet"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The desk as a task set."""
    folder = tmp_path_factory.mktemp("desk") / "set"
    write_desk(folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_command_line_knows_every_format() -> None:
    """The names in the help are the formats that can be written."""
    assert set(NAMES) == {"taskset", *FORMATS}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_same_task_set_gives_the_same_bytes(name: str, desk: Path, tmp_path: Path) -> None:
    """Two exports are equal, and the second replaces the first."""
    FORMATS[name].write(desk, tmp_path / "a", name="desk tasks")
    FORMATS[name].write(desk, tmp_path / "b", name="desk tasks")
    before = contents(tmp_path / "a")
    assert before == contents(tmp_path / "b")
    FORMATS[name].write(desk, tmp_path / "a", name="desk tasks")
    assert before == contents(tmp_path / "a")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_bad_input_leaves_everything_as_it_was(name: str, desk: Path, tmp_path: Path) -> None:
    """A foreign folder is refused, and a changed task set stops the export before anything is written."""
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "text").write_text("work")
    with pytest.raises(ExportError):
        FORMATS[name].write(desk, tmp_path / "thesis")
    write_desk(tmp_path / "set")
    (tmp_path / "set" / "tasks.jsonl").write_text("")
    with pytest.raises(ChangedFileError):
        FORMATS[name].write(tmp_path / "set", tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["set", "thesis"]


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"harbor"}))
def test_the_task_set_inside_is_the_task_set(name: str, desk: Path, tmp_path: Path) -> None:
    """Where a format carries the task set, it is byte for byte the one that was exported."""
    FORMATS[name].write(desk, tmp_path / "out")
    inside = [path.parent for path in (tmp_path / "out").rglob("manifest.json")]
    assert len(inside) == (0 if name in {"sft", "dpo"} else 1)
    assert all(contents(folder) == contents(desk) for folder in inside)


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"sft", "dpo"}))
def test_no_answer_lies_outside_of_the_task_set(name: str, desk: Path, tmp_path: Path) -> None:
    """Rows, prompts, tool files and code hold neither a rubric, a recording nor the user's future words."""
    FORMATS[name].write(desk, tmp_path / "out")
    held = {
        path: data
        for path, data in contents(tmp_path / "out").items()
        if "task_set/" not in path and not path.endswith("solution/calls.json")
    }
    for path, data in held.items():
        text = data
        if path.endswith(".parquet"):
            text = json.dumps(pq.read_table(pa.BufferReader(data)).to_pylist()).encode()
        for secret in (b"It is o1", b"pending", b"end_state", b"canonical_arguments", b'"o1"'):
            assert secret not in text, path


@pytest.mark.parametrize("name", sorted(FRAMEWORKS))
def test_a_package_needs_its_consumer_only(name: str, desk: Path, tmp_path: Path) -> None:
    """Every file is Python that parses, and imports the standard library, its consumer and itself."""
    FORMATS[name].write(desk, tmp_path / "out")
    for path in (tmp_path / "out").rglob("*.py"):
        if "task_set" in path.parent.parts:
            continue
        for node in ast.walk(syntax(path)):
            roots: set[str] = set()
            if isinstance(node, ast.Import):
                roots = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                roots = {(node.module or "").split(".")[0]}
            assert roots <= set(sys.stdlib_module_names) | FRAMEWORKS[name], path


@pytest.mark.parametrize("name", ["skyrl", "inspect", "openenv", "trl", "verl"])
def test_a_project_says_what_it_needs(name: str, desk: Path, tmp_path: Path) -> None:
    """Projects are private, and name their consumer with a bound."""
    FORMATS[name].write(desk, tmp_path / "out")
    project = tomllib.loads((tmp_path / "out" / "pyproject.toml").read_text())["project"]
    assert project["name"] == "desk-tasks"
    assert ">=" in project["dependencies"][0]
    assert project["classifiers"] == ["Private :: Do Not Upload"]
    marker = json.loads((tmp_path / "out" / MARKER).read_text())
    assert marker["task_set_version"] == TaskSet.load(desk).manifest.task_set_version


@pytest.mark.parametrize("name", sorted(ROWS))
def test_rows_hold_a_prompt_and_name_their_task(name: str, desk: Path, tmp_path: Path) -> None:
    """One row a task, in the order of the task set, with text messages only."""
    FORMATS[name].write(desk, tmp_path / "out")
    rows = pq.read_table(tmp_path / "out" / ROWS[name]).to_pylist()
    named = [row.get("task_id") or row["extra_info"]["task_id"] for row in rows]
    assert named == ["task1", "task3", "task4"]
    for row in rows:
        assert [message["role"] for message in row["prompt"]] == ["system", "user"]
        assert all(isinstance(message["content"], str) for message in row["prompt"])

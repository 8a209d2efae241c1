"""The files of a verifiers package: whole, deterministic, and with the task set inside unchanged."""

from __future__ import annotations

import ast
import importlib
import sys
import tomllib
from pathlib import Path

import pytest

from environments.export.errors import ExportError
from environments.export.package import module_name
from environments.export.registry import FORMATS
from environments.runtime.task.errors import ChangedFileError
from tests.environments_shop import entry, write_shop
from tests.syntax import syntax


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The small shop as a package."""
    write_shop(tmp_path / "set")
    FORMATS["verifiers"].write(tmp_path / "set", tmp_path / "package", name="Shop tasks")
    return tmp_path / "package"


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    files = (p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def test_the_package_is_a_project(package: Path) -> None:
    """Its metadata asks for the v1 API by a lower bound, which the Hub needs to see."""
    project = tomllib.loads((package / "pyproject.toml").read_text())
    assert project["project"]["name"] == "shop-tasks"
    assert project["project"]["dependencies"] == ["verifiers>=0.4,<0.5"]
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["shop_tasks"]


def test_it_exports_one_taskset_and_one_harness(package: Path) -> None:
    """Without a harness of its own a package would give the model a shell on the host."""
    tree = ast.parse((package / "shop_tasks" / "__init__.py").read_text())
    exported = next(n for n in tree.body if isinstance(n, ast.Assign))
    assert ast.literal_eval(exported.value) == ["ReplayHarness", "ReplayTaskset"]


def test_its_code_needs_verifiers_and_what_that_brings_only(package: Path) -> None:
    """Every import is relative, of the standard library, verifiers or aiohttp."""
    allowed = {*sys.stdlib_module_names}
    for path in (package / "shop_tasks").glob("*.py"):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Import):
                roots = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                roots = {(node.module or "").split(".")[0]}
            else:
                continue
            assert roots <= allowed | {"verifiers", "aiohttp"}


def test_the_task_set_inside_is_the_task_set(package: Path) -> None:
    """It is copied byte for byte and runs from where it lies."""
    inside = contents(package / "shop_tasks" / "task_set")
    assert inside == contents(package.parent / "set")


def test_the_runtime_inside_grades(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path by which the package's code reaches it gives the same reward."""
    monkeypatch.syspath_prepend(str(package / "shop_tasks"))
    runtime = importlib.import_module("task_set.runtime")
    task_set = runtime.TaskSet.load(package / "shop_tasks" / "task_set")
    assert task_set.grade("task1", task_set.solution("task1")).reward == 1.0


def test_the_same_task_set_gives_the_same_bytes(package: Path, tmp_path: Path) -> None:
    """Two exports are equal; another content has another version."""
    FORMATS["verifiers"].write(tmp_path / "set", tmp_path / "again", name="Shop tasks")
    assert contents(package) == contents(tmp_path / "again")
    write_shop(tmp_path / "set", entries=[entry(1)])
    FORMATS["verifiers"].write(tmp_path / "set", tmp_path / "again", name="Shop tasks")
    assert contents(package)["pyproject.toml"] != contents(tmp_path / "again")["pyproject.toml"]


def test_a_changed_task_set_is_not_exported(package: Path) -> None:
    """A file that is not as it was exported stops every further export."""
    (package.parent / "set" / "tasks.jsonl").write_text("")
    with pytest.raises(ChangedFileError):
        FORMATS["verifiers"].write(package.parent / "set", package)
    assert (package / "pyproject.toml").is_file()


def test_a_foreign_folder_is_left_alone(package: Path, tmp_path: Path) -> None:
    """Only a package of this writer is replaced."""
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "pyproject.toml").write_text("mine")
    with pytest.raises(ExportError, match="not a verifiers export"):
        FORMATS["verifiers"].write(tmp_path / "set", tmp_path / "thesis")
    assert (tmp_path / "thesis" / "pyproject.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("text", "name"),
    [("Shop tasks", "shop_tasks"), ("ÄÖ--2 b", "tasks_2_b"), ("a" * 99, "a" * 60)],
)
def test_names_become_module_names(text: str, name: str) -> None:
    """Plugin ids are imported: they must be plain module names."""
    assert module_name(text, "verifiers") == name


@pytest.mark.parametrize("text", ["verifiers", "runtime"])
def test_names_that_would_shadow_are_refused(text: str) -> None:
    """A package cannot be called like what it imports."""
    with pytest.raises(ExportError):
        module_name(text, "verifiers")

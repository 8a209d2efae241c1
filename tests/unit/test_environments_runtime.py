"""The runtime as it is shipped: standard library only, no way from data to code, two versions side by side."""

from __future__ import annotations

import ast
import importlib
import shutil
import sys
from pathlib import Path

import pytest

import environments.runtime
from tests.environments_shop import write_shop
from tests.syntax import syntax

FILES = sorted(Path(environments.runtime.__file__).parent.rglob("*.py"))
BANNED_NAMES = {"eval", "exec", "compile", "__import__", "globals", "breakpoint"}
BANNED_MODULES = {
    "importlib",
    "pickle",
    "marshal",
    "shelve",
    "ctypes",
    "subprocess",
    "runpy",
    "code",
}
RE_FUNCTIONS = {
    "compile",
    "match",
    "search",
    "fullmatch",
    "findall",
    "finditer",
    "sub",
    "subn",
    "split",
}


def tree(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return syntax(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_imports_are_relative_or_standard_library(path: Path) -> None:
    """Nothing needs to be installed, and nothing of ours is named absolutely."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            roots = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            roots = {(node.module or "").split(".")[0]}
        else:
            continue
        assert roots <= set(sys.stdlib_module_names)
        assert not roots & BANNED_MODULES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_data_never_becomes_code(path: Path) -> None:
    """No eval, exec, compile or import of names, no attribute that leads there."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Name):
            assert node.id not in BANNED_NAMES
        if isinstance(node, ast.Attribute):
            assert node.attr not in {"__subclasses__", "__globals__", "__builtins__", "__code__"}


def is_literal(pattern: ast.expr, path: Path) -> bool:
    """Whether a pattern is a text of the source, with texts that the module names and others escaped."""
    if isinstance(pattern, ast.JoinedStr):
        return all(is_literal(part, path) for part in pattern.values)
    if isinstance(pattern, ast.FormattedValue):
        return is_literal(pattern.value, path)
    if isinstance(pattern, ast.Name):
        return any(
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.target.id == pattern.id
            and node.value is not None
            and is_literal(node.value, path)
            for node in tree(path).body
        )
    if isinstance(pattern, ast.Call):
        escaped = ast.unparse(pattern.func) == "re.escape"
        joined = isinstance(pattern.func, ast.Attribute) and pattern.func.attr == "join"
        many = joined and ast.unparse(pattern.args[0]).startswith("map(re.escape, ")
        return escaped or (many and is_literal(pattern.func.value, path))  # type: ignore[attr-defined]  # an attribute
    return isinstance(pattern, ast.Constant)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_patterns_are_literal(path: Path) -> None:
    """Every regular expression stands in the source; none comes from a task set."""
    for node in ast.walk(tree(path)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in RE_FUNCTIONS:
            assert is_literal(node.args[0], path)


def test_re_is_imported_under_its_own_name() -> None:
    """The check above sees every use of `re`."""
    for path in FILES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom):
                assert node.module != "re"
            if isinstance(node, ast.Import):
                assert all(a.asname is None for a in node.names if a.name == "re")


def test_two_versions_run_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two task sets carry their own runtimes into one process, and neither sees the other's classes."""
    for name in ("first", "second"):
        write_shop(tmp_path / name)
    changed = tmp_path / "second" / "runtime" / "play" / "user.py"
    changed.write_text(changed.read_text().replace("I don't understand", "Pardon"))
    shutil.rmtree(tmp_path / "first" / "worlds" / "__pycache__", ignore_errors=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    first = importlib.import_module("first.runtime")
    second = importlib.import_module("second.runtime")
    assert first.TaskSet is not second.TaskSet
    assert first.TaskSet is not environments.runtime.TaskSet
    task_set = first.TaskSet.load(tmp_path / "first")
    assert task_set.grade("task1", task_set.solution("task1")).reward == 1.0
    with pytest.raises(second.TaskSetError, match=r"user\.py"):
        second.TaskSet.load(tmp_path / "second")

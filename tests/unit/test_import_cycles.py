"""Imports go one way: no module of the product imports itself by way of others, not even for annotations alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.syntax import syntax

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("ingest", "redact", "synth", "environments", "dagster_project")
LEFT = {
    ("environments.export.traits", "environments.export.taskset"),
    ("synth.rubric.evidence", "synth.rubric.ends"),
    ("synth.world.search.fit_lists", "synth.world.search.fit"),
}
"""Imports for annotations alone that still close a circle; none is added."""


def _modules() -> dict[str, Path]:
    paths = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in paths
    }


def _imported(name: str, path: Path) -> Iterator[str]:
    """Every dotted name that a module may import, wherever the import stands."""
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def test_no_module_imports_itself_by_way_of_others() -> None:
    """A circle of imports is named with its modules."""
    modules = _modules()
    graph = {
        name: (set(_imported(name, path)) & modules.keys()) - {name}
        for name, path in modules.items()
    }
    assert all(other in graph[name] for name, other in LEFT), "one is gone: take it off the list"
    for name, other in LEFT:
        graph[name].discard(other)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as fault:
        pytest.fail(" -> ".join(fault.args[1]))

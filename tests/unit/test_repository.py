"""The house rules that a linter cannot see."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from tests.syntax import syntax

ROOT = Path(__file__).parents[2]
PACKAGES = ("ingest", "redact", "synth", "environments", "dagster_project")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
RUNTIME = ROOT / "environments" / "runtime"
PUBLIC_API = {RUNTIME / folder / "__init__.py" for folder in ("", "play", "world")}
"""What programs of others import from a task set: `runtime`, `runtime.play`, `runtime.world`."""


def tracked_files() -> list[Path]:
    """Every file that a clone would hold."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout: the list of tracked files is not known")
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def test_no_file_names_a_package_index_host() -> None:
    """The lock and the docs leave it to the machine which index serves the packages."""
    hosts = re.compile(rb"py" + rb"pi\.org|python" + rb"hosted\.org|npm" + rb"js\.org")

    named = [path for path in tracked_files() if hosts.search(path.read_bytes())]

    assert named == []


def test_package_inits_hold_a_docstring_only() -> None:
    """One import path per symbol: no re-exports, except the runtime's public API."""
    inits = [path for path in MODULES if path.name == "__init__.py" and path not in PUBLIC_API]

    crowded = [path for path in inits if len(syntax(path).body) != 1]

    assert crowded == []


def test_every_module_opens_with_a_docstring() -> None:
    """A reader learns a module's role from its first line."""
    silent = [path for path in MODULES if not ast.get_docstring(syntax(path))]

    assert silent == []


def test_clean_records_are_made_by_redaction_only() -> None:
    """A raw episode cannot become a clean one anywhere but at the gate."""
    makers = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                makers[node.func.id].append(path.relative_to(ROOT).parts[0])

    assert {"redact"} >= set(makers["CleanEpisode"]) | set(makers["CleanOutcome"])


def test_no_other_distribution_provides_our_package_names() -> None:
    """Plain package names are safe only while nobody else in the environment has them."""
    providers = importlib.metadata.packages_distributions()

    assert {name: ["tracegym"] for name in PACKAGES} == {
        name: sorted(set(providers.get(name, ["tracegym"]))) for name in PACKAGES
    }


def test_dagster_package_reads_its_annotations_at_run_time() -> None:
    """Dagster inspects annotations; postponed ones break resources and configs."""
    postponed = [
        path
        for path in MODULES
        if path.relative_to(ROOT).parts[0] == "dagster_project"
        and "from __future__ import annotations" in path.read_text()
    ]

    assert postponed == []


def test_there_is_no_src_folder() -> None:
    """`dg` looks into src/ instead of the root as soon as there is one."""
    assert not (ROOT / "src").exists()

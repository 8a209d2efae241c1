"""Writes a task set as a package for verifiers 0.4 (v1 API): taskset, in-process harness, and the task set inside it.

In: a task set folder. Out: a project folder to build a wheel from. Imports nothing of verifiers: the package's own
files do, where it is installed. The task set goes in unchanged, so rewards are those of every other format.
"""

from __future__ import annotations

from typing import Final

from environments.export.package import Format

VERIFIERS: Final = Format(
    name="verifiers",
    templates="verifiers_package",
    files={
        "pyproject.toml": "pyproject.toml.txt",
        "README.md": "README.md.txt",
        "$package/__init__.py": "init.py.txt",
        "$package/taskset.py": "taskset.py.txt",
        "$package/harness.py": "harness.py.txt",
    },
    consumer="verifiers",
    check="pip install DIR and vf-validate (see DIR/README.md)",
)
"""`name` is its id in verifiers, which lowers ids and turns dashes into underscores."""

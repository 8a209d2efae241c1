"""Writes a task set as an Inspect AI package: a task with its own solver and a scorer over messages.

In: a task set folder. Out: a project to install; `inspect eval PACKAGE/replay` finds it by its entry point. Imports nothing
of Inspect. A verdict of None is an unscored sample.
"""

from __future__ import annotations

from typing import Final

from environments.export.package import Format

INSPECT: Final = Format(
    name="inspect",
    templates="inspect_package",
    files={
        "pyproject.toml": "pyproject.toml.txt",
        "README.md": "README.md.txt",
        "$package/__init__.py": "init.py.txt",
        "$package/_registry.py": "registry.py.txt",
        "$package/replay.py": "replay.py.txt",
    },
    consumer="inspect_ai",
    check="pip install DIR and inspect eval NAME/replay --model openai-api/local/MODEL (see DIR/README.md)",
)
"""`name` is what stands before the slash in `inspect eval`."""

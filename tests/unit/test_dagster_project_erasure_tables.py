"""Erasing somebody reaches every table that a home can hold: a new one that nobody thought of is named here."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import dagster_project
from dagster_project.erasure import clean_side, raw_side
from dagster_project.lake.tables import Table

HOLD_NOBODY = {"stamps", "redactions", "skipped", "failed_checks"}
"""Digests; counts by key and kind; which unit of work failed where in the code; what checks say of an app, in figures."""


def every_table() -> dict[str, Table]:
    """All tables of the product, by name."""
    root = Path(dagster_project.__file__).parent
    found: dict[str, Table] = {}
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        calls = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)]
        if any(isinstance(c.func, ast.Name) and c.func.id == "Table" for c in calls):
            place = path.relative_to(root.parent).with_suffix("")
            module = import_module(".".join(place.parts))
            found |= {t.name: t for t in vars(module).values() if isinstance(t, Table)}
    return found


def test_every_table_is_reached_when_somebody_is_erased() -> None:
    """By what is written in the two sides of erasure, and not by what their authors remember."""
    reached = {
        one.name
        for side in (raw_side, clean_side)
        for value in vars(side).values()
        for one in (value if isinstance(value, tuple) else (value,))
        if isinstance(one, Table)
    }
    assert set(every_table()) - reached == HOLD_NOBODY

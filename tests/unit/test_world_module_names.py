"""Module docstrings of the world's two packages point to modules that are there: a stranger follows them."""

import ast
import re
from pathlib import Path
from typing import Final

import pytest

from tests.syntax import syntax

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("synth/world", "environments/runtime")
POINTER: Final = re.compile(r"\(`([\w.]+)`(?:, `([\w.]+)`)*\)")
"""Modules in parentheses, as `Not here: ... (other_module)` has them."""


def _modules() -> set[str]:
    """All modules and packages of the project by their dotted names, and by each end of these."""
    paths = (p.relative_to(ROOT).with_suffix("") for p in ROOT.glob("[a-z]*/**/*.py"))
    parts = [path.parts for path in paths if path.parts[0] != "tests"]
    folders = {names[:end] for names in parts for end in range(1, len(names))}
    return {".".join(names[at:]) for names in [*parts, *folders] for at in range(len(names))}


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_not_here_is_where_the_docstring_says(package: str) -> None:
    """Of every `Not here: ... (module)`."""
    known = _modules()
    lost = {
        (path.name, name)
        for path in (ROOT / package).rglob("*.py")
        for clause in (ast.get_docstring(syntax(path)) or "").split("Not here:")[1:]
        for found in POINTER.finditer(clause)
        for name in re.findall(r"[\w.]+", found[0])
        if name not in known
    }
    assert not lost

"""Bounds of evidence stand in one file; other modules of learning say what they count and take the bound from there."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

import synth.world
from synth.world import support
from synth.world.support import SEEN_THRICE, Support, accept
from tests.syntax import syntax

FOLDER: Final = Path(synth.world.__path__[0])
NO_EVIDENCE: Final = frozenset({"MIN_LENGTH", "MIN_SIGNS", "MIN_SPAN", "MIN_WORDS"})
"""Characters, signs, words and distances in time: of what is looked at, not of how often it was seen."""


def _numbers(path: Path) -> dict[str, float]:
    """The constants of a module that are written as plain numbers."""
    found: dict[str, float] = {}
    for node in syntax(path).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            value = node.value
            if isinstance(value, ast.Constant) and type(value.value) in {int, float}:
                found[node.target.id] = float(str(value.value))
    return found


@pytest.mark.parametrize(
    "path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER))
)
def test_no_other_module_has_a_bound_of_its_own(path: Path) -> None:
    """What has to be seen at least so often is a name of `support`."""
    if path != Path(support.__file__):
        assert not {n for n in _numbers(path) if n.startswith("MIN_")} - NO_EVIDENCE


def test_there_are_few_bounds() -> None:
    """A person can read them all."""
    assert len(_numbers(Path(support.__file__))) <= 25


@pytest.mark.parametrize(
    ("cases", "against", "accepted"),
    [(3, 0, True), (2, 0, False), (8, 2, True), (7, 3, False)],
)
def test_enough_cases_and_few_exceptions(cases: int, against: int, *, accepted: bool) -> None:
    """Both the number of cases and their share count."""
    found = Support(cases=cases, against=against)
    assert accept(found, least=SEEN_THRICE, share=0.8) is accepted

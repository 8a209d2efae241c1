"""Every reason that somebody can be told has its sentence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from environments.verification.sentences import REASONS
from tests.syntax import syntax

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"[a-z]+(?:_[a-z]+)*")


def documented_reasons() -> Iterator[tuple[str, str]]:
    """The constants of the product whose docstring says that they are reasons, with the file that they stand in."""
    for folder in ("environments", "synth", "dagster_project"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            group: list[str] = []
            for statement in syntax(path).body:
                value = getattr(statement, "value", None)
                text = value.value if isinstance(value, ast.Constant) else None
                if isinstance(statement, ast.AnnAssign) and CODE.fullmatch(str(text)):
                    group.append(str(text))
                    continue
                is_docstring = isinstance(statement, ast.Expr) and isinstance(text, str)
                if is_docstring and str(text).startswith("Reason"):
                    yield from ((path.relative_to(ROOT).as_posix(), name) for name in group)
                group = []


@pytest.mark.parametrize(("file", "reason"), tuple(documented_reasons()))
def test_a_reason_that_is_decided_anywhere_has_a_sentence(file: str, reason: str) -> None:
    """A person reads a sentence, not the code of a reason."""
    assert reason in REASONS, f"{reason} of {file}"


def test_reasons_of_several_folders_are_found() -> None:
    """What the gate, the derivation and the whole set say is looked at."""
    found = {reason for _, reason in documented_reasons()}
    assert {"counts_calls_only", "references_contradict", "paid_by_constant_policy"} <= found

"""Worlds on real recordings: a held-out fold keeps the figures that docs/worlds.md publishes."""

from __future__ import annotations

import os
from typing import Any

import pytest

from benchmarks.worlds.suites import suite

DATA = os.environ.get("TRACEGYM_REAL_DATA")
FLOORS = {"airline/trial": 0.80, "retail/agent": 0.89}
"""Below the published figures (one fold of each is measured), above the prototype's families without guards."""


@pytest.mark.slow
@pytest.mark.skipif(
    not DATA, reason="TRACEGYM_REAL_DATA does not name a folder with real recordings"
)
@pytest.mark.parametrize("name", sorted(FLOORS))
def test_a_held_out_fold_keeps_its_figures(name: str) -> None:
    """Exact answers stay above the floor and wrong ones at or below half a percent."""
    case = next(case for case in suite("full") if case.name == name)
    _, fidelity = next(iter(case.ask()))
    counts: Any = fidelity.to_json()
    assert counts["exact"] >= FLOORS[name] * counts["calls"]
    assert counts["wrong"] <= 0.005 * counts["calls"]
    assert counts["exact"] > counts["tape"]["exact"]

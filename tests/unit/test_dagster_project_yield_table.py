"""What the yield's table says to do about conversations that stay behind."""

from __future__ import annotations

from typing import Any

import pytest

from dagster_project.report.yield_table import TAKEN, TASK, _Actions
from dagster_project.tasks.app_state import Standing


def test_conversations_of_a_kind_of_check_that_is_not_trusted_name_what_frees_them() -> None:
    """Whatever the kind: its graders have to be corrected, or more outcomes show that they are right."""
    nothing: Any = None
    tell = _Actions(nothing, [])
    told = {
        tell.action_for(f"grader_not_trusted:{kind}", 3, TAKEN) for kind in ("changes", "tells")
    }
    assert told == {"look at what its graders judged wrongly, and correct them: tracegym review"}


@pytest.mark.parametrize(("resolved", "told"), [(0, True), (1, False)])
def test_where_no_outcome_means_that_it_went_well_that_is_said(resolved: int, told: bool) -> None:
    """Nobody can take in a good attempt where every outcome is read as a failure."""
    nothing: Any = None
    standing = Standing(
        app="a", episodes=5, labelled=5, resolved=resolved, candidates=[], verdicts={}
    )
    says = _Actions(nothing, [standing]).action_for("no_resolved_attempt", 5, TASK)
    assert says.startswith("all 5 outcomes mean failure: ") is told
    assert "take in an attempt at one of 5 that went well" in says

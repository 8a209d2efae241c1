"""What the yield's table says to do about conversations that stay behind."""

from __future__ import annotations

from typing import Any

from dagster_project.report.yield_table import TAKEN, _Actions


def test_conversations_of_a_kind_of_check_that_is_not_trusted_name_what_frees_them() -> None:
    """Whatever the kind: its graders have to be corrected, or more outcomes show that they are right."""
    nothing: Any = None
    tell = _Actions(nothing, [])
    told = {
        tell.action_for(f"grader_not_trusted:{kind}", 3, TAKEN) for kind in ("changes", "tells")
    }
    assert told == {"look at what its graders judged wrongly, and correct them: tracegym review"}

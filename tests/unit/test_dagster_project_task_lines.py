"""What a build says of each app's tasks and world."""

from __future__ import annotations

from dagster_project.report.data.counts import Fidelity
from dagster_project.report.data.tasks import TaskCount
from dagster_project.report.data.worlds import WorldRow
from dagster_project.report.tasks import task_lines


def test_a_build_says_how_many_tasks_and_what_the_world_answers() -> None:
    """Right, wrong and unknown, each as a count; a world that hardly answers comes with what follows from it."""
    counts = [TaskCount(app=a, accepted=3, needs_review=1, rejected=0) for a in ("a", "b", "c")]
    good = WorldRow(
        app="a",
        continuity="reset",
        reads=Fidelity(calls=8, exact=6, equivalent=1, unknown=1),
        writes=Fidelity(calls=2, wrong=1, unknown=1),
    )
    silent = WorldRow(app="b", continuity="reset", reads=Fidelity(calls=9, exact=1, unknown=8))
    first, second, third = task_lines(counts, [good, silent])
    assert first == (
        "a: 3 of 4 tasks accepted; its world answers 7 of 10 held-out calls rightly and 1 wrongly, 2 are unknown"
    )
    assert "1 of 9 held-out calls rightly and 0 wrongly, 8 are unknown. Most attempts" in second
    assert "record further attempts" in second
    assert third == "c: 3 of 4 tasks accepted; how its world answers could not be measured"

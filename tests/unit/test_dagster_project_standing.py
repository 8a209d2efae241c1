"""What stands beside the accepted tasks: how many right ends come from which source."""

from __future__ import annotations

from dataclasses import replace

from dagster_project.report.tasks import ground_rows
from dagster_project.tasks.app_state import Standing, right_ends
from dagster_project.tasks.verification import VerifiedTask
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate, RecordedAttempt
from environments.verify import ACCEPTED, NEEDS_REVIEW
from tests.environments_shop import entry


def standing(*made: tuple[str, dict[str, Json]]) -> Standing:
    """An app with tasks of these states and provenances."""
    candidates: list[Candidate] = []
    verdicts: dict[str, VerifiedTask] = {}
    for number, (status, provenance) in enumerate(made):
        one = entry(number)
        task = replace(one.task, task_id=f"t{number}", provenance=provenance)
        candidates.append(Candidate(task=task, rubric=one.rubric, solution=()))
        verdicts[task.task_id] = VerifiedTask(
            task_id=task.task_id, task_version="1", status=status, reasons=(), probes=(), gate=""
        )
    return Standing(
        app="shop",
        episodes=len(made),
        labelled=len(made),
        resolved=0,
        candidates=candidates,
        verdicts=verdicts,
    )


def test_accepted_tasks_are_counted_by_the_source_of_their_right_end() -> None:
    """A constructed end, a later attempt, and an attempt that was resolved itself, however it was joined."""
    one = standing(
        (ACCEPTED, {"joined_by": "alone", "solution": "constructed"}),
        (ACCEPTED, {"joined_by": "later"}),
        (ACCEPTED, {"joined_by": "later"}),
        (ACCEPTED, {"joined_by": "task_key"}),
        (ACCEPTED, {"joined_by": "goal"}),
        (ACCEPTED, {"joined_by": "alone"}),
    )
    other = standing((ACCEPTED, {"joined_by": "goal", "solution": "constructed"}))
    assert right_ends([one, other]) == (
        "; right ends: 3 from an attempt that was resolved, 2 from how alike requests were resolved,"
        " 2 from a later attempt at a failed request"
    )


def test_what_is_not_accepted_is_no_source() -> None:
    """A constructed task that waits for a person is not among the right ends, nor one without a verdict."""
    waits = standing((NEEDS_REVIEW, {"joined_by": "alone", "solution": "constructed"}))
    unseen = replace(standing((ACCEPTED, {"joined_by": "later"})), verdicts={})
    assert right_ends([waits, unseen]) == ""


def test_a_constructed_end_counts_as_constructed_also_where_attempts_were_joined_later() -> None:
    """Who made the solution decides, not how its attempts were joined."""
    both = standing((ACCEPTED, {"joined_by": "later", "solution": "constructed"}))
    assert right_ends([both]) == "; right ends: 1 from how alike requests were resolved"


def test_what_was_told_without_a_ground_is_counted_by_kind_and_conversation() -> None:
    """An attempt that is at two tasks counts once; one that tells nothing specific counts nowhere."""
    one = standing((ACCEPTED, {}), (NEEDS_REVIEW, {}))

    def attempt(name: str, resolved: bool | None, *kinds: str, lies: str = "") -> RecordedAttempt:
        without = (lies,) if lies else ()
        return RecordedAttempt(
            episode_id=name, actions=(), resolved=resolved, tells=kinds, without_ground=without
        )

    first = (attempt("a", True, "date", "number"), attempt("b", False, "number", lies="number"))
    second = (first[1], attempt("c", None, "date", lies="date"), attempt("d", True))
    candidates = [
        replace(c, attempts=found) for c, found in zip(one.candidates, (first, second), strict=True)
    ]
    rows = ground_rows(replace(one, candidates=candidates))
    assert [(r.kind, r.without, r.tell, r.resolved_without, r.resolved) for r in rows] == [
        ("", 2, 3, 0, 1),
        ("date", 1, 2, 0, 1),
        ("number", 1, 2, 0, 1),
    ]
    assert RecordedAttempt.from_json(first[1].to_json()) == first[1]
    assert ground_rows(one) == []

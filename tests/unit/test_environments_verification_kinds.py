"""The kind of check that decides a task: by what its required positive checks ask."""

from __future__ import annotations

from dataclasses import replace

import pytest

from environments.runtime.task.rubric import AGREEMENT, REWARD, Check, Rubric
from environments.verification.kinds import KINDS, kind_of
from environments.verification.sentences import reason_group, reason_says


def check(fn: str, *, positive: bool = True, required: bool = True, role: str = REWARD) -> Check:
    """A check of a function."""
    return Check(check_id=fn, fn=fn, positive=positive, required=required, role=role)


def rubric(*checks: Check, reviewed: bool = False) -> Rubric:
    """A rubric of these checks."""
    return Rubric(
        task_id="t", checks=checks, evidence={"review": {"by": "ann"}} if reviewed else {}
    )


KEPT = check("end_state", positive=False)


@pytest.mark.parametrize(
    ("checks", "kind"),
    [
        ([check("end_state")], "changes"),
        ([check("end_state"), check("told")], "changes_and_tells"),
        ([check("end_state"), check("told_some"), check("said")], "changes_and_tells"),
        ([check("end_state"), check("text_holds"), check("told")], "writes_text"),
        ([KEPT, check("told"), check("acted"), check("read")], "tells"),
        ([KEPT, check("acted"), check("said"), check("read")], "hands_over"),
        ([KEPT, check("said"), check("read")], "explains"),
        ([KEPT, check("read")], "looks_up"),
        ([KEPT, check("answers")], "answers"),
        ([KEPT], "changes_nothing"),
        ([], "changes_nothing"),
        ([check("end_state"), check("judge")], "judged"),
        ([KEPT, check("something_of_a_later_version")], "changes_nothing"),
    ],
)
def test_what_decides_names_the_kind(checks: list[Check], kind: str) -> None:
    """The strongest thing asked; what only gates, weighs or predicts does not count."""
    gates = [
        check("grounded", positive=False),
        check("told", required=False),
        check("told", role=AGREEMENT),
        check("numbers_told", positive=False),
    ]
    assert kind_of(rubric(*checks, *gates), {}) == kind
    assert kind in KINDS


def test_where_the_right_end_comes_from_makes_a_kind_too() -> None:
    """What no attempt showed is known from elsewhere; a reviewer's rubric is nobody's else."""
    one = rubric(check("end_state"))
    assert kind_of(one, {"solution": "constructed"}) == "as_alike_requests"
    assert kind_of(one, {"solution": "business_record"}) == "as_people_did"
    assert kind_of(rubric(check("end_state"), reviewed=True), {}) == "reviewed"


def test_a_reworded_check_is_the_kind_that_it_was() -> None:
    """Whoever writes a sentence anew does not take a task out of its kind; other checks do."""
    derived = rubric(check("end_state"))
    reworded = replace(derived, evidence={"review": {"by": "ann", "own": False}})
    assert kind_of(reworded, {}) == kind_of(derived, {}) == "changes"
    assert kind_of(replace(derived, evidence={"review": {"own": True}}), {}) == "reviewed"


def test_a_task_held_back_says_which_kind_of_check_is_to_blame() -> None:
    """The reason keeps the kind where reasons are counted, and becomes a sentence."""
    code = "grader_not_trusted:changes_and_tells"
    assert reason_group(code) == code
    assert "the right records are changed and the user is told facts" in reason_says(code)
    assert reason_says("grader_not_trusted:of_a_later_version").startswith("graders judged")

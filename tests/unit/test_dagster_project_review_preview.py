"""What a reviewer sees before saving is what the next build decides, reasons over the whole set included."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dagster_project.lake.rows import canonical_text
from dagster_project.review.desk import AppDesk, Desk
from dagster_project.review.editing.edits import Edit, edited
from dagster_project.review.editing.preview import JUDGE_WAITS, LABELS_WAIT, BeforeEdit, preview
from dagster_project.review.feedback import LEFT_OUT, derived_hash, with_rubric
from dagster_project.review.review import DECISION, LABEL, REJECT, RUBRIC, Review
from dagster_project.review.store import Reviews
from dagster_project.tasks import verification
from dagster_project.tasks.agreement import HeldOut
from dagster_project.tasks.verification import (
    CONSTANT,
    ELSEWHERE,
    NOT_TRUSTED,
    TaskKnowledge,
    VerifiedTask,
    verify_all,
)
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.task.candidate import Candidate
from environments.runtime.values.canonical import rubric_hash
from environments.verification.judge_checks import UNASKED
from environments.verification.other_process import GradedElsewhere
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED
from tests.environments_shop import entry, world
from tests.review_home import APP, review_home

WORLD = StoredWorld(app="shop", document=WorldDocument.from_json(world()))


def candidates() -> list[Candidate]:
    """The shop's two sound tasks."""
    return [
        Candidate(task=one.task, rubric=one.rubric, solution=tuple(one.solution))
        for one in (entry(1), entry(3))
    ]


def review_of(one: Candidate, edit: Edit) -> Review:
    """The review that the page would keep."""
    document = {"rubric": edit.rubric.to_json(), "base": derived_hash(one.rubric)}
    return Review(
        app="shop",
        kind=RUBRIC,
        task_id=one.task.task_id,
        task_version="v",
        value=rubric_hash(edit.rubric),
        by="ada",
        at=1,
        document=canonical_text({**document, "written": list(edit.written)}),
    )


def reworded(one: Candidate) -> Candidate:
    """The task after somebody rewrote the sentence of its first check, and nothing else."""
    check = one.rubric.checks[0]
    form = {"shown-1": "1", "weight-1": f"{check.weight}", "says-1": "The moon is full."}
    if check.required:
        form["required-1"] = "1"
    edit = edited(one.rubric, form, author="ada")
    assert len(edit.changes) == 1
    return with_rubric(one, review_of(one, edit))


def before(known: Mapping[str, VerifiedTask], **more: Any) -> BeforeEdit:  # noqa: ANN401
    """What is known before the edit."""
    return BeforeEdit(
        world=WORLD, known=known, reviews=Reviews(), seen=TaskKnowledge(**more), labels_wait=False
    )


def left_out(task_id: str, number: int) -> HeldOut:
    """An attempt whose user was not helped, paid by a grader that had not seen it."""
    return HeldOut(
        episode_id=f"{task_id}-{number}",
        task_id=task_id,
        resolved=False,
        predicted=1.0,
        paid=1.0,
        witness=True,
        by="end_user",
    )


def test_a_new_sentence_changes_no_verdict_whatever_the_reason() -> None:
    """Tasks that pay a constant policy or differ elsewhere stay what the build called them."""
    first = verify_all(candidates(), WORLD, known={})
    paid = [
        replace(
            one,
            probes=tuple(
                {**p, "reward": 1.0} if p["name"] == "constant_hands_over" else p
                for p in one.probes
            ),
        )
        for one in first
    ]
    constant = {
        one.task_id: one
        for one in verify_all(candidates(), WORLD, known={o.task_id: o for o in paid})
    }
    found, _ = preview(candidates(), reworded(candidates()[0]), before(constant))
    assert (found.verdict.status, found.verdict.reasons) == (NEEDS_REVIEW, (CONSTANT,))
    known = {one.task_id: one for one in first}
    differs = {**known, "task1": replace(first[0], status=REJECTED, reasons=(ELSEWHERE,))}
    other, _ = preview(candidates(), reworded(candidates()[0]), before(differs))
    assert (other.verdict.status, other.verdict.reasons) == (REJECTED, (ELSEWHERE,))
    erring = [left_out(one.task_id, number) for one in first for number in range(4)]
    doubted, _ = preview(candidates(), reworded(candidates()[0]), before(known, held_out=erring))
    why = (f"{NOT_TRUSTED}:{first[0].kind}",)
    assert (doubted.verdict.status, doubted.verdict.reasons) == (NEEDS_REVIEW, why)
    sound, _ = preview(candidates(), reworded(candidates()[0]), before(known))
    assert (sound.verdict, sound.moved) == (first[0], ())


def test_an_edit_that_another_process_grades_otherwise_is_rejected_here_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second process runs in the preview, too."""
    monkeypatch.setattr(verification, "verdicts_elsewhere", lambda *_a, **_k: GradedElsewhere())
    one = candidates()[0]
    edit = edited(one.rubric, {"new-fn": "calls_at_most", "new-arg-most": "40"}, author="ada")
    found, _ = preview(candidates(), with_rubric(one, review_of(one, edit)), before({}))
    assert (found.verdict.status, found.verdict.reasons) == (REJECTED, (ELSEWHERE,))


def test_other_tasks_that_an_edit_moves_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reason over the whole set can fall on another task when this one leaves it."""
    monkeypatch.setattr(
        verification,
        "surplus",
        lambda _paid, graded, **_: frozenset(("task3",) if max(graded.values()) < 2 else ()),
    )
    one = candidates()[0]
    form = {"new-fn": "calls_at_most", "new-arg-most": "0", "new-required": "1"}
    edit = edited(one.rubric, form, author="ada")
    broken = with_rubric(one, review_of(one, edit))
    found, by_gate = preview(candidates(), broken, before({}))
    assert found.verdict.status == REJECTED
    (moved,) = found.moved
    assert (moved.task_id, moved.before, moved.after) == ("task3", ACCEPTED, NEEDS_REVIEW)
    assert moved.reasons == (CONSTANT,)
    built = {o.task_id: o for o in verify_all([broken, candidates()[1]], WORLD, known={})}
    assert (built["task1"], built["task3"].reasons) == (found.verdict, (CONSTANT,))
    assert {o.task_id for o in by_gate} == {"task1", "task3"}


def desk_of(tmp_path: Path) -> AppDesk:
    """The desk of the small shop."""
    home = review_home(tmp_path / "h")
    found = Desk(home.clean, home.outcome_policy, [APP]).app(APP)
    assert found is not None
    return found


def judged(desk: AppDesk) -> Review:
    """A review that adds a required question to a judge."""
    stored = desk.entry("task1")
    assert stored is not None
    form = {"new-fn": "judge", "new-arg-prompt": "Is it polite?", "new-required": "1"}
    return review_of(stored.stored, edited(stored.candidate.rubric, form, author="ada"))


def test_rollouts_that_a_rubric_cannot_grade_say_nothing_of_the_task(tmp_path: Path) -> None:
    """A judge who has not answered masks the stored rollouts: the task waits for the judge alone, before and after saving."""
    desk = desk_of(tmp_path)
    review = judged(desk)
    found = desk.preview(review)
    assert found is not None
    assert found.verdict.status == NEEDS_REVIEW
    assert set(found.verdict.reasons) == {UNASKED, "good_attempt_not_graded"}
    assert JUDGE_WAITS in found.at_build
    assert LABELS_WAIT not in found.at_build
    desk.save(review)
    again = desk.preview(replace(review, at=2))
    assert again is not None
    assert again.verdict == found.verdict


def test_decisions_and_labels_are_part_of_the_preview(tmp_path: Path) -> None:
    """A task that was left out stays so in the same version; a label that waits is said to be decided at build."""
    desk = desk_of(tmp_path)
    now = desk.entry("task1")
    assert now is not None
    for kind, value, episode in ((DECISION, REJECT, ""), (LABEL, "unresolved", "ep1-good")):
        desk.save(
            Review(
                app=APP,
                kind=kind,
                task_id="task1",
                task_version=now.version,
                value=value,
                by="ada",
                at=1,
                episode_id=episode,
            )
        )
    check = now.candidate.rubric.checks[0]
    form = {"shown-1": "1", "weight-1": f"{check.weight}", "says-1": "The moon is full."}
    form |= {"required-1": "1"} if check.required else {}
    found = desk.preview(review_of(now.stored, edited(now.candidate.rubric, form, author="ada")))
    assert found is not None
    assert (found.verdict.status, found.verdict.reasons[0]) == (REJECTED, LEFT_OUT)
    assert LABELS_WAIT in found.at_build

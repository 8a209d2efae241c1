"""What the next build would say of the tasks of an app if a review were kept: the build's own decisions, made now.

Comes in: the app's candidates as the lake holds them, its world, and what the gate and people said. Goes out: a `Preview`
with the edited task's verdict, the other tasks that the edit moves, and what only the build can decide. It calls what the
asset `verified_tasks` calls, so that a reason decided over the whole set is found here as well. Saves nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dagster_project.review.feedback import undecided, with_decisions, with_rubrics
from dagster_project.review.store import Reviews
from dagster_project.tasks.verification import TaskKnowledge, VerifiedTask, verify_all
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.runtime.task.candidate import Candidate
from environments.verification.judge_checks import UNASKED

LABELS_WAIT: Final = (
    "Labels of this app wait for the next build. It derives the rubrics again and asks you to "
    "confirm this edit if the rubric that it replaces is another one by then."
)
JUDGE_WAITS: Final = (
    "A judge has not answered this task's questions yet. A build with --judge MODEL asks it, and "
    "its answers decide."
)
NEW_DATA: Final = (
    "Telemetry that arrives before the next build can change the task and what the tools answer."
)
LEAKS: Final = (
    "The leak check reads the task once more when it is exported, and holds it back if it finds a "
    "value of a real person."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusChange:
    """Another task whose status the edit changes, because some reasons hold for the whole set."""

    task_id: str
    before: str
    after: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a build would say now."""

    verdict: VerifiedTask
    """Of the edited task, with the decisions of reviewers."""
    moved: tuple[StatusChange, ...]
    """The other tasks that it changes, in order of their ids."""
    at_build: tuple[str, ...]
    """What only the build can decide, as sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeEdit:
    """What is known before the edit."""

    world: StoredWorld
    known: Mapping[str, VerifiedTask]
    """What the gate said of each task, by task id; versions that are not in force are attacked."""
    reviews: Reviews
    seen: TaskKnowledge
    labels_wait: bool


def preview(
    stored: Sequence[Candidate], edited: Candidate, before: BeforeEdit
) -> tuple[Preview, list[VerifiedTask]]:
    """What a build says with `edited` in place of the task of its id, and the verdicts of the gate alone to know next time."""
    task_id = edited.task.task_id
    now = with_rubrics(stored, before.reviews)
    then = [edited if one.task.task_id == task_id else one for one in now]
    seen = replace(before.seen, replies_known=True)
    known = undecided(before.known)
    without = verify_all(now, before.world, known=known, seen=seen)
    learnt = {**known, **{one.task_id: one for one in without}}
    found = verify_all(then, before.world, known=learnt, seen=seen)
    olds = {one.task_id: one for one in with_decisions(without, before.reviews)}
    news = {one.task_id: one for one in with_decisions(found, before.reviews)}
    moved = tuple(
        StatusChange(task_id=key, before=olds[key].status, after=one.status, reasons=one.reasons)
        for key, one in sorted(news.items())
        if key != task_id and olds[key].status != one.status
    )
    verdict = news[task_id]
    return Preview(verdict=verdict, moved=moved, at_build=_at_build(verdict, before)), [
        *without,
        *(one for one in found if one.task_id == task_id),
    ]


def _at_build(verdict: VerifiedTask, before: BeforeEdit) -> tuple[str, ...]:
    judge = (JUDGE_WAITS,) if UNASKED in verdict.reasons else ()
    labels = (LABELS_WAIT,) if before.labels_wait else ()
    return (*judge, *labels, NEW_DATA, LEAKS)

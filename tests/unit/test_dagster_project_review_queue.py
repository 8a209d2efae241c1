"""The order of the review queue: what waits for a person, then what people and rubrics disagree about, then the audit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dagster_project.review.desk import Desk
from dagster_project.review.entry import Entry, GradedAttempt
from dagster_project.review.queue import AUDIT, DIFFER, DISAGREE, NEEDS, queue
from dagster_project.review.review import DECISION, Review
from dagster_project.review.store import Reviews
from tests.review_home import APP, review_home


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Entry:
    """An accepted task whose two attempts are graded as their users said."""
    home = review_home(tmp_path_factory.mktemp("queue") / "h")
    desk = Desk(home.clean, home.outcome_policy, [APP]).app(APP)
    assert desk is not None
    found = desk.entry("task1")
    assert found is not None
    assert found.verified is not None
    graded = [_as(one, resolved=True, predicted=1.0) for one in found.attempts]
    return replace(
        found, verified=replace(found.verified, status="accepted"), attempts=tuple(graded)
    )


def _as(
    one: GradedAttempt, *, resolved: bool, predicted: float, said: str | None = None
) -> GradedAttempt:
    assert one.verdict is not None
    verdict = replace(one.verdict, predicted=predicted)
    return replace(one, label=replace(one.label, resolved=resolved), verdict=verdict, said=said)


def task(
    sound: Entry, name: str, *, wrong: int = 0, status: str = "accepted", said: str | None = None
) -> Entry:
    """A task with this id, so many attempts graded otherwise than their users said, and this status."""
    assert sound.verified is not None
    candidate = replace(sound.candidate, task=replace(sound.candidate.task, task_id=name))
    attempts = [
        _as(one, resolved=True, predicted=0.0 if number < wrong else 1.0)
        for number, one in enumerate(sound.attempts)
    ]
    if said is not None:
        attempts[0] = replace(attempts[0], said=said)
    verified = replace(sound.verified, status=status, task_id=name)
    return replace(sound, candidate=candidate, verified=verified, attempts=tuple(attempts))


def test_urgent_first_then_the_larger_disagreement_then_the_audit(sound: Entry) -> None:
    """Whatever order the tasks come in; ties by id; what needs nobody comes last."""
    entries = [
        task(sound, "waits", status="needs_review"),
        task(sound, "reviewers", said="differ"),
        task(sound, "two_wrong", wrong=2),
        task(sound, "one_wrong_a", wrong=1),
        task(sound, "one_wrong_b", wrong=1),
        task(sound, "audited"),
        task(sound, "rejected", status="rejected"),
    ]
    for start in range(len(entries)):
        mixed = [*entries[start:], *entries[:start]][::-1]
        items = queue(mixed, {APP: Reviews()})
        assert [item.entry.task_id for item in items] == [one.task_id for one in entries]
    firsts = [item.reasons[:1] for item in queue(entries, {APP: Reviews()})]
    assert firsts == [(NEEDS,), (DIFFER,), (DISAGREE,), (DISAGREE,), (DISAGREE,), (AUDIT,), ()]


def test_what_a_reviewer_decided_about_goes_to_the_end(sound: Entry) -> None:
    """Settled tasks follow all open ones, except where reviewers differ: that is never settled by one of them."""
    settled, contested, quiet = (
        task(sound, "settled", wrong=2),
        task(sound, "contested", wrong=1, said="differ"),
        task(sound, "quiet", wrong=1),
    )
    reviews = Reviews(decisions={one.task_id: _decided(one) for one in (settled, contested)})
    items = queue([settled, quiet, contested], {APP: reviews})
    order = [(item.entry.task_id, item.done) for item in items]
    assert order == [("contested", False), ("quiet", False), ("settled", True)]


def _decided(entry: Entry) -> Review:
    return Review(
        app=APP,
        kind=DECISION,
        task_id=entry.task_id,
        task_version=entry.version,
        episode_id="",
        value="accept",
        by="ada",
        at=1,
        document="{}",
    )

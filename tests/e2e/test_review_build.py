"""What reviewers say, through a real build: labels, rubrics and decisions hold, and a later change makes them stale."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.rows import canonical_text
from dagster_project.lake.store import Lake
from dagster_project.review.desk import AppDesk, Desk
from dagster_project.review.editing.edits import edited, written_in
from dagster_project.review.entry import Entry
from dagster_project.review.feedback import LEFT_OUT, derived_hash
from dagster_project.review.review import DECISION, LABEL, REJECT, RUBRIC, UNRESOLVED, Review
from environments.runtime.task.task_set import TaskSet
from environments.runtime.values.canonical import rubric_hash
from tests.lending_desk import line, lines, write

APP = "lending"


def built(home: Home) -> None:
    """A build of a home."""
    build(home, secret="a secret of the tests, long enough")


def opened(home: Home) -> AppDesk:
    """The app on a fresh desk."""
    found = Desk(home.clean, home.outcome_policy, [APP]).app(APP)
    assert found is not None
    return found


def said(entry: Entry, kind: str, value: str, *, episode: str = "", document: str = "{}") -> Review:
    """A review of a task as it stands."""
    return Review(
        app=APP,
        kind=kind,
        task_id=entry.task_id,
        task_version=entry.version,
        episode_id=episode,
        value=value,
        by="ada",
        at=time.time_ns(),
        document=document,
    )


@pytest.mark.slow
def test_reviews_hold_in_the_next_build(tmp_path: Path) -> None:
    """An edited rubric is exported, a task left out is not, a label becomes the label; an unchanged build does nothing."""
    home = open_home(tmp_path / "home", create=True)
    found = [*lines(8), *(line(n, good=True, attempt=2, day=2) for n in range(4))]
    take_in(home, [write(tmp_path / "chats.jsonl", found)])
    built(home)
    desk = opened(home)
    entries = [e for key in desk.task_ids if (e := desk.entry(key)) is not None]
    accepted = [e for e in entries if e.status == "accepted"]
    edited, left_out = accepted[0], accepted[1]
    labelled = next(
        e for e in entries[::-1] if e not in (edited, left_out) and e.attempts[0].resolved is True
    )

    first = edited.candidate.rubric.checks[0]
    rubric = replace(
        edited.candidate.rubric,
        checks=(replace(first, weight=7.0), *edited.candidate.rubric.checks[1:]),
    )
    document = {"rubric": rubric.to_json(), "base": derived_hash(edited.stored.rubric)}
    desk.save(said(edited, RUBRIC, rubric_hash(rubric), document=canonical_text(document)))
    desk.save(said(left_out, DECISION, REJECT))
    episode = labelled.attempts[0].episode_id
    desk.save(said(labelled, LABEL, UNRESOLVED, episode=episode))
    now = desk.entry(labelled.task_id)
    assert now is not None
    assert now.relabelled
    built(home)

    after = opened(home)
    one, two, three = (after.entry(e.task_id) for e in (edited, left_out, labelled))
    assert one is not None
    assert two is not None
    assert three is not None
    assert (one.status, one.pending) == ("accepted", False)
    assert rubric_hash(one.stored.rubric) == rubric_hash(rubric)
    assert (two.status, two.verified.reasons if two.verified else ()) == ("rejected", (LEFT_OUT,))
    assert (three.attempts[0].label.resolved, three.relabelled) == (False, False)
    task_set = TaskSet.load(home.clean / "tasksets" / APP)
    exported = {task.task_id for task in task_set.tasks}
    assert edited.task_id in exported
    assert left_out.task_id not in exported
    assert rubric_hash(task_set.rubric(edited.task_id)) == rubric_hash(rubric)

    versions = Lake(home.clean / "lake").stamps("tasks")
    built(home)
    assert Lake(home.clean / "lake").stamps("tasks") == versions

    after.save(said(two, DECISION, ""))
    built(home)
    again = opened(home).entry(left_out.task_id)
    assert again is not None
    assert again.status == "accepted"


@pytest.mark.slow
def test_what_was_previewed_is_what_is_built(tmp_path: Path) -> None:
    """A sentence rewritten, a limit removed, a fact demanded: each task's status in the preview is the built one."""
    home = open_home(tmp_path / "home", create=True)
    found = [*lines(8), *(line(n, good=True, attempt=2, day=2) for n in range(4))]
    take_in(home, [write(tmp_path / "chats.jsonl", found)])
    built(home)
    desk = opened(home)
    previewed: dict[str, tuple[str, tuple[str, ...]]] = {}
    for number, task_id in enumerate(desk.task_ids):
        entry = desk.entry(task_id)
        assert entry is not None
        first = entry.candidate.rubric.checks[0]
        sentence = {"shown-1": "1", "weight-1": f"{first.weight}", "says-1": "The moon is full."}
        forms = (
            sentence | ({"required-1": "1"} if first.required else {}),
            {f"remove-{len(entry.candidate.rubric.checks)}": "1"},
            {"new-fn": "told", "new-arg-value": "990099", "new-required": "1"},
        )
        edit = edited(entry.candidate.rubric, forms[number % 3], author="ada")
        document = {
            "rubric": edit.rubric.to_json(),
            "base": derived_hash(entry.stored.rubric),
            "written": list(edit.written),
        }
        review = said(entry, RUBRIC, rubric_hash(edit.rubric), document=canonical_text(document))
        desk.save(review)
        preview = desk.preview(review)
        assert preview is not None
        previewed[task_id] = (preview.verdict.status, preview.verdict.reasons)
    assert len({status for status, _ in previewed.values()}) > 1
    built(home)
    after = opened(home)
    for task_id, (status, reasons) in previewed.items():
        entry = after.entry(task_id)
        assert entry is not None
        assert entry.verified is not None
        assert (entry.status, entry.verified.reasons) == (status, reasons), task_id
    sentences = [e.candidate.rubric for t in previewed if (e := after.entry(t)) is not None]
    assert any(written_in(rubric) for rubric in sentences)

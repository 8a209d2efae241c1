"""Reviews in the lake, and what the build makes of them."""

from dataclasses import replace
from pathlib import Path

from dagster_project.clean_records import labels_of
from dagster_project.lake.documents import records
from dagster_project.lake.freshness import digests
from dagster_project.lake.learnt_tables import TASKS, VERIFIED
from dagster_project.lake.rows import canonical_text
from dagster_project.lake.store import Lake
from dagster_project.review.desk import messages_of
from dagster_project.review.feedback import (
    LEFT_OUT,
    REVIEWED,
    STALE,
    can_accept,
    derived_hash,
    doubts_of,
    undecided,
    with_decision,
    with_rubric,
)
from dagster_project.review.review import ACCEPT, DECISION, LABEL, REJECT, RUBRIC, Review
from dagster_project.review.store import ASSET, keep, reviews_of
from dagster_project.tasks.verification import VerifiedTask
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.rubric import Rubric
from environments.runtime.values.canonical import rubric_hash
from synth.rubric.policy_rules import rule_checks
from tests.review_home import APP, review_home
from tests.unit.clean_conversations import call, episode, result, user

POLICY = Path("no-such-file.toml")


def said(kind: str, value: str, *, by: str = "ada", at: int = 1, **more: str) -> Review:
    """One review of task 1."""
    fields = {"task_version": "v1", "episode_id": "", "document": "{}"} | more
    return Review(app=APP, kind=kind, task_id="task1", value=value, by=by, at=at, **fields)


def label(value: str, *, by: str = "ada", at: int = 1, episode: str = "ep1-bad") -> Review:
    """A label of one episode."""
    return said(LABEL, value, by=by, at=at, episode_id=episode)


def verdict(**changes: object) -> VerifiedTask:
    """A task whose good attempt is paid, and one nearly right attempt as well."""
    good = {"name": "good_attempt", "expected": "one", "passed": True, "in_gate": True}
    twin = {"name": "extra_write", "expected": "below", "passed": False, "in_gate": True}
    values: dict[str, object] = {
        "task_id": "task1",
        "task_version": "v1",
        "status": "needs_review",
        "reasons": ("pays:extra_write",),
        "probes": (good, {**twin, "void": False, "why": "", "reward": 1.0}),
        "gate": "1",
    }
    return VerifiedTask(**(values | changes))  # type: ignore[arg-type]  # values by name


def test_a_label_is_heard_before_the_user(tmp_path: Path) -> None:
    """A reviewer's word is the episode's label from now on, with the reviewer as its source."""
    lake = Lake(review_home(tmp_path / "h").clean / "lake")
    before = labels_of(lake, APP, POLICY)["ep1-bad"]
    keep(lake, [label("resolved")])
    after = labels_of(lake, APP, POLICY)["ep1-bad"]
    assert (before.resolved, before.by) == (False, "end_user")
    assert (after.resolved, after.by) == (True, "reviewer")


def test_who_cannot_tell_leaves_the_outcome_alone(tmp_path: Path) -> None:
    """`unknown` is no vote, and a later word of the same person replaces the earlier one."""
    lake = Lake(review_home(tmp_path / "h").clean / "lake")
    keep(lake, [label("resolved", at=1), label("unknown", at=2)])
    assert labels_of(lake, APP, POLICY)["ep1-bad"].resolved is False
    assert reviews_of(lake, APP).label_of("ep1-bad") == "unknown"
    assert len(reviews_of(lake, APP).everything) == 2


def test_two_reviewers_who_differ_make_it_unknown(tmp_path: Path) -> None:
    """Neither the later nor the louder one wins: the label is unknown until they agree."""
    lake = Lake(review_home(tmp_path / "h").clean / "lake")
    keep(lake, [label("resolved", at=1), label("unresolved", by="bob", at=9)])
    found = labels_of(lake, APP, POLICY)["ep1-bad"]
    assert (found.resolved, found.reason) == (None, "contradiction")
    assert reviews_of(lake, APP).label_of("ep1-bad") == "differ"
    keep(lake, [label("unresolved", at=10)])
    assert labels_of(lake, APP, POLICY)["ep1-bad"].resolved is False


def test_the_build_hears_of_new_reviews_only(tmp_path: Path) -> None:
    """The stamp moves with a new review and stays with one that is there already."""
    lake = Lake(review_home(tmp_path / "h").clean / "lake")
    nothing = digests(lake, ASSET, APP)
    keep(lake, [label("resolved")])
    one = digests(lake, ASSET, APP)
    keep(lake, [label("resolved")])
    assert nothing != one == digests(lake, ASSET, APP)
    assert len(reviews_of(lake, APP).everything) == 1


def _override(candidate: Candidate, rubric: Rubric, *, base: str | None = None) -> Review:
    derived = derived_hash(candidate.rubric) if base is None else base
    document = canonical_text({"rubric": rubric.to_json(), "base": derived})
    return said(RUBRIC, rubric_hash(rubric), document=document)


def test_an_edited_rubric_replaces_the_derived_one(tmp_path: Path) -> None:
    """Its checks hold, its hash names the version, and the review survives being stored and applied twice."""
    lake = Lake(review_home(tmp_path / "h").clean / "lake")
    stored = records(lake, TASKS, APP, Candidate)["task1"]
    shorter = replace(stored.rubric, checks=stored.rubric.checks[:1])
    keep(lake, [_override(stored, shorter)])
    review = reviews_of(lake, APP).rubrics["task1"]
    once = with_rubric(stored, review)
    assert rubric_hash(once.rubric) == rubric_hash(shorter)
    assert STALE not in once.reasons
    assert with_rubric(once, review) == once
    assert derived_hash(once.rubric) == rubric_hash(stored.rubric)


def test_a_judge_that_comes_or_goes_makes_no_review_stale(tmp_path: Path) -> None:
    """Rules of the prompt that only a judge answers are no part of what a reviewer's rubric replaced."""
    lake = Lake(review_home(tmp_path / "h").clean / "lake")
    plain = records(lake, TASKS, APP, Candidate)["task1"]
    rules = rule_checks(
        replace(plain.task, opening=({"role": "system", "content": "You must be polite."},)),
        [],
        judged=True,
    )
    judged = replace(plain, rubric=replace(plain.rubric, checks=(*plain.rubric.checks, *rules)))
    shorter = replace(plain.rubric, checks=plain.rubric.checks[:1])
    assert len(rules) == 1
    for made_on, built in ((plain, judged), (judged, plain)):
        assert STALE not in with_rubric(built, _override(made_on, shorter)).reasons


def test_a_review_of_another_derived_rubric_is_stale(tmp_path: Path) -> None:
    """The reviewed rubric stays in force, and the task waits for a person."""
    lake = Lake(review_home(tmp_path / "h").clean / "lake")
    stored = records(lake, TASKS, APP, Candidate)["task1"]
    shorter = replace(stored.rubric, checks=stored.rubric.checks[:1])
    found = with_rubric(stored, _override(stored, shorter, base="another"))
    assert rubric_hash(found.rubric) == rubric_hash(shorter)
    assert found.reasons[-1] == STALE
    back = with_rubric(stored, said(RUBRIC, ""))
    assert back is stored


def test_a_person_settles_doubts_of_that_version_only() -> None:
    """Named probes become void, the task accepted; another version or an unnamed probe stays as it was."""
    one = verdict()
    named = said(DECISION, ACCEPT, document=canonical_text({"probes": doubts_of(one)}))
    settled = with_decision(one, named)
    assert (settled.status, settled.reasons) == ("accepted", (REVIEWED,))
    assert all(probe["passed"] for probe in settled.probes)
    assert with_decision(replace(one, task_version="v2"), named).status == "needs_review"
    assert with_decision(one, said(DECISION, ACCEPT)).status == "needs_review"


def test_no_person_accepts_an_exploit() -> None:
    """A paid attack, a missing good attempt and a stale review cannot be accepted."""
    named = said(DECISION, ACCEPT, document=canonical_text({"probes": ["extra_write"]}))
    for one in (
        verdict(status="rejected"),
        verdict(probes=()),
        verdict(reasons=(STALE,)),
    ):
        assert not can_accept(one)
        assert with_decision(one, named) == one


def test_a_task_can_be_left_out_and_taken_back() -> None:
    """The reason is named once, and the gate's own verdict is asked for again after a decision."""
    out = with_decision(verdict(status="accepted", reasons=()), said(DECISION, REJECT))
    assert (out.status, out.reasons) == ("rejected", (LEFT_OUT,))
    assert with_decision(out, said(DECISION, REJECT)).reasons == (LEFT_OUT,)
    assert undecided({"task1": out, "task2": verdict()}) == {"task2": verdict()}


def test_stored_verdicts_of_the_gate_are_read_back(tmp_path: Path) -> None:
    """The fixture's gate accepted one task and kept the other for a person."""
    lake = Lake(review_home(tmp_path / "h").clean / "lake")
    found = records(lake, VERIFIED, APP, VerifiedTask)
    assert {key: one.status for key, one in found.items()} == {
        "task1": "accepted",
        "task3": "needs_review",
    }


def test_a_last_call_that_nobody_answered_is_told() -> None:
    """Attempts hold no such call; a reviewer reads that the agent made one."""
    steps = [user("Bye"), call("c1", "find", id=1), result("c1", "none"), call("c2", "end_call")]
    told = messages_of(episode(*steps))
    assert told[-1]["content"] == "(called end_call({}); no answer was recorded)"
    assert [message.get("content") for message in told[:3]] == ["Bye", None, "none"]

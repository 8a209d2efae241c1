"""Judge checks at the gate: replies are recorded, travel with the task set, and a task without them waits."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dagster_project.lake.rows import canonical_text
from dagster_project.lake.store import Lake
from dagster_project.review.desk import Desk
from dagster_project.review.feedback import can_accept, derived_hash
from dagster_project.review.review import RUBRIC, Review
from dagster_project.review.tables import VERDICTS
from dagster_project.tasks.judge_replies import REPLIES, replies_of
from dagster_project.tasks.model_replies import append_replies
from dagster_project.tasks.task_set_parts import parts_of
from dagster_project.tasks.verification import TaskKnowledge, verify_all
from dagster_project.worlds.stored_worlds import world_of
from environments.export.taskset import write_task_set
from environments.judges.ask import Judge
from environments.judges.client import ClientSettings
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.rubric import SHARE, Check
from environments.runtime.task.task_set import TaskSet, grade
from environments.runtime.values.canonical import rubric_hash
from environments.verification.judge_checks import UNASKED
from environments.verify import ACCEPTED, BREAKS_RULES, NEEDS_REVIEW
from tests.environments_shop import say
from tests.review_home import APP, candidate, put_tasks, review_home

POLITE = Check(
    check_id="polite", fn="judge", args={"prompt": "Is the assistant polite?"}, required=True
)


class Model:
    """A judge that finds everything polite and knows no code; counts what it is asked."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    async def __call__(self, _instructions: str, request: str) -> str:
        """Answers every question of a request."""
        self.requests.append(json.loads(request))
        asked = self.requests[-1]["questions"]
        listed = [{"id": q["id"], "score": float("polite" in q["question"])} for q in asked]
        return json.dumps({"answers": listed})


def polite() -> Candidate:
    """The shop's sound task, with a required judge check."""
    one = candidate(1)
    return replace(one, rubric=replace(one.rubric, checks=(*one.rubric.checks, POLITE)))


def judge(model: Model | None = None, replies: Mapping[str, Json] | None = None) -> Judge:
    """A judge; without a model one that only knows its recordings."""
    if model is None:
        settings = ClientSettings(give_up_after=0)
        return Judge(model="", complete=Model(), settings=settings, replies=dict(replies or {}))
    return Judge(model="m", complete=model, replies=dict(replies or {}))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A small home's clean lake."""
    return Lake(review_home(tmp_path / "h").clean / "lake")


def test_without_a_judge_the_task_waits_and_nobody_can_accept_it(lake: Lake) -> None:
    """The check is null, so nothing is known of the good attempt: no person's click makes up for that."""
    for nobody in (None, judge()):
        (found,) = verify_all(
            [polite()], world_of(lake, APP), known={}, seen=TaskKnowledge(judge=nobody)
        )
        assert (found.status, found.reasons[0]) == (NEEDS_REVIEW, UNASKED)
        assert not can_accept(found)


def test_with_a_judge_the_task_passes_and_replies_last(lake: Lake) -> None:
    """What was asked once is enough for ever; attacks that another check fails are never asked about."""
    model = Model()
    asked = judge(model)
    (found,) = verify_all(
        [polite()], world_of(lake, APP), known={}, seen=TaskKnowledge(judge=asked)
    )
    (again,) = verify_all(
        [polite()],
        world_of(lake, APP),
        known={},
        seen=TaskKnowledge(judge=judge(replies=asked.replies)),
    )

    assert (found.status, found.reasons) == (ACCEPTED, ())
    assert again == found
    assert 1 <= len(asked.replies) < sum(p["expected"] == "zero" for p in found.probes)


def with_rules(word: str) -> Candidate:
    """The shop's sound task, with rules of the prompt that only a judge can answer."""
    one = candidate(1)
    rules = [
        Check(
            check_id=f"rule_{n}",
            fn="judge",
            args={"prompt": f"Is the assistant {word}? ({n})"},
            role=SHARE,
            positive=False,
        )
        for n in range(9)
    ]
    return replace(one, rubric=replace(one.rubric, checks=(*one.rubric.checks, *rules)))


def test_what_weighs_in_the_share_only_holds_no_task_back(lake: Lake) -> None:
    """Nobody answers: accepted. A judge answers: asked of the good attempt alone. It says that every rule was broken: a person looks."""
    world, model = world_of(lake, APP), Model()
    (alone,) = verify_all([with_rules("polite")], world, known={})
    assert alone.status == ACCEPTED
    asked = judge(model)
    (found,) = verify_all([with_rules("polite")], world, known={}, seen=TaskKnowledge(judge=asked))
    assert (found.status, found.probes[0]["share"]) == (ACCEPTED, 1.0)
    assert len(asked.replies) == 9
    rude = TaskKnowledge(judge=judge(model))
    (broken,) = verify_all([with_rules("rude")], world, known={}, seen=rude)
    assert (broken.status, broken.reasons) == (NEEDS_REVIEW, (BREAKS_RULES,))
    assert broken.probes[0]["reward"] == 1.0


def test_a_new_reply_is_heard_though_the_version_is_known(lake: Lake) -> None:
    """A task that waited is attacked again when somebody has asked a judge meanwhile."""
    (waiting,) = verify_all([polite()], world_of(lake, APP), known={})
    known = {waiting.task_id: waiting}
    (found,) = verify_all(
        [polite()], world_of(lake, APP), known=known, seen=TaskKnowledge(judge=judge(Model()))
    )
    assert found.status == ACCEPTED


def test_replies_travel_in_the_task_set(lake: Lake, tmp_path: Path) -> None:
    """Elsewhere, with nothing but the folder, the same actions get the same verdict; a judge's words stay here."""
    _answered(lake)
    parts = parts_of(lake, [APP])
    write_task_set(
        tmp_path / "set",
        [e for e in parts.entries if e.task.task_id == "task1"],
        parts.worlds,
        provenance=parts.provenance,
    )
    there = TaskSet.load(tmp_path / "set")
    (task,) = there.tasks
    solution = there.solution(task.task_id)

    assert grade(task, solution).reward == 1.0
    assert grade(task, solution, recordings=replies_of(lake, [APP])) == grade(task, solution)
    assert grade(task, [*solution[:-1], say("Whatever.")]).reward is None
    assert list(there.recordings.values()) == [{"score": 1.0}] * len(there.recordings)
    assert "quote" not in (tmp_path / "set" / "recordings.json").read_text(encoding="utf-8")


def test_a_set_without_judge_checks_carries_no_replies(lake: Lake, tmp_path: Path) -> None:
    """A judge's replies about other rubrics stay in the home."""
    append_replies(lake, REPLIES, "m", {APP: {"k": {"score": 1.0, "quote": "words"}}})
    parts = parts_of(lake, [APP])
    write_task_set(tmp_path / "set", parts.entries, parts.worlds, provenance=parts.provenance)
    assert not (tmp_path / "set" / "recordings.json").exists()


def test_the_review_page_grades_with_stored_replies(lake: Lake, tmp_path: Path) -> None:
    """A verdict on the page is the one that a build gives; an edit is compared with the same replies."""
    _answered(lake)
    desk = Desk(tmp_path / "h" / "clean", tmp_path / "h" / "outcomes.toml", [APP]).app(APP)
    assert desk is not None
    entry = desk.entry("task1")
    assert entry is not None

    rewards = [one.verdict and one.verdict.reward for one in entry.attempts]
    change = desk.change(entry, candidate(1).rubric)
    found = desk.preview(
        Review(
            app=APP,
            kind=RUBRIC,
            task_id="task1",
            task_version=entry.version,
            value=rubric_hash(entry.candidate.rubric),
            by="ada",
            at=1,
            document=canonical_text(
                {
                    "rubric": entry.candidate.rubric.to_json(),
                    "base": derived_hash(entry.stored.rubric),
                }
            ),
        )
    )

    assert rewards[0] == 1.0
    assert not [
        one for one in change.regrades if one.before.reward != one.after.reward and one.run.resolved
    ]
    assert found is not None
    # About what the solving rollout said the reply is known, and the idle one fails whatever a judge would say.
    assert found.verdict.reasons == ()
    assert not lake.read(VERDICTS, app=APP).num_rows, "looking saves nothing"


def _answered(lake: Lake) -> None:
    """The home after a build with a judge."""
    asked = judge(Model())
    world = world_of(lake, APP)
    verify_all([polite()], world, known={}, seen=TaskKnowledge(judge=asked))
    append_replies(lake, REPLIES, "m", asked.take_fresh())
    put_tasks(lake, [polite(), candidate(3)], world, judge=judge(replies=asked.replies))

"""A build that asks a model for causes: through litellm, each request once, within its budget, with people's word before the model's."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dagster_project.arrival.files import take_in
from dagster_project.build.left_out import skipped_of
from dagster_project.build.left_out_rows import lines_of, rows_of
from dagster_project.build.run import build
from dagster_project.causes.replies import CAUSE_REPLIES
from dagster_project.clean_records import clusters_of, failures_of
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.rows import canonical_text
from dagster_project.lake.store import Lake
from dagster_project.review.review import CAUSE, Review
from dagster_project.review.store import keep
from environments.llm import ModelChoice
from synth.failures.detection import Failure
from synth.failures.judging.agreement import agreement_of
from synth.failures.judging.opinion import EVIDENCE, MODEL, PERSON
from tests.lending_desk import FIRST, LAST, lines, write
from tests.openai_server import ModelServer, serving

pytestmark = [
    pytest.mark.slow,  # builds, some of them through litellm (4.8 s)
    pytest.mark.filterwarnings("ignore"),  # litellm's own, many and changing
]
APP = "lending"
SECRET = "a secret of the tests, long enough"


def plans_badly(body: Mapping[str, Any]) -> dict[str, Any]:
    """A model that finds a wrong plan at the agent's last step, and once it has seen examples at their step."""
    said = body["messages"][-1]["content"]
    if said.startswith("You name groups"):
        return {"content": '{"name": "Nothing is done for the reader"}'}
    asked = json.loads(said)
    if "cause" in asked:
        return {"content": '{"mistake": false}'}
    spoken = [one["step"] for one in asked["conversation"] if one["speaker"] == "desk"]
    step = asked["examples"][0]["step"] if "examples" in asked else spoken[-1]
    return {"content": json.dumps({"cause": "wrong_plan", "step": step, "agent": "desk"})}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A library's telemetry: eight good and eight bad conversations."""
    made = open_home(tmp_path / "home", create=True)
    take_in(made, [write(tmp_path / "c.jsonl", lines(8))])
    return made


def built(home: Home, server: ModelServer | None = None, *budgets: str) -> list[Failure]:
    """The failures after a build; the model behind a server answers if there is one."""
    choice = ModelChoice(model="m", url=server.url) if server else None
    build(home, secret=SECRET, judge=choice, judge_causes=server is not None, budgets=budgets)
    return failures_of(Lake(home.clean / "lake"), APP)


def label(home: Home, failure: Failure, step: int) -> None:
    """A person says that the cause is a wrong plan at a step."""
    one = Review(
        app=APP,
        kind=CAUSE,
        task_id="",
        task_version="",
        episode_id=failure.episode_id,
        value="wrong_plan",
        by="ada",
        at=time.time_ns(),
        document=canonical_text({"step": step, "agent": "desk"}),
    )
    keep(Lake(home.clean / "lake"), [one])


def names(home: Home) -> set[str]:
    """The names of all groups."""
    return {one.name for one in clusters_of(Lake(home.clean / "lake"), APP)}


def by_model(failures: list[Failure]) -> list[int | None]:
    """The steps that the model names, without examples."""
    return [o.step for f in failures for o in f.opinions if o.by == MODEL and not o.examples]


def test_a_model_is_asked_once_and_people_are_heard_first(home: Home) -> None:
    """Off unless asked for; replies last; a label is in force, becomes an example, and agreement is told before and after."""
    assert {f.named_by for f in built(home)} == {EVIDENCE}
    with serving(plans_badly) as server:
        first = built(home, server)
        assert len(by_model(first)) == 8
        asked = len(server.requests)
        assert asked >= 8
        text = json.dumps(server.requests)
        assert not [name for name in (*FIRST, *LAST) if name in text]
        assert built(home, server) == first
        assert len(server.requests) == asked
        assert built(home) == first

        assert "Nothing is done for the reader" not in names(home)  # a name once given stays
        for failure in first[:3]:
            label(home, failure, step=4)
        taught = built(home, server)
        assert len(server.requests) > asked
    assert [f.named_by for f in taught[:3]] == [PERSON] * 3
    assert [(f.cause, f.step) for f in taught[:3]] == [("wrong_plan", 4)] * 3
    assert "Nothing is done for the reader" in names(home)  # the labels made a new group
    rows = {row.name: row for row in agreement_of(taught)}
    assert rows["model"].labelled == 1  # the first two labels are the examples
    assert (rows["model"].step, rows["model after 2 labels"].step) == (0, 1)


@pytest.mark.leaves_out
def test_a_spent_budget_and_foreign_replies_leave_the_evidence(home: Home) -> None:
    """What is left is said plainly, and the next build goes on there."""
    lake = Lake(home.clean / "lake")
    with serving(plans_badly) as server:
        assert len(by_model(built(home, server, "failures=40tokens"))) < 8
        (told,) = lines_of(rows_of(skipped_of(lake)))
        assert "the budget of failures was spent" in told
        assert len(by_model(built(home, server))) == 8
        assert not skipped_of(lake)
    with serving(lambda _: {"content": "It was the weather."}) as server:
        lake.replace(CAUSE_REPLIES, CAUSE_REPLIES.schema.empty_table(), [(APP,)])
        choice = ModelChoice(model="other", url=server.url)
        build(home, secret=SECRET, judge=choice, judge_causes=True)
    (told,) = lines_of(rows_of(skipped_of(lake)))
    assert told.startswith("without the model's opinion: 8 causes of lending")
    assert {f.named_by for f in failures_of(lake, APP)} == {EVIDENCE}

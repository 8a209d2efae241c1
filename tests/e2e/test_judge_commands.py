"""Judge checks from the command line, through litellm, against a stand-in server: asked, recorded, graded again without it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dagster_project.home.layout import open_home
from dagster_project.lake.store import Lake
from dagster_project.tasks.judge_replies import replies_of
from environments.judges.ask import Judge
from environments.judges.client import ClientSettings
from environments.judges.question import questions_of
from environments.llm import LlmJudge
from environments.runtime import TaskSet
from environments.runtime.play.environment import run_actions
from environments.runtime.task.rubric import Check
from tests.environments_shop import entry, write_shop
from tests.openai_server import serving

pytestmark = [
    pytest.mark.slow,  # importing litellm takes 5 s
    pytest.mark.filterwarnings("ignore"),  # litellm's own, many and changing
]
ROOT = Path(__file__).parents[2]
POLITE = Check(
    check_id="polite", fn="judge", args={"prompt": "Is the assistant polite?"}, required=True
)


def polite_shop(folder: Path) -> Path:
    """The shop's task set with one judge check in each rubric."""
    entries = [
        replace(one, rubric=replace(one.rubric, checks=(*one.rubric.checks, POLITE)))
        for one in (entry(1), entry(3))
    ]
    write_shop(folder, entries=entries)
    return folder


def judge_brain(body: Mapping[str, Any]) -> dict[str, Any]:
    """A judge that finds everything polite and knows no code."""
    request = json.loads(body["messages"][-1]["content"])
    listed = [
        {"id": q["id"], "score": float("polite" in q["question"])} for q in request["questions"]
    ]
    return {"content": json.dumps({"answers": listed})}


def command(*arguments: object) -> Any:  # noqa: ANN401 - whatever the command prints
    """A command's JSON."""
    done = subprocess.run(
        [sys.executable, "-m", "dagster_project.cli.main", *map(str, arguments), "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("stream", [False, True])
def test_a_judge_is_asked_through_litellm(tmp_path: Path, *, stream: bool) -> None:
    """Whole and streamed replies give the same recordings, and the request holds instructions and data apart."""
    shop = TaskSet.load(polite_shop(tmp_path / "set"))
    attempt = run_actions(shop.task("task1"), shop.world("task1"), entry(1).solution)
    with serving(judge_brain) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LlmJudge(model="m", base_url=server.url, stream=stream)
        judge = Judge(model="m", complete=model)
        recordings = asyncio.run(judge.recordings(shop.rubric("task1"), attempt, app="shop"))
    assert shop.verdict("task1", attempt, recordings=recordings).reward == 1.0
    assert shop.verdict("task1", attempt).reward is None
    assert [m["role"] for m in server.requests[0]["messages"]] == ["system", "user"]
    assert "cancelled" not in server.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize("fault", ["500", "not_json", "no_choices", "drop"])
def test_a_dead_endpoint_leaves_attempts_ungraded(tmp_path: Path, fault: str) -> None:
    """Whatever the endpoint does, there is no verdict and no crash."""
    shop = TaskSet.load(polite_shop(tmp_path / "set"))
    attempt = run_actions(shop.task("task1"), shop.world("task1"), entry(1).solution)
    rubric = shop.rubric("task1")
    with serving(judge_brain, always=fault) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LlmJudge(model="m", base_url=server.url, retries=0, timeout=5)
        judge = Judge(model="m", complete=model, settings=ClientSettings(attempts=1))
        recordings = asyncio.run(judge.recordings(rubric, attempt, app="shop"))
    assert recordings == {}
    assert judge.counts.unanswered == len(questions_of(rubric, attempt)) == 1
    assert shop.verdict("task1", attempt, recordings=recordings).reward is None


def test_rollouts_and_regrading_ask_once_and_grade_from_recordings(tmp_path: Path) -> None:
    """Null without a judge; paid once one was asked; paid the same afterwards without any endpoint."""
    shop, home = polite_shop(tmp_path / "set"), tmp_path / "home"
    open_home(home, create=True)
    first = command("rollout", shop, "--policy", "solution", "--home", home)
    assert (first["rollouts"], first["masked"]) == (2, 2)
    with serving(judge_brain) as server:
        url = server.url
        judged = command("regrade", shop, "--home", home, "--judge", "m", "--judge-url", url)
        again = command("rollout", shop, "--policy", "solution", "-n", 2, "--home", home)
        both = command(
            *("rollout", shop, "--policy", "solution", "-n", 3, "--home", home),
            *("--judge", "m", "--judge-url", url),
        )
    assert judged["changes"] == {"unmasked": 2}
    assert judged["judge"]["requests"] == 1
    assert len(server.requests) == 1
    assert (again["graded"], both["graded"], both["judge"]["answered_before"]) == (2, 2, 2)
    kept = replies_of(Lake(home / "clean" / "lake"), ["shop"])
    assert len(kept) == 1, "both attempts said the same words"
    later = command("regrade", shop, "--home", home)
    assert {one["now"]["reward"] for one in later["changed"]} == {1.0}


def test_a_judge_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The command ends well, says what was not answered, and the verdicts stay null."""
    shop, home = polite_shop(tmp_path / "set"), tmp_path / "home"
    open_home(home, create=True)
    done = command(
        *("rollout", shop, "--policy", "solution", "--home", home),
        *("--judge", "m", "--judge-url", "http://127.0.0.1:9/v1"),
    )
    assert (done["masked"], done["judge"]["unanswered"]) == (2, 2)

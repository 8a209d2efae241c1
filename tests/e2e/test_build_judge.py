"""A build whose rubric asks a judge: not accepted until one was asked, asked through litellm, never asked twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.home.layout import open_home
from dagster_project.lake.rows import canonical_text
from dagster_project.review.desk import AppDesk, Desk
from dagster_project.review.entry import Entry
from dagster_project.review.feedback import derived_hash
from dagster_project.review.review import RUBRIC, Review
from environments.runtime.task.rubric import REWARD, Check
from environments.runtime.task.task_set import TaskSet
from environments.runtime.values.canonical import rubric_hash
from environments.verification.judge_checks import UNASKED
from tests.lending_desk import line, lines, write
from tests.openai_server import serving

pytestmark = [
    pytest.mark.slow,  # three builds, one of them in a process of its own
    pytest.mark.filterwarnings("ignore"),  # litellm's own, many and changing
]
APP = "lending"
SECRET = "a secret of the tests, long enough"
ROOT = Path(__file__).parents[2]
POLITE = Check(
    check_id="polite",
    fn="judge",
    args={"prompt": "Is the assistant polite?"},
    role=REWARD,
    required=True,
)


def polite(body: Mapping[str, Any]) -> dict[str, Any]:
    """A judge that finds everything polite, and says no to what is asked to see whether it says yes to anything."""
    asked = json.loads(body["messages"][-1]["content"])["questions"]
    listed = [{"id": q["id"], "score": float("polite" in q["question"])} for q in asked]
    return {"content": json.dumps({"answers": listed})}


def desk_of(home: Any) -> AppDesk:  # noqa: ANN401 - a home
    """The app on a fresh desk."""
    found = Desk(home.clean, home.outcome_policy, [APP]).app(APP)
    assert found is not None
    return found


def with_judge(entry: Entry) -> Review:
    """A reviewer's rubric: the derived one, and a judge's opinion."""
    rubric = entry.candidate.rubric
    rubric = replace(rubric, checks=(*rubric.checks, POLITE))
    document = {"rubric": rubric.to_json(), "base": derived_hash(entry.stored.rubric)}
    return Review(
        app=APP,
        kind=RUBRIC,
        task_id=entry.task_id,
        task_version=entry.version,
        episode_id="",
        value=rubric_hash(rubric),
        by="ada",
        at=time.time_ns(),
        document=canonical_text(document),
    )


def test_a_build_asks_the_judge_it_is_given_and_remembers_the_replies(tmp_path: Path) -> None:
    """`needs_review` without a judge; accepted, exported and graded from recordings after `build --judge`."""
    home = open_home(tmp_path / "home", create=True)
    take_in(home, [write(tmp_path / "c.jsonl", [*lines(4), *(_again(n) for n in range(4))])])
    build(home, secret=SECRET)
    desk = desk_of(home)
    entry = next(e for key in desk.task_ids if (e := desk.entry(key)) and e.status == "accepted")
    desk.save(with_judge(entry))
    build(home, secret=SECRET)
    waiting = desk_of(home).entry(entry.task_id)
    assert waiting is not None
    assert waiting.verified is not None
    assert (waiting.status, waiting.verified.reasons[0]) == ("needs_review", UNASKED)

    with serving(polite) as server:
        _build_with_judge(home.path, server.url)
    assert server.requests
    build(home, secret=SECRET)  # no judge, no server: what it said is recorded
    judged = desk_of(home).entry(entry.task_id)
    assert judged is not None
    assert judged.verified is not None
    assert (judged.status, tuple(judged.verified.reasons)) == ("accepted", ())
    shop = TaskSet.load(home.clean / "tasksets" / APP)
    assert entry.task_id in {task.task_id for task in shop.tasks}


def _again(number: int) -> dict[str, Any]:
    return line(number, good=True, attempt=2, day=2)


def _build_with_judge(home: Path, url: str) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "dagster_project.cli.main", "build", "--home", str(home)),
            *("--judge", "m", "--judge-url", url, "--json"),
        ],
        cwd=ROOT,
        env={**os.environ, "TRACEGYM_SECRET": SECRET},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]

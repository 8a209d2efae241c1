"""`tracegym attack` on real homes: cheats are found, kept, and tried by the next build; models attack through real protocols."""

from __future__ import annotations

import json
import signal
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
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import add_apps
from dagster_project.lake.rows import canonical_text
from dagster_project.lake.store import Lake
from dagster_project.review.desk import AppDesk, Desk
from dagster_project.review.entry import Entry
from dagster_project.review.feedback import derived_hash
from dagster_project.review.review import RUBRIC, Review
from dagster_project.tasks.found_cheats import cheats_of
from environments.export.taskset import entry_of, write_task_set
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.values.canonical import rubric_hash
from tests.command import ROOT, tracegym
from tests.environments_shop import entry, write_shop
from tests.lending_desk import lines, write
from tests.openai_server import serving

pytestmark = pytest.mark.slow
SPOKE = Check(check_id="spoke", fn="spoke", args={}, required=True, positive=True)
FOUND = 4


def weak_shop(folder: Path) -> Path:
    """The shop's task set, whose rubrics pay whoever says something."""
    entries = [
        replace(one, rubric=replace(one.rubric, checks=(SPOKE,))) for one in (entry(1), entry(3))
    ]
    write_shop(folder, entries=entries)
    return folder


def weak(rubric: Rubric) -> Rubric:
    """A rubric that pays whoever says something."""
    return replace(rubric, checks=(SPOKE,))


def opened(home: Home) -> AppDesk:
    """The lending app on a fresh desk."""
    found = Desk(home.clean, home.outcome_policy, ["lending"]).app("lending")
    assert found is not None
    return found


def entry_in(home: Home, task_id: str) -> Entry:
    """A task as the last build left it."""
    found = opened(home).entry(task_id)
    assert found is not None
    return found


def edit(home: Home, entry: Entry, rubric: Rubric | None) -> None:
    """What a reviewer does: another rubric, or the derived one again."""
    document = {} if rubric is None else {"rubric": rubric.to_json()}
    review = Review(
        app="lending",
        kind=RUBRIC,
        task_id=entry.task_id,
        task_version=entry.version,
        episode_id="",
        value="" if rubric is None else rubric_hash(rubric),
        by="ada",
        at=time.time_ns(),
        document=canonical_text({**document, "base": derived_hash(entry.stored.rubric)}),
    )
    opened(home).save(review)


def test_a_found_cheat_is_tried_by_every_later_build(tmp_path: Path) -> None:
    """A task whose rubric pays it is rejected with it as the reason, and accepted once the checks are better."""
    home = open_home(tmp_path / "home", create=True)
    take_in(home, [write(tmp_path / "chats.jsonl", list(lines(6)))])
    build(home, secret="a secret of the tests, long enough")
    task_set = home.clean / "tasksets" / "lending"
    assert "0 paid cheats" in tracegym("attack", task_set, "--budget", 40)

    desk = opened(home)
    chosen = next(e for t in desk.task_ids if (e := desk.entry(t)) and e.status == "accepted")
    one = replace(chosen.candidate, rubric=weak(chosen.candidate.rubric))
    world = json.loads(next((task_set / "worlds").iterdir()).read_text())
    copy = tmp_path / "weak"
    document = {one.task.world: world}
    write_task_set(copy, [entry_of(one, status="accepted")], document, provenance={"name": "weak"})
    tracegym("attack", copy, "--budget", 60, "--home", home.path, code=FOUND)
    kept = cheats_of(Lake(home.clean / "lake"), "lending")
    assert set(kept) == {chosen.task_id}

    build(home, secret="a secret of the tests, long enough")
    after = entry_in(home, chosen.task_id)
    assert after.status == "accepted"
    assert after.verified is not None
    assert "found_cheat_1" in {probe["name"] for probe in after.verified.probes}

    edit(home, after, weak(after.candidate.rubric))
    build(home, secret="a secret of the tests, long enough")
    weakened = entry_in(home, chosen.task_id)
    assert weakened.verified is not None
    assert weakened.status == "rejected"
    assert "pays:found_cheat_1" in weakened.verified.reasons

    edit(home, weakened, None)
    build(home, secret="a secret of the tests, long enough")
    assert entry_in(home, chosen.task_id).status == "accepted"


def test_cheats_travel_in_a_file(tmp_path: Path) -> None:
    """Written without a home, taken into one later, once."""
    shop, out = weak_shop(tmp_path / "set"), tmp_path / "found.jsonl"
    home = open_home(tmp_path / "home", create=True)
    told = tracegym("attack", shop, "--budget", 30, "--out", out, code=FOUND)
    assert "kept nowhere" in told
    assert "knows no app shop" in tracegym("attack", out, "--home", home.path, code=1)
    add_apps(home, ["shop"])
    first = json.loads(tracegym("attack", out, "--home", home.path, "--json"))
    again = json.loads(tracegym("attack", out, "--home", home.path, "--json"))
    assert first["cheats"] == first["new"] > 0
    assert again["new"] == 0


def test_a_killed_search_leaves_whole_cheats(tmp_path: Path) -> None:
    """What was found before stands in the home after `kill -9`, and the next search goes over it without a trace."""
    shop = weak_shop(tmp_path / "set")
    home = open_home(tmp_path / "home", create=True)
    add_apps(home, ["shop"])
    command = (sys.executable, "-m", "dagster_project.cli.main", "attack", str(shop))
    options = ("--budget", "100000", "--home", str(home.path))
    lake = Lake(home.clean / "lake")
    with subprocess.Popen((*command, *options), cwd=ROOT, stderr=subprocess.DEVNULL) as search:
        until = time.monotonic() + 100
        while not cheats_of(lake, "shop") and time.monotonic() < until:
            time.sleep(0.05)
        search.kill()
    assert search.returncode == -signal.SIGKILL
    before = {one.cheat_id for some in cheats_of(lake, "shop").values() for one in some}
    assert before
    tracegym("attack", shop, "--budget", 30, "--home", home.path, code=FOUND)
    after = [one.cheat_id for some in cheats_of(lake, "shop").values() for one in some]
    assert before <= set(after)
    assert len(after) == len(set(after))


@pytest.mark.parametrize("provider", ["endpoint", "litellm"])
def test_a_model_attacks_and_is_held_to_the_same_oracle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    """It sees honest attempt, checks and what earlier attempts earned; what it is paid for without a call is a cheat."""
    shop = weak_shop(tmp_path / "set")

    with serving(lambda _: {"content": "All done, goodbye."}) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        chosen = (
            ("--policy", server.url, "--model", "m")
            if provider == "endpoint"
            else ("--policy", "openai/m")
        )
        out = tmp_path / "found.jsonl"
        tracegym("attack", shop, *chosen, "--budget", 2, "--out", out, code=FOUND)
    first = server.requests[0]["messages"]
    assert first[0]["role"] == "system"
    assert "WITHOUT the job being done" in first[0]["content"]
    assert "cancel_order" in first[0]["content"]
    assert "You work for a shop." in first[0]["content"]
    assert any("Attempt 1 earned 1.0" in r["messages"][0]["content"] for r in server.requests)
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert {(one["task_id"], one["kind"]) for one in found} == {
        ("task1", "no_calls"),
        ("task3", "no_calls"),
    }
    assert {one["policy"] for one in found} == {"m" if provider == "endpoint" else "openai/m"}


def test_paid_attempts_that_nobody_can_call_bad_wait_for_a_person(tmp_path: Path) -> None:
    """A model that does the job is no cheat and is never counted as one."""
    shop = weak_shop(tmp_path / "set")

    def brain(body: Mapping[str, Any]) -> dict[str, Any]:
        """Does what the honest attempt in its instructions does."""
        text = body["messages"][0]["content"]
        document, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
        acted = sum(m["role"] == "assistant" for m in body["messages"])
        actions = document["honest_attempt"]
        action: dict[str, Any] = actions[acted] if acted < len(actions) else {"content": "Bye."}
        return action

    with serving(brain) as server:
        chosen = ("--policy", server.url, "--model", "m", "--budget", 1)
        told = json.loads(tracegym("attack", shop, *chosen, "--json"))
    assert told["cheats"] == []
    assert [one["task_id"] for one in told["to_judge"]] == ["task1", "task3"]


def test_a_dead_endpoint_is_one_sentence(tmp_path: Path) -> None:
    """No attempt is counted for it."""
    shop = weak_shop(tmp_path / "set")
    with serving(lambda _: {"content": ""}, always="401") as server:
        told = tracegym("attack", shop, "--policy", server.url, "--model", "m", code=1)
    assert "refused" in told.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("nowhere",), 1, "is no folder"),
        (("SET", "--policy", "noop"), 2, "there is no policy 'noop' that attacks"),
        (("SET", "--policy", "http://localhost:1/v1"), 2, "needs the model's name"),
        (("SET", "--budget", "0"), 2, "--budget"),
        (("SET", "--task", "zz"), 1, "has no task whose id begins with zz"),
        (("SET", "--home", "absent"), 1, "there is no tracegym home at absent"),
        (("EMPTY",), 1, "is not a whole task set"),
    ],
)
def test_bad_input_is_one_sentence(
    tmp_path: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    """With the exit code that other commands have for it."""
    weak_shop(tmp_path / "set")
    (tmp_path / "empty").mkdir()
    places = {"SET": tmp_path / "set", "EMPTY": tmp_path / "empty"}
    told = tracegym("attack", *(places.get(one, one) for one in arguments), code=code)
    assert says in " ".join(told.replace("│", " ").split())

"""`tracegym runs` in the terminal: lists, one run, files, and input that is no good."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runs_home import Shop, runs_home, written


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A home with rollouts of every kind."""
    return runs_home(tmp_path_factory.mktemp("runs"))


def runs(*more: object) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    command = (sys.executable, "-m", "dagster_project.cli.main", "runs", *map(str, more))
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_list_says_why_and_what_to_do(shop: Shop) -> None:
    """Text for people; JSON holds the same rollouts, their causes, and the figures of all policies."""
    text = runs("--home", shop.home.path, "--list", "--got", "null")
    assert text.returncode == 0
    assert "null:unknown_tool" in text.stdout
    assert "--simulate" in text.stdout
    assert "idler" in text.stdout.partition("All policies")[2]
    found = json.loads(runs("--home", shop.home.path, "--list", "--got", "null", "--json").stdout)
    assert {one["policy"] for one in found["rollouts"]} == {"stranger", "broken"}
    assert set(found["reasons"]) == {"unknown_tool", "error"}
    assert "stranger" in {one["policy"] for one in found["policies"] if one["hides"]}


def test_one_run_in_the_terminal(shop: Shop, tmp_path: Path) -> None:
    """Transcript, verdict and the places where nobody knew, from a home and from a file alike."""
    start = shop.rollouts["stranger"].rollout_id[:10]
    from_home = runs("--home", shop.home.path, "--show", start)
    from_file = runs(written(shop, tmp_path / "r.jsonl"), "--show", start)
    assert from_home.stdout == from_file.stdout
    for said in (
        "did not understand",
        "[unknown]",
        "Check by check",
        "Where nobody knew an answer",
    ):
        assert said in from_home.stdout
    document = json.loads(runs("--home", shop.home.path, "--show", start, "--json").stdout)
    assert [one["source"] for one in document["answers"]] == ["unknown", "derived", "unknown"]
    assert document["cause"] == "unknown_tool"


@pytest.mark.parametrize(
    ("asked", "code", "says"),
    [
        (("--got", "luck"), 2, "choose from rewarded"),
        (("--list", "--show", "x"), 2, "not both"),
        (("--show", "zzz"), 1, "tracegym runs --list"),
        (("nowhere.jsonl", "--list"), 1, "cannot be read"),
        (("--home", "nowhere", "--list"), 1, "nowhere"),
    ],
)
def test_input_that_is_no_good(shop: Shop, asked: tuple[str, ...], code: int, says: str) -> None:
    """One sentence, no traceback, nothing on stdout."""
    where = () if "--home" in asked else ("--home", str(shop.home.path))
    done = runs(*asked, *where)
    assert done.returncode == code
    assert done.stdout == ""
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_nothing_fits(shop: Shop) -> None:
    """Filters that leave nothing say so; that is no fault."""
    done = runs("--home", shop.home.path, "--list", "--policy", "nobody")
    assert done.returncode == 0
    assert "no rollout fits" in done.stdout

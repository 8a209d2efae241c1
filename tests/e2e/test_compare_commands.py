"""`tracegym compare` in the terminal: policies of a home, files of runs, and input that is no good."""

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
    return runs_home(tmp_path_factory.mktemp("compare"))


def compare(*more: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    command = (sys.executable, "-m", "dagster_project.cli.main", "compare", *map(str, more))
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def run_file(shop: Shop, path: Path, policy: str) -> Path:
    """What `rollout --out` writes for one policy."""
    every = written(shop, path).read_text().splitlines()
    mine = [line for line in every if json.loads(line)["policy"] == policy]
    path.write_text("\n".join(mine) + "\n")
    return path


def test_two_policies_of_a_home(shop: Shop, tmp_path: Path) -> None:
    """Tables for people and the plain sentence; the same figures as JSON, in a file or on stdout."""
    out = tmp_path / "c.json"
    text = compare("idler", "solver", "--home", shop.home.path, "--json", out)
    assert text.returncode == 0, text.stderr
    assert "not enough tasks to tell" in text.stdout
    assert "A: idler" in text.stdout
    found = json.loads(out.read_text())
    assert found["overall"]["difference"] > 0
    assert found["overall"]["better"] == ""
    assert found["rewards_a"]["null_share"] == 0
    _ = compare("idler", "solver", "--home", shop.home.path, "--json", out)
    run = run_file(shop, tmp_path / "run.jsonl", "solver")
    was = run.read_text()
    refused = compare("idler", "solver", "--home", shop.home.path, "--json", run)
    assert (refused.returncode, run.read_text()) == (1, was)
    assert "holds something else" in refused.stderr
    printed = compare("idler", "solver", "--home", shop.home.path, "--json", "-")
    assert json.loads(printed.stdout) == found


def test_a_file_against_a_policy_and_another_file(shop: Shop, tmp_path: Path) -> None:
    """Files need no home; a task set narrows to its tasks; null stands beside null."""
    stranger = run_file(shop, tmp_path / "stranger.jsonl", "stranger")
    solver = run_file(shop, tmp_path / "solver.jsonl", "solver")
    files = compare(stranger, solver, "--task-set", shop.task_set, "--json", "-", cwd=tmp_path)
    assert files.returncode == 0, files.stderr
    found = json.loads(files.stdout)
    assert found["not_compared"]["ungraded_a"] == 1
    assert (found["rewards_a"]["null_share"], found["rewards_b"]["null_share"]) == (1.0, 0.0)
    assert found["says"] == "not enough tasks to tell: no task has a reward of both"
    mixed = compare(solver, "idler", "--home", shop.home.path)
    assert mixed.returncode == 0
    assert "1 task that only B has rollouts of" in mixed.stdout


def test_input_that_is_no_good(shop: Shop, tmp_path: Path) -> None:
    """One sentence with what to do, exit code 1, nothing on stdout, no traceback."""
    every = written(shop, tmp_path / "all.jsonl")
    other = tmp_path / "other.jsonl"
    row = json.loads(every.read_text().splitlines()[0])
    other.write_text(json.dumps({**row, "task_id": "elsewhere"}) + "\n")
    bad = tmp_path / "bad.jsonl"
    bad.write_text("no rollouts\n")
    home = ("--home", shop.home.path)
    for asked, says in (
        (("nobody", "solver", *home), "it has those of: broken, idler, solver, stranger"),
        (("solver", other), "pass --home DIR"),
        ((every, "solver", *home), "rollouts of 4 policies"),
        ((bad, "solver", *home), "holds no rollouts"),
        (("solver", other, *home, "--task-set", shop.task_set), "no rollout of a task of"),
        (("solver", "idler", *home, "--task-set", tmp_path / "none"), "is no folder"),
        (("solver", "idler", *home, "--app", "other"), "knows no app 'other'; it knows: "),
        (("solver", "idler", "--home", tmp_path / "none"), "none"),
    ):
        done = compare(*asked, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, ""), (asked, done.stderr)
        assert says in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr

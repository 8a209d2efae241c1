"""`tracegym rollout` over task sets and endpoints that are no good: one clear sentence, no traceback, nothing made up."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.environments_shop import write_shop


def rollout(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    command = (sys.executable, "-m", "dagster_project.cli.main", "rollout", str(folder), *more)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def change(folder: Path) -> None:
    """A file is not what was exported."""
    (folder / "tasks.jsonl").write_text("{}\n")


def other_version(folder: Path) -> None:
    """The manifest says that a later program wrote it."""
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "format": "99"}))


def half(folder: Path) -> None:
    """A copy that broke off."""
    next((folder / "worlds").glob("*.json")).unlink()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (change, "is not the file that was exported"),
        (other_version, "99"),
        (half, "is not a whole task set"),
    ],
)
def test_a_task_set_that_is_no_good(
    spoil: Callable[[Path], None], says: str, tmp_path: Path
) -> None:
    """The sentence names the folder and the fault, before anything is run."""
    write_shop(tmp_path / "set")
    spoil(tmp_path / "set")
    done = rollout(tmp_path / "set", "--policy", "solution", "--json")
    assert done.returncode != 0
    assert done.stdout == ""
    assert says in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_endpoint_that_is_dead(tmp_path: Path) -> None:
    """Nobody listens: the command gives up, says so, and counts nothing as done."""
    write_shop(tmp_path / "set")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    done = rollout(tmp_path / "set", "--policy", url, "--model", "m", "-n", "8", "--json")
    assert done.returncode != 0
    assert "no connection" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("policy", ["solution", "torch:model"])
def test_a_limit_on_money_for_a_policy_without_a_price(policy: str, tmp_path: Path) -> None:
    """It is refused before anything is run, never ignored."""
    write_shop(tmp_path / "set")
    done = rollout(tmp_path / "set", "--policy", policy, "--max-cost", "1", "--json")
    assert done.returncode != 0
    assert done.stdout == ""
    assert "has no price, so --max-cost cannot hold" in done.stderr.replace("\n", " ")


def test_a_limit_on_tokens_says_that_it_stopped(tmp_path: Path) -> None:
    """Rollouts that a limit left out are counted and told, in the document too."""
    write_shop(tmp_path / "set")
    done = rollout(tmp_path / "set", "--policy", "solution", "--max-tokens", "10", "--json")
    assert done.returncode == 0
    said = json.loads(done.stdout)
    assert said["rollouts"] == 0
    assert "could pass --max-tokens 10: 2 of 2 rollouts are not made" in said["stopped"]
    assert "--max-tokens 10" in done.stderr.replace("\n", " ")


def test_a_file_of_rollouts_is_gone_on_with(tmp_path: Path) -> None:
    """What it holds stays, what is made again stands there once, and other policies are added."""
    write_shop(tmp_path / "set")
    out = ("--out", str(tmp_path / "rollouts.jsonl"))
    for policy in ("solution", "solution", "noop"):
        assert rollout(tmp_path / "set", "--policy", policy, *out).returncode == 0
    lines = (tmp_path / "rollouts.jsonl").read_text().splitlines()
    assert [json.loads(line)["policy"] for line in lines] == ["solution"] * 2 + ["noop"] * 2


@pytest.mark.parametrize(
    ("held", "form", "says"),
    [
        ("notes\n", "rows", "holds something other than rollouts"),
        ('{"a": 1}\n', "rows", "holds something other than rollouts"),
        ('{"messages": []}\n', "chat", "chat is not added to"),
    ],
)
def test_a_file_that_holds_something_else(held: str, form: str, says: str, tmp_path: Path) -> None:
    """It is refused before anything is run, and stays as it is."""
    write_shop(tmp_path / "set")
    out = tmp_path / "out.jsonl"
    out.write_text(held)
    done = rollout(
        tmp_path / "set", "--policy", "solution", "--out", str(out), "--out-format", form
    )
    assert done.returncode != 0
    assert says in done.stderr.replace("\n", " ")
    assert out.read_text() == held

"""An app behind one generic tool, from its chat logs to rewards: the same tasks and figures as with tools of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dagster_project.cli.main import app
from tests.lending_desk import line, lines, write

Form = Callable[[str, dict[str, Any]], tuple[str, dict[str, Any]]]


def _proxied(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "call_tool", {"name": name, "arguments": arguments}


def _requested(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    method = "GET" if name.startswith(("get", "find", "list")) else "POST"
    path, rest = f"/{name}", dict(arguments)
    for key in [k for k in rest if k.endswith("_id")][:1]:
        path = f"/{key.removesuffix('_id')}s/{rest.pop(key)}/{name}"
    said: dict[str, Any] = {"method": method, "path": path}
    return "http_request", said | ({"body": rest} if rest else {})


FORMS: dict[str, Form] = {"proxy": _proxied, "http": _requested}


def _formed(told: dict[str, Any], form: Form | None) -> dict[str, Any]:
    """A conversation whose calls all go through one tool."""
    told = json.loads(json.dumps(told))
    for message in told["messages"] if form is not None else ():
        for call in message.get("tool_calls") or ():
            function = call["function"]
            if form is not None:
                name, arguments = form(function["name"], json.loads(function["arguments"]))
                call["function"] = {"name": name, "arguments": json.dumps(arguments)}
                parameters = {"type": "object", "properties": {key: {} for key in arguments}}
                told["tools"] = [
                    {"type": "function", "function": {"name": name, "parameters": parameters}}
                ]
    return told


def _run(*arguments: object) -> str:
    """A command in this process: nine processes a form would load the pipeline nine times."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == 0, done.output[-3000:]
    return done.stdout


def _as_json(*arguments: object) -> Any:  # noqa: ANN401 - whatever the command prints
    return json.loads(_run(*arguments, "--json"))


def _home(folder: Path, form: Form | None) -> Path:
    write(folder / "chats.jsonl", [_formed(one, form) for one in lines(12)])
    _run("ingest", folder / "chats.jsonl", "--home", folder / "h")
    assert _as_json("build", "--home", folder / "h")["failed_checks"] == []
    return folder / "h"


def _backtest(home: Path, folder: Path, form: Form | None) -> dict[str, Any]:
    held = [_formed(line(n, good=n % 2 == 0, attempt=9, day=2), form) for n in range(6)]
    write(folder / "held.jsonl", held)
    _run("backtest", folder / "held.jsonl", "--home", home, "--json", folder / "out.json")
    found: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return found


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The app with tools of its own."""
    return _home(tmp_path_factory.mktemp("plain"), None)


@pytest.mark.parametrize("form", ["proxy", pytest.param("http", marks=pytest.mark.slow)])
def test_an_app_behind_one_tool_becomes_the_same_environments(
    form: str, plain: Path, tmp_path: Path
) -> None:
    """Ingest, build, gate, backtest, export and rollouts see the parts; what runs is the tool that agents have."""
    home = _home(tmp_path, FORMS[form])
    was = _backtest(plain, tmp_path, None)
    found = _backtest(home, tmp_path, FORMS[form])
    counts = ("calls", "exact", "equivalent", "wrong", "unknown")
    assert {k: found[k] for k in counts} == {k: was[k] for k in counts}
    assert found["graders"] == was["graders"]
    assert len(found["by_tool"]) == len(was["by_tool"])
    assert all("[" in name for name in found["by_tool"])
    assert found["writes"]["calls"] == was["writes"]["calls"]

    first = _as_json("export", "taskset", tmp_path / "a", "--home", plain)
    second = _as_json("export", "taskset", tmp_path / "b", "--home", home)
    assert second["tasks"] == first["tasks"] >= 1
    bare = subprocess.run(
        [sys.executable, "-I", "-S", str(tmp_path / "b"), "validate"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert bare.returncode == 0, bare.stdout + bare.stderr
    tasks = [json.loads(one) for one in (tmp_path / "b" / "tasks.jsonl").read_text().splitlines()]
    offered = {tool["function"]["name"] for task in tasks for tool in task["tools"]}
    assert len(offered) == 1
    solved = _as_json("rollout", tmp_path / "b", "--policy", "solution", "--home", home)
    idle = _as_json("rollout", tmp_path / "b", "--policy", "noop", "--home", home)
    assert solved["mean_reward"] == 1.0
    assert idle["mean_reward"] in {0.0, None}

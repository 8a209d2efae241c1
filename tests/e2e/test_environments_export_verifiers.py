"""The verifiers export in the hands of verifiers itself: built, installed, validated, evaluated in its own environment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from environments.export.registry import FORMATS
from environments.runtime import TaskSet
from tests.consumer_venv import make_venv, sh
from tests.environments_shop import write_shop
from tests.openai_server import Brain, serving, shop_clerk

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(900)]
CONSUMER = ("verifiers>=0.4,<0.5", "hatchling")


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with verifiers: its `bin`."""
    return make_venv("verifiers", CONSUMER, tmp_path_factory.mktemp("consumer"))


@pytest.fixture(scope="module")
def work(consumer: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder to work in, with the shop's package installed: a source folder beside it would shadow it."""
    folder = tmp_path_factory.mktemp("verifiers")
    write_shop(folder / "set")
    FORMATS["verifiers"].write(folder / "set", folder / "package", name="shop_tasks")
    flags = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "dist")
    sh(consumer / "pip", "wheel", *flags, folder / "package", cwd=folder)
    wheel = next((folder / "dist").glob("*.whl"))
    sh(consumer / "pip", "install", "--quiet", "--no-deps", "--force-reinstall", wheel, cwd=folder)
    (folder / "work").mkdir()
    return folder / "work"


def evaluate(consumer: Path, work: Path, brain: Brain, name: str) -> list[dict[str, Any]]:
    """The traces of `vf-eval` against a stand-in model."""
    with serving(brain) as server:
        sh(
            *(consumer / "vf-eval", "shop_tasks", "--env.agent.runtime.type", "subprocess"),
            *("--client.base-url", server.url, "--client.api-key-var", "KEY", "-m", "fake"),
            *("--no-push", "--no-rich", "-o", "out", "--run.name", name, "-r", "2"),
            cwd=work,
            KEY="none",
        )
    lines = (work / "out" / name / "traces.jsonl").read_text().splitlines()
    return [trace for line in lines for trace in json.loads(line)["traces"]]


def actions(trace: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the policy sent, in OpenAI shape."""
    sent = []
    for message in (node["message"] for node in trace["nodes"] if node["sampled"]):
        calls = [
            {"id": c["id"], "function": {"name": c["name"], "arguments": c["arguments"]}}
            for c in message.get("tool_calls") or ()
        ]
        sent.append({"role": "assistant", "content": message.get("content"), "tool_calls": calls})
    return sent


def test_vf_validate_finds_gold_and_noop_valid(consumer: Path, work: Path) -> None:
    """Its exit code says nothing, so every task must be counted valid in `summary.json`."""
    sh(
        *(consumer / "vf-validate", "shop_tasks", "--runtime.type", "subprocess"),
        *("--no-rich", "-o", "validated"),
        cwd=work,
    )
    summary = json.loads(next((work / "validated").rglob("summary.json")).read_text())
    assert summary["outcomes"]["valid"] == summary["total"] == 2
    assert [summary["checks"][check]["valid"] for check in ("gold", "noop")] == [2, 2]


def test_vf_eval_plays_the_tasks_with_the_packages_harness(consumer: Path, work: Path) -> None:
    """A model that does the tasks earns 1, by the in-process harness, in one unbroken conversation."""
    traces = evaluate(consumer, work, shop_clerk, "good")
    assert len(traces) == 4
    for trace in traces:
        assert trace["agent"]["config"]["harness"]["id"] == "shop_tasks"
        assert (trace["ok"], trace["rewards"]["reward"]["score"]) == (True, 1.0)
        assert trace["metrics"]["checks_total"] == 2.0
        assert [node.get("parent") for node in trace["nodes"][1:]] == [
            *range(len(trace["nodes"]) - 1)
        ]


def test_the_reward_is_the_task_sets_own(consumer: Path, work: Path) -> None:
    """The same actions graded by the task set get the same reward; claims and malformed calls earn 0."""

    def brain(body: Mapping[str, Any]) -> dict[str, Any]:
        turn = len(body["messages"])
        if turn == 2:
            function = {"name": "cancel_order", "arguments": '{"order_id": '}
            return {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
        return {"content": "It is cancelled."}

    task_set = TaskSet.load(work.parent / "set")
    traces = evaluate(consumer, work, brain, "claims")
    for trace in traces:
        expected = task_set.grade(trace["task"]["key"], actions(trace)).reward
        assert trace["rewards"]["reward"]["score"] == expected == 0.0


def test_not_graded_is_an_error_never_a_zero(consumer: Path, work: Path) -> None:
    """A solution with a call that may have changed more is an error on its trace, which trainers mask."""

    def brain(body: Mapping[str, Any]) -> dict[str, Any]:
        done = shop_clerk(body)
        function = {"name": "cancel_order", "arguments": '{"order_id": "never seen"}'}
        unknown = {"id": "c2", "type": "function", "function": function}
        return {"tool_calls": [*done["tool_calls"], unknown]} if "tool_calls" in done else done

    task_set = TaskSet.load(work.parent / "set")
    for trace in evaluate(consumer, work, brain, "unknown"):
        assert task_set.grade(trace["task"]["key"], actions(trace)).reward is None
        assert not trace["ok"]
        assert trace["rewards"].get("reward") is None
        assert "NotGraded" in trace["errors"][0]["message"]

"""`--simulate` from the command line, through litellm, against a stand-in server: rollouts kept, graded again, measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command import tracegym
from tests.environments_shop import world, write_shop
from tests.lending_desk import line, lines, write
from tests.openai_server import serving, shop_clerk

pytestmark = pytest.mark.slow  # importing litellm takes 5 s


def brain(body: Mapping[str, Any]) -> dict[str, Any]:
    """The agent asks for an order that nobody knows; the simulator invents records of the kind it was shown."""
    if body["model"] == "agent":
        if body["messages"][-1]["role"] == "tool":
            return {"content": "It is lost, I am sorry."}
        function = {"name": "get_order", "arguments": json.dumps({"order_id": "o77"})}
        return {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    asked = json.loads(body["messages"][-1]["content"])
    return {"content": json.dumps({**asked["new call"], "status": "lost"})}


def simulations(requests: list[dict[str, Any]]) -> int:
    """Requests that a simulating model got."""
    return sum(body["model"] == "simulator" for body in requests)


def test_rollouts_keep_what_was_simulated_and_are_graded_again_without_a_model(
    tmp_path: Path,
) -> None:
    """Two runs ask once; regrading finds the same runs with no server left; without a home it says why not."""
    document = world()
    document["tools"]["get_order"]["policy"] = "simulate"
    write_shop(tmp_path / "set", worlds={"shop": document})
    home = tmp_path / "home"
    write(tmp_path / "chats.jsonl", lines(1))
    tracegym("ingest", tmp_path / "chats.jsonl", "--home", home)
    with serving(brain) as server:
        told = ("--simulate", "simulator", "--simulate-url", server.url)
        agent = ("--policy", server.url, "--model", "agent")
        run = ("rollout", tmp_path / "set", *agent, "-n", 2, "--home", home, "--json")
        first = json.loads(tracegym(*run, *told))
        again = json.loads(tracegym(*run, *told))
        plain = json.loads(tracegym(*run))
        count = simulations(server.requests)
    assert first["policy"] == "agent with simulator simulating"
    assert (first["rollouts"], first["failed"], first["simulated_answers"]) == (4, 0, 8)
    assert (again["rollouts"], again["already_there"]) == (0, 4)
    assert (plain["rollouts"], "simulator" in plain) == (4, False)
    assert first["simulator"]["asked"] == count
    # Both tasks make the same two calls in one world: each question is asked once.
    assert count == 2
    found = json.loads(tracegym("regrade", tmp_path / "set", "--home", home, "--json"))
    assert found["changes"] == {"same": 8}
    refused = tracegym("rollout", tmp_path / "set", *agent, "--simulate-url", "http://x", code=2)
    assert "--simulate" in refused


def chat(body: Mapping[str, Any]) -> dict[str, Any]:
    """The clerk, and people in words of their own."""
    if body["model"] == "agent":
        return shop_clerk(body)
    shown = json.loads(body["messages"][-1]["content"])
    if "cancelled" in shown["the agent says now"]:
        return {"content": "Many thanks.\nEND"}
    return {"content": shown["recorded"]["later turns"][0]["user"] + ".."}


def test_a_model_plays_the_users(tmp_path: Path) -> None:
    """`--user-model`: rollouts in a group of their own, kept, and graded again the same without the model."""
    home = tmp_path / "home"
    write_shop(tmp_path / "set")
    write(tmp_path / "chats.jsonl", [line(1, good=True, day=1)])
    tracegym("ingest", tmp_path / "chats.jsonl", "--home", home)
    with serving(chat) as server:
        agent = ("--policy", server.url, "--model", "agent")
        people = ("--user-model", "people", "--user-url", server.url)
        run = ("rollout", tmp_path / "set", *agent, "-n", 2, "--home", home, "--json")
        first = json.loads(tracegym(*run, *people))
        again = json.loads(tracegym(*run, *people))
    assert first["policy"] == "agent, people as the user"
    assert (first["rollouts"], first["failed"], first["mean_reward"]) == (4, 0, 1.0)
    assert first["user"] == {"model": "people", "asked": 8, "no_answer": 0}
    assert (again["rollouts"], again["already_there"]) == (0, 4)
    found = json.loads(tracegym("regrade", tmp_path / "set", "--home", home, "--json"))
    assert found["changes"] == {"same": 4}
    refused = tracegym("rollout", tmp_path / "set", *agent, "--user-url", "http://x", code=2)
    assert "--user-model" in refused


def test_backtest_measures_a_simulator_apart(tmp_path: Path) -> None:
    """Held-out calls that end in unknown are asked of the model; its answers are right or wrong on their own."""
    home = tmp_path / "home"
    write(tmp_path / "chats.jsonl", lines(8))
    tracegym("ingest", tmp_path / "chats.jsonl", "--home", home)
    (home / "worlds.toml").write_text('[lending.tools]\nfind_loan = "simulate"\n')
    tracegym("build", "--home", home)
    write(tmp_path / "held.jsonl", [line(60 + n, good=False, day=2) for n in range(3)])
    plain = json.loads(tracegym("backtest", tmp_path / "held.jsonl", "--home", home, "--json", "-"))
    with serving(brain) as server:
        told = ("--simulate", "simulator", "--simulate-url", server.url)
        found = json.loads(
            tracegym("backtest", tmp_path / "held.jsonl", "--home", home, *told, "--json", "-")
        )
        count = simulations(server.requests)
    assert "simulation" not in plain
    assert found["simulation"]["by_tool"] == {"find_loan": {"calls": 3, "exact": 0, "wrong": 3}}
    assert (count, found["simulated"]) == (3, 3)
    assert found["unknown"] == plain["unknown"] - 3
    assert (found["exact"], found["wrong"]) == (plain["exact"], plain["wrong"])

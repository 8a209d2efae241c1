"""Rollouts in which a model answers where nobody knows: asked once, tagged, broken with the endpoint, made again without it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from dagster_project.errors import InputError
from dagster_project.lake.store import Lake
from dagster_project.worlds.simulated_replies import (
    keep_simulated,
    simulated_replies,
    simulation_of,
)
from environments.fidelity import RecordedCall, RecordedEpisode, replay
from environments.llm import ModelChoice
from environments.regrade import StoredRun, regrade
from environments.rollout.engine import RolloutSettings, run_rollouts
from environments.rollout.errors import EndpointError, RolloutError
from environments.rollout.policy import Message, Run, Turn
from environments.rollout.rollout import Rollout
from environments.runtime import TaskSet
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.sessions.simulated_session import SimulatedWorld
from environments.runtime.world.world import World
from environments.simulate import NO_ANSWER, Simulation, Simulator
from tests.environments_shop import call, say, world, write_shop

ORDER = {"order_id": "o9", "status": "lost", "total": 1.5}


@dataclass
class Model:
    """A simulating model that counts, answers as told, and never the same twice."""

    says: str = ""
    fails: bool = False
    asked: int = 0

    async def __call__(self, instructions: str, request: str) -> str:
        """The answer, after a moment in which the other runs ask as well."""
        assert instructions
        assert "recorded examples" in json.loads(request)
        self.asked += 1
        number = self.asked
        await asyncio.sleep(0.05)
        if self.fails:
            raise EndpointError("the provider failed (Timeout)")
        return self.says or json.dumps({**ORDER, "total": number})


class Curious:
    """A policy that asks for an order that no recording knows, then cancels another one."""

    name = "curious"

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """The next of three messages."""
        assert messages
        assert tools
        script = (
            call("get_order", {"order_id": "o9"}),
            call("cancel_order", {"order_id": "o1"}),
            say("Done."),
        )
        return Turn(message=script[min(run.acted, 2)])


@pytest.fixture
def shop(tmp_path: Path) -> TaskSet:
    """The small shop, whose orders may be simulated."""
    document = world()
    document["tools"]["get_order"]["policy"] = "simulate"
    write_shop(tmp_path / "set", worlds={"shop": document})
    return TaskSet.load(tmp_path / "set")


def runs(shop: TaskSet, simulation: Simulation | None, samples: int = 3) -> list[Rollout]:
    """The runs of one task."""
    settings = RolloutSettings(samples=samples, tasks=("task1",))

    async def gather() -> list[Rollout]:
        found = run_rollouts(shop, Curious(), settings, simulation=simulation)
        return [one async for one in found]

    try:
        return asyncio.run(gather())
    finally:
        if simulation is not None:
            simulation.close()


def stored(rollout: Rollout) -> StoredRun:
    """A rollout as the lake gives it back."""
    return StoredRun(
        **{f.name: getattr(rollout, f.name) for f in fields(StoredRun) if f.name != "rollout_id"},
        rollout_id=rollout.rollout_id,
    )


def test_runs_that_ask_the_same_ask_once_and_are_their_own_group(shop: TaskSet) -> None:
    """One request for three runs at once; the answers are counted and the policy's name says who made them up."""
    model = Model()
    found = runs(shop, Simulation(shop, model="s", complete=model))
    plain = runs(shop, None)
    assert model.asked == 1
    assert [(one.simulated, one.unknown) for one in found] == [(1, 0)] * 3
    assert [(one.simulated, one.unknown) for one in plain] == [(0, 1)] * 3
    assert {one.policy for one in found} == {"curious with s simulating"}
    assert {one.group_id for one in found}.isdisjoint(one.group_id for one in plain)
    assert {one.simulator for one in found} == {"s"}


def test_a_run_is_made_again_from_its_recordings(shop: TaskSet, tmp_path: Path) -> None:
    """Kept in the lake, the replies give the same run word for word and the same reward; without them it is another run."""
    lake = Lake(tmp_path / "lake")
    model = Model()
    simulation = Simulation(shop, model="s", complete=model)
    kept = [stored(one) for one in runs(shop, simulation, samples=1)]
    keep_simulated(lake, simulation)
    replies = simulated_replies(lake, ["shop"])
    again = regrade(shop, kept, simulated=replies)
    assert [one.same_run for one in again.regraded] == [True]
    assert [one.change for one in again.regraded] == ["same"]
    assert [one.same_run for one in regrade(shop, kept).regraded] == [False]
    later = Model()
    known = Simulation(shop, model="s", complete=later, replies=replies["s"])
    assert runs(shop, known, samples=1)[0].trajectory == kept[0].trajectory
    assert (model.asked, later.asked) == (1, 0)


def test_an_honest_model_leaves_the_call_unknown_for_good(shop: TaskSet) -> None:
    """That a model cannot say is recorded too: a later one does not change what earlier runs were told."""
    simulation = Simulation(shop, model="s", complete=Model(says=NO_ANSWER))
    found = runs(shop, simulation)
    assert [(one.simulated, one.unknown) for one in found] == [(0, 1)] * 3
    assert simulation.counts.no_answer == simulation.counts.asked == 1
    fresh = simulation.take_fresh()["shop"]
    assert [reply["content"] for reply in fresh.values() if isinstance(reply, dict)] == [None]
    assert simulation.take_fresh() == {}


def test_a_dead_simulator_breaks_runs_instead_of_changing_them(shop: TaskSet) -> None:
    """Such rollouts are marked, not graded, and the engine gives up as with any dead endpoint."""
    found = runs(shop, Simulation(shop, model="s", complete=Model(fails=True)))
    assert [one.error for one in found] == ["the provider failed (Timeout)"] * 3
    assert [one.reward for one in found] == [None] * 3
    with pytest.raises(RolloutError, match="8 rollouts in a row failed"):
        runs(shop, Simulation(shop, model="s", complete=Model(fails=True)), samples=20)


def test_simulating_needs_a_home_and_a_tool_that_may(shop: TaskSet, tmp_path: Path) -> None:
    """Two sentences: where replies go, and where the tools are named."""
    with pytest.raises(InputError, match="give --home"):
        simulation_of(ModelChoice(model="s"), None, shop)
    write_shop(tmp_path / "plain")
    plain = TaskSet.load(tmp_path / "plain")
    with pytest.raises(InputError, match=r"worlds\.toml"):
        simulation_of(ModelChoice(model="s"), Lake(tmp_path / "lake"), plain)
    assert "k-1" not in repr(ModelChoice(model="s", api_key="k-1"))


def test_simulated_answers_are_measured_apart() -> None:
    """Right and wrong inventions are counted on their own; neither becomes exact or wrong of the world."""
    document = world()
    document["tools"]["get_order"]["policy"] = "simulate"
    asked = [
        RecordedCall(
            name="get_order",
            arguments=json.dumps({"order_id": number}),
            content=json.dumps({**ORDER, "order_id": number}),
        )
        for number in ("o9", "o8", "o1")
    ]
    learnt = WorldDocument.from_json(document)
    simulator = Simulator(document=learnt, complete=Model(says=json.dumps(ORDER)))
    simulated = SimulatedWorld(World(learnt), ask=simulator)
    found = replay(simulated, [RecordedEpisode(episode_id="e", calls=asked)])
    simulator.background.close()
    counts = found.to_json()
    assert (counts["exact"], counts["wrong"], counts["simulated"]) == (0, 1, 2)
    worth = {"calls": 2, "exact": 1, "wrong": 1}
    assert found.simulation() == {**worth, "by_tool": {"get_order": worth}}

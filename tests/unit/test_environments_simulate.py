"""Tool policies, and the simulated tier: off by default, grounded, recorded, never mixed with what is known."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from environments.fidelity import judge
from environments.llm import LlmJudge
from environments.runtime.play.environment import Environment
from environments.runtime.sessions.simulated_session import Request, SimulatedWorld
from environments.runtime.task.attempt import DERIVED, RECORDED, SIMULATED, UNKNOWN, Json
from environments.runtime.world.world import World
from environments.simulate import NO_ANSWER, Simulator
from synth.labels.label import Label
from synth.tasks import derive_tasks
from synth.worlds import LearntWorld, WorldSettings, learn_world
from tests.openai_server import serving
from tests.unit.world_backend import Workshop, workshop_episodes

NEW = json.dumps({"bike": "BK-9999"})
SEEN = json.dumps({"bike": "BK-4000"})


@cache
def _learnt(policy: str) -> LearntWorld:
    # So few episodes do not prove that the workshop starts afresh, and where it may live on less is told.
    policies = {"show_bike": policy, "paint": policy, "add_up": policy}
    settings = WorldSettings(risk=0, continuity="reset", tools=policies)
    return learn_world(workshop_episodes(40), settings)


def _world(policy: str) -> World:
    return World.from_json(_learnt(policy).document.to_json())


def _bike(body: Mapping[str, Any]) -> dict[str, Any]:
    """A model that answers with a bike of the number asked for."""
    asked = json.loads(body["messages"][-1]["content"])
    return {"content": json.dumps({"bike": asked["new call"]["bike"], "colour": "pink"})}


def test_strict_tools_answer_what_was_recorded_and_nothing_else() -> None:
    """Recorded reads stay, derived writes and sums become unknown and leave the state in doubt."""
    session, free = _world("strict").session(), _world("derive").session()
    paint = json.dumps({"bike": "BK-4000", "colour": "black"})
    assert session.call("show_bike", SEEN).source == RECORDED
    assert free.call("paint", paint).source == DERIVED
    assert session.call("paint", paint).source == UNKNOWN
    assert session.call("show_bike", SEEN).source == UNKNOWN
    assert free.call("show_bike", SEEN).source == DERIVED
    assert session.end_state().unknown


def test_where_nobody_simulates_such_a_tool_is_unknown() -> None:
    """A run without a simulator, as a cluster's workers, `tracegym mcp` and exports make it, says that it does not know."""
    candidates = derive_tasks(
        workshop_episodes(40),
        {e.episode_id: Label(resolved=True, confidence=1.0) for e in workshop_episodes(40)},
        _learnt("simulate"),
    )
    tool: dict[str, Json] = {"name": "show_bike", "parameters": {"type": "object"}}
    environment = Environment(replace(candidates[0].task, tools=(tool,)), _world("simulate"))
    result = environment.call("show_bike", NEW)
    assert result.source == UNKNOWN
    assert json.loads(result.content)["error"] == "unknown"
    assert environment.call("show_bike", SEEN).source in {RECORDED, DERIVED}


def test_nothing_is_simulated_unless_a_tool_allows_it() -> None:
    """Without the policy no model is asked, whatever is configured."""
    asked: list[str] = []

    def ask(request: Request) -> str:
        asked.append(request.tool)
        return "{}"

    world = SimulatedWorld(_world("derive"), ask=ask)
    session = world.session({}, started_at=0)
    assert session.call("show_bike", NEW).source == UNKNOWN
    assert not asked


def test_a_model_answers_through_litellm_and_its_reply_is_recorded() -> None:
    """The stand-in server sees examples; the reply is tagged, kept, and given again without any model."""
    learnt = _learnt("simulate")
    with serving(_bike) as server, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        simulator = Simulator(
            document=learnt.document, complete=LlmJudge(model="m", base_url=server.url)
        )
        live = SimulatedWorld(_world("simulate"), ask=simulator)
        session = live.session({}, started_at=0)
        assert session.call("show_bike", SEEN).source == RECORDED
        answer = session.call("show_bike", NEW)
        simulator.background.close()
    assert answer.source == SIMULATED
    assert json.loads(answer.content)["bike"] == "BK-9999"
    assert judge(answer, Workshop().call("show_bike", {"bike": "BK-9999"})) == "simulated"
    shown = json.loads(server.requests[0]["messages"][-1]["content"])
    assert shown["recorded examples"]
    assert shown["earlier calls"][0]["tool"] == "show_bike"
    again = SimulatedWorld(_world("simulate"), dict(live.fresh)).session({}, started_at=0)
    again.call("show_bike", SEEN)
    assert again.call("show_bike", NEW) == answer
    other = SimulatedWorld(_world("simulate"), dict(live.fresh)).session({}, started_at=0)
    assert other.call("show_bike", NEW).source == UNKNOWN


def test_a_simulated_write_leaves_the_state_unknown() -> None:
    """What a model says of a write changes nothing that is known: the record stays in doubt."""
    world = SimulatedWorld(_world("simulate"), ask=lambda _request: "done")
    session = world.session({}, started_at=0)
    odd = json.dumps({"bike": "BK-9999", "colour": "black"})
    assert session.call("paint", odd).source == SIMULATED
    end = session.end_state()
    assert end.unknown
    assert end.effects == ()


def test_a_dead_endpoint_or_an_honest_model_leaves_the_call_unknown() -> None:
    """A server error and the word for "I cannot say" both end in unknown, never in a made-up answer."""
    learnt = _learnt("simulate")
    for fault, failed in (("500", 1), ("", 0)):
        with (
            serving(lambda _body: {"content": NO_ANSWER}, always=fault) as server,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            model = LlmJudge(model="m", base_url=server.url, retries=0, timeout=5)
            simulator = Simulator(document=learnt.document, complete=model)
            session = SimulatedWorld(_world("simulate"), ask=simulator).session({}, started_at=0)
            assert session.call("show_bike", NEW).source == UNKNOWN
        simulator.background.close()
        assert simulator.counts.failed == failed

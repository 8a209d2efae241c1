"""Tools that answer in sentences, `Heating is on now.` and `Heating was on before.`: what one leaves alone says nothing of the other."""

from __future__ import annotations

import json
from typing import Any

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from synth.world.influence.contrast_pairs import Evidence
from synth.world.influence.independence import ignored, left_alone
from synth.world.model import ToolModel, Workbench
from synth.world.observation import by_tool, histories
from synth.world.schema.outcomes import learn_outcomes
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

Call = tuple[str, dict[str, Any] | str, str]
Made = list[Call]
WARM = {"room": "R41"}
COLD = {"room": "R42"}
ON, ON_BEFORE = "Heating is on now.", "Heating was on before."
OFF, OFF_BEFORE = "Heating is off now.", "Heating was off before."


def _bench(made: list[Made]) -> Workbench:
    past = histories([episode(number, calls) for number, calls in enumerate(made)])
    tools = {
        name: ToolModel(name=name, observations=list(seen)) for name, seen in by_tool(past).items()
    }
    for tool in tools.values():
        for seen in tool.observations:
            seen.settle()
        learn_outcomes(tool)
    return Workbench(app="house", histories=past, tools=tools)


def _off(bench: Workbench, room: dict[str, str]) -> str:
    found = bench.tools["disable_heating"].observations
    return next(seen.key for seen in found if seen.arguments == room)


def test_calls_that_changed_nothing_do_not_clear_those_that_did() -> None:
    """Only once a call of each sentence left an answer alone is the tool ignored, and counted as calm."""
    rooms: Made = [("disable_heating", WARM, OFF), ("disable_heating", COLD, OFF_BEFORE)]
    bench = _bench([[*rooms, ("enable_heating", WARM, ON)]])
    evidence = Evidence()
    suspect = ("disable_heating", True)
    found = {"enable_heating": evidence, "disable_heating": Evidence()}
    evidence.trials[suspect] = {(str(n), _off(bench, COLD)) for n in range(9)}
    evidence.calm[suspect] = {str(n) for n in range(9)}
    assert ignored(bench, found, "enable_heating", ["disable_heating"], states={}) == set()
    assert left_alone(bench, found)["disable_heating"] == 0
    evidence.trials[suspect] |= {(str(n), _off(bench, WARM)) for n in range(2)}
    assert ignored(bench, found, "enable_heating", ["disable_heating"], states={}) == {
        "disable_heating"
    }
    assert left_alone(bench, found)["disable_heating"] == 2


def test_a_recorded_answer_is_not_told_after_its_opposite() -> None:
    """R41 was on before every recorded call; after it was turned off for the first time, nobody says that it was on before."""
    made: list[Made] = []
    before: Call = ("enable_heating", WARM, ON_BEFORE)
    for n in range(6):
        cold = {"room": f"R5{n}"}
        made += [
            [before] * (n % 2 + 1),
            [("disable_heating", cold, OFF_BEFORE), ("enable_heating", cold, ON)],
            [("enable_heating", cold, ON)],
            [("disable_heating", WARM, OFF)],
        ]
    learnt = learn_world([episode(n, calls) for n, calls in enumerate(made)], WorldSettings(risk=0))
    session = World.from_json(learnt.document.to_json()).session({})
    assert session.call("enable_heating", json.dumps(WARM)).content == ON_BEFORE
    assert session.call("disable_heating", json.dumps(WARM)).content != OFF_BEFORE
    again = session.call("enable_heating", json.dumps(WARM))
    assert again.source == UNKNOWN or again.content == ON

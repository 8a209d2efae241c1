"""Tools that move one number heed each other."""

from __future__ import annotations

import json
from typing import Any

from environments.runtime.world.world import World
from synth.world.influence.sequences import share_numbers
from synth.world.model import ToolModel, Workbench
from synth.world.observation import histories
from synth.world.schema.outcomes import learn_outcomes
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

Made = tuple[str, dict[str, Any] | str, str]
SEAT: Made = ("show_seat", {}, '{"seat": "north-7"}')


def _asked(world: World, *calls: Made) -> str:
    session = world.session({})
    return [session.call(name, json.dumps(given)).source for name, given, _ in calls][-1]


def _bench(made: list[list[Made]]) -> Workbench:
    past = histories([episode(n, one) for n, one in enumerate(made)])
    tools: dict[str, ToolModel] = {}
    for seen in (one for history in past for one in history.observations):
        seen.settle()
        tool = tools.setdefault(seen.tool, ToolModel(name=seen.tool, observations=[], kind="write"))
        tool.observations.append(seen)
    for tool in tools.values():
        learn_outcomes(tool)
    return Workbench(app="invented", histories=past, tools=tools)


def _paid(kind: str, coins: int, holds: int) -> Made:
    return kind, {"coins": coins}, json.dumps({"done": kind, "in_the_box": holds})


def test_tools_that_tell_one_number_that_both_move_heed_each_other() -> None:
    """What is put into a box after something was taken out of it is another sum, though nobody did both."""
    made = [
        [_paid("put_in", 50, 150), _paid("put_in", 50, 200)],
        [_paid("take_out", 20, 80), _paid("take_out", 20, 60)],
        *([_paid("put_in", 50, 150)] for _ in range(6)),
        *([_paid("put_in", 30, 130), SEAT] for _ in range(6)),
        *([_paid("take_out", 20, 80), SEAT] for _ in range(6)),
    ]
    learnt = learn_world([episode(n, one) for n, one in enumerate(made)], WorldSettings(risk=0))
    world = World(learnt.document)
    assert _asked(world, _paid("put_in", 50, 150)) == "recorded"
    assert _asked(world, _paid("take_out", 20, 80), _paid("put_in", 50, 130)) == "unknown"


def test_numbers_that_only_count_up_are_each_tools_own() -> None:
    """Two tools that number what they make do not share a number."""
    noted: list[Made] = [("add_note", {"text": "tidy"}, json.dumps({"number": n})) for n in (4, 5)]
    asked: list[Made] = [
        ("add_guest", {"name": "Ines"}, json.dumps({"number": n})) for n in (9, 10)
    ]
    bench = _bench([noted, asked])
    assert share_numbers(bench) == {"add_note": set(), "add_guest": set()}

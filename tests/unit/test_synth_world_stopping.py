"""A tool after which several others were refused may stop those that were never called after it."""

from __future__ import annotations

import json
from typing import Any

from environments.runtime.world.world import World
from synth.world.influence.contrast_pairs import Evidence
from synth.world.influence.repeatability import share_numbers
from synth.world.influence.session_protocol import who_stops
from synth.world.model import ToolModel, Workbench
from synth.world.observation import Observation, histories
from synth.world.schema.outcomes import learn_outcomes
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

Made = tuple[str, dict[str, Any] | str, str]
SHUT = '{"error": "The desk is closed to you."}'
LEAVE: Made = ("leave_desk", {}, '{"status": "left"}')
PAPERS: Made = ("list_papers", {}, '{"papers": ["oak-12", "elm-40"]}')
MANY = [f"yew-{number}" for number in range(30, 44)]
PAINT: Made = ("paint_wall", {"colour": "red"}, '{"status": "painted"}')
SEAT: Made = ("show_seat", {}, '{"seat": "north-7"}')


def _drop(paper: str) -> Made:
    said = {"status": f"Paper {paper} was thrown away."}
    return "throw_away", {"paper": paper}, json.dumps(said)


def _ask(number: int) -> Made:
    return "opening_hours", {"day": number}, json.dumps({"hours": f"{8 + number}-17"})


def _world(*more: list[Made]) -> World:
    made: list[list[Made]] = [
        [PAPERS, SEAT, LEAVE, ("list_papers", {}, SHUT), ("show_seat", {}, SHUT)],
        [SEAT, PAPERS, LEAVE, ("show_seat", {}, SHUT)],
        [LEAVE, ("list_papers", {}, SHUT), _ask(1)],
        [LEAVE, ("show_seat", {}, SHUT)],
        [_drop("oak-12"), SEAT],
        [_ask(2), _drop("elm-40")],
        [_drop("fir-81"), _ask(1)],
        *([_ask(n), SEAT] for n in range(3, 7)),
        *([_drop(paper)] for paper in MANY),
        *([PAINT, _drop(paper)] for paper in MANY),
        *more,
    ]
    learnt = learn_world([episode(n, one) for n, one in enumerate(made)], WorldSettings(risk=0))
    return World.from_json(json.loads(json.dumps(learnt.document)))


def _asked(world: World, *calls: Made) -> str:
    session = world.session({})
    return [session.call(name, json.dumps(given)).source for name, given, _ in calls][-1]


def test_what_was_never_called_after_a_tool_that_stops_others_is_unknown() -> None:
    """Two looks are refused once somebody left: nobody knows whether a paper can still be thrown away."""
    world = _world()
    assert _asked(world, _drop("oak-12")) == "recorded"
    assert _asked(world, LEAVE, _drop("oak-12")) == "unknown"


def test_what_went_on_after_a_tool_that_stops_others_goes_on() -> None:
    """Opening hours were told to somebody who had left, and papers, in one more recording, were thrown away as well."""
    world = _world([LEAVE, _drop("elm-40")])
    assert _asked(world, LEAVE, _ask(1)) != "unknown"
    assert "leave_desk" not in world.tools["throw_away"].heeds


def test_refusals_of_one_tool_alone_say_nothing_of_others() -> None:
    """Only the list of papers is refused after a lock: that is about the list."""
    lock: Made = ("lock_drawer", {}, '{"status": "locked"}')
    world = _world([PAPERS, lock, ("list_papers", {}, SHUT)], [lock, ("list_papers", {}, SHUT)])
    assert _asked(world, lock, _drop("oak-12")) == "recorded"


def test_a_tool_after_which_others_are_refused_does_not_only_create() -> None:
    """Records that were shown before it may be gone, and are not told again."""
    evidence = Evidence(creators={("leave_desk", False)})
    assert evidence.seems_to_create("leave_desk")
    leave, show = _seen(LEAVE), _seen(SEAT)
    evidence.note_stop([leave, show], [show], "show_seat {}")
    assert not evidence.seems_to_create("leave_desk")


def test_what_came_before_an_answer_does_not_stop_it() -> None:
    """Somebody left in both, or something else was lacking: nobody knows why it was refused."""
    evidence = Evidence()
    leave, show = _seen(LEAVE), _seen(SEAT)
    evidence.note_stop([leave], [leave], "list_papers {}")
    evidence.note_stop([leave], [show], "list_papers {}")
    evidence.note_stop([leave, show], [], "list_papers {}")
    assert not evidence.stopped


OLD, STALE = "TK-500123", '{"error": "That token is not good."}'


def _entered(token: str) -> Made:
    return "enter_house", {"who": f"guest-{token[-2:]}"}, json.dumps({"token": token})


def _lamp(token: str, level: int) -> Made:
    return "set_lamp", {"token": token, "level": level}, json.dumps({"level": level})


def _bath(token: str, heat: int) -> Made:
    return "run_bath", {"token": token, "heat": heat}, json.dumps({"bath": f"{heat} degrees"})


def _stale(made: Made) -> Made:
    return made[0], made[1], STALE


def test_who_goes_on_with_what_a_call_gave_out_does_not_go_on_as_before() -> None:
    """A new token stops the old one: that the new one is taken after it says nothing of the old one."""
    new = "TK-600200"
    made = [[_entered(new), _lamp(new, 4), _bath(new, 31)], [_entered(new), _stale(_lamp(OLD, 4))]]
    lamp, bath = Evidence(), Evidence()
    lamp.stopped["enter_house"] = {"set_lamp"}
    bath.stopped["enter_house"] = {"run_bath"}
    found = {"set_lamp": lamp, "run_bath": bath}
    assert who_stops(_bench(made), found)["set_lamp"] == {"enter_house"}
    kept = [*made, [_entered(new), _lamp(OLD, 5)]]
    assert who_stops(_bench(kept), found)["set_lamp"] == set()


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
    world = World.from_json(json.loads(json.dumps(learnt.document)))
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


def _seen(made: Made) -> Observation:
    return histories([episode(0, [made])])[0].observations[0]

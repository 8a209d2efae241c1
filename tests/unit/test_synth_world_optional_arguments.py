"""Arguments that some calls leave out, and times that went on while an app was recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

HALLS = [f"HA-{20 + at}" for at in range(12)]


Answer = Callable[[str, dict[str, Any]], dict[str, Any]]


def learnt(calls: list[list[tuple[str, dict[str, Any]]]], answer: Answer) -> World:
    """A world of these calls, one list an episode."""
    made = []
    for number, asked in enumerate(calls):
        told: list[tuple[str, dict[str, Any] | str, str]] = [
            (name, arguments, json.dumps(answer(name, arguments))) for name, arguments in asked
        ]
        made.append(replace(episode(number, told), task_key=f"t{number}"))
    return World(learn_world(made, WorldSettings()).document)


def test_a_field_repeats_the_argument_of_its_name_from_the_first_value_on() -> None:
    """One call in twelve said a colour: the others are answered without one, another colour is repeated."""

    def answer(_: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"hall": arguments["hall"], "colour": arguments.get("colour"), "checked": None}

    calls = [[("register_hall", {"hall": hall})] for hall in HALLS]
    calls[3][0][1]["colour"] = "green"
    world = learnt(calls, answer)
    for asked in ({"hall": HALLS[1]}, {"hall": HALLS[1], "colour": "blue"}):
        told = world.session().call("register_hall", asked)
        assert json.loads(told.content) == answer("", asked)


def test_an_argument_of_another_name_overrides_a_field_where_it_is_given() -> None:
    """`new_end` is the project's `finish`; without it the field stays as it was."""

    def answer(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        record = {"project": arguments["project"], "state": "open", "finish": None}
        if name == "set_state":
            record |= {"state": arguments["state"], "finish": arguments.get("new_end")}
        return record

    calls = []
    for number, project in enumerate(HALLS):
        asked = {"project": project, "state": ("done", "late", "paused")[number % 3]}
        if number == 4:
            asked["new_end"] = "2026-03-31"
        calls.append([("show_project", {"project": project}), ("set_state", asked)])
    world = learnt(calls, answer)
    for new_end in ({}, {"new_end": "2026-08-15"}):
        session = world.session()
        session.call("show_project", {"project": HALLS[2]})
        asked = {"project": HALLS[2], "state": "done", **new_end}
        told = session.call("set_state", asked)
        assert told.source != UNKNOWN
        assert json.loads(told.content) == answer("set_state", asked)


def test_times_that_only_went_on_while_an_app_was_recorded_are_a_clocks() -> None:
    """All attempts at a task were made in a second or two; a hall's own day rises as well, and is told again for each attempt."""
    made = iter(range(200))

    def answer(_: str, arguments: dict[str, Any]) -> dict[str, Any]:
        day = 10 + HALLS.index(arguments["hall"])
        signed = f"2026-11-23T08:33:{48 + next(made) // 19}Z"
        return {**arguments, "opened": f"2026-02-{day}T08:00:00Z", "signed": signed}

    calls = [
        [("sign_off", {"hall": hall, "by": by}) for by in ("desk", "guard")]
        for hall in HALLS
        for _ in range(4)
    ]
    fresh = learnt(calls, answer).document.views.fresh
    assert fresh is not None
    assert {mark.place for mark in fresh.marks.values()} == {"signed"}

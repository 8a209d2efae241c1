"""Tools that answer by repeating what they are given: call logs in, answers out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from environments.runtime.task.attempt import DERIVED, UNKNOWN, ToolResult
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

Given = dict[str, Any]
TASKS = 12
CRASH = "Error: 'dict' object has no attribute 'append'"


def measure(given: Given) -> str:
    """A store that writes down whatever it gets; what is not given is null."""
    return json.dumps({n: given.get(n) for n in ("station", "level", "unit", "by")})


def picky(given: Given) -> str:
    """The same, with one refusal."""
    return json.dumps({"error": "no such level"}) if given["level"] == 3 else measure(given)


def episode(number: int, made: Sequence[tuple[str, Given, str]]) -> CleanEpisode:
    """An episode of calls with their results."""
    steps = [CleanStep(role="user", content="?")]
    for at, (name, given, content) in enumerate(made):
        call = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps(given))
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=f"c{at}", content=content))
    return CleanEpisode(
        app="a",
        episode_id=f"e{number}",
        task_key=f"k{number}",
        started_at=number,
        steps=tuple(steps),
    )


def given(n: int) -> Given:
    """A call's arguments; every third has no unit."""
    return {"station": f"S-{500 + n}", "level": n} | ({} if n % 3 == 0 else {"unit": f"m{n % 4}"})


@cache
def world(store: Callable[[Given], str] = measure, risk: float = 0.005) -> World:
    """A world of two stores and a tool that always fails, each called once a task."""
    made = [
        episode(
            n,
            [
                ("store_measure", g := given(n), store(g)),
                ("store_rain", g, measure(g)),
                ("close_station", {"station": f"C-{n}"}, CRASH),
            ],
        )
        for n in range(TASKS)
    ]
    document = learn_world(made, WorldSettings(risk=risk)).document
    return World.from_json(document.to_json())


def answers(of: World, *calls: tuple[str, Given]) -> list[ToolResult]:
    """What one session answers."""
    session = of.session({})
    return [session.call(name, json.dumps(given)) for name, given in calls]


def test_values_that_nobody_gave_are_repeated_too() -> None:
    """A store that never refused a call writes down other values after other calls; what is left out is null."""
    new: Given = {"station": "S-999", "level": 77}
    rain, told = answers(world(), ("store_rain", given(2)), ("store_measure", new))
    assert rain.source != UNKNOWN
    assert (told.source, told.content) == (DERIVED, measure(new))
    assert 0.9 <= told.confidence < 1


def test_at_no_risk_nobody_knows_what_was_never_given() -> None:
    """That the next call is taken as well is likely, not certain."""
    (told,) = answers(world(risk=0), ("store_measure", {"station": "S-999", "level": 77}))
    assert told.source == UNKNOWN


def test_a_second_call_about_the_same_is_unknown() -> None:
    """What is there already may be refused, in other words as well."""
    new: Given = {"station": "S-999", "level": 77}
    first, second = answers(
        world(), ("store_measure", new), ("store_measure", {**new, "unit": "m1"})
    )
    assert (first.source, second.source) == (DERIVED, UNKNOWN)


def test_a_tool_that_refused_once_may_refuse_again() -> None:
    """One refusal is enough to know that it looks at what it is given."""
    (told,) = answers(world(picky), ("store_measure", {"station": "S-999", "level": 77}))
    assert told.source == UNKNOWN


def test_a_tool_that_always_failed_fails_again() -> None:
    """Whatever it was asked it said the same, so it does of another station; nothing is changed by it."""
    session = world().session({})
    told = session.call("close_station", '{"station": "C-99"}')
    assert (told.source, told.content, told.is_error) == (DERIVED, CRASH, True)
    assert session.end_state() == world().session({}).end_state()
    (unsure,) = answers(world(risk=0), ("close_station", {"station": "C-99"}))
    assert unsure.source == UNKNOWN

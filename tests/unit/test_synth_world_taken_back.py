"""What one call did another one takes back: a call that is given nothing acts on something else each time."""

from __future__ import annotations

from functools import cache
from typing import Any

from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.devices.campus_tasks import CAMPUS
from benchmarks.testbeds.invented.office.sheet import SHEET
from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.world.entries import Entry, count_empty_calls
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world

UNDO: tuple[str, dict[str, Any]] = ("undo", {})


@cache
def _world(name: str, seed: int) -> World:
    style = {"sheet": SHEET, "campus": CAMPUS}[name]
    made = [episode(style, a) for a in attempts(style, seed) if a.number < 2]
    return World.from_json(learn_world(made, WorldSettings(risk=0)).document.to_json())


def _told(name: str, *calls: tuple[str, dict[str, Any]]) -> list[ToolResult]:
    session = _world(name, 124).session({})
    return [session.call(*call) for call in calls]


def _put(cell: str, value: float) -> tuple[str, dict[str, Any]]:
    return "put", {"cell": cell, "value": value}


def test_taking_back_twice_is_not_told_as_once() -> None:
    """One cell was put: the second time there is nothing to take back."""
    told = _told("sheet", _put("A3", 3.5), UNDO, UNDO)
    assert told[1].content == "undone"
    assert told[2].source == UNKNOWN


def test_a_cell_put_again_after_it_was_taken_back_is_not_what_it_was() -> None:
    """Put twice and taken back twice it says 40, put twice and taken back once it does not."""
    look = ("get", {"cell": "A4"})
    put = _put("A4", 3.5)
    assert _told("sheet", put, UNDO, look)[-1].content == "40"
    assert _told("sheet", put, UNDO, look, put, look)[-1].source == UNKNOWN


def test_what_says_that_it_has_undone_is_no_look() -> None:
    """`undone: hold of S-303` says what was done: it is not told again."""
    hold = ("set_hold", {"student": "S-303", "kind": "fees", "actor": "registrar"})
    back = ("undo", {"actor": "registrar"})
    assert _told("campus", hold, back, back)[-1].source == UNKNOWN


def test_only_calls_that_are_given_nothing_are_counted() -> None:
    """A cell put twice is one call made twice."""
    log = [
        Entry(tool=name, args={"hole": 1} if name == "peg" else {}, known=True)
        for name in ("peg", "back", "peg", "back")
    ]
    named = [call for _, call in count_empty_calls(log)]
    assert named == ['peg {"hole":1}', "back {}", 'peg {"hole":1}', "back {} 2"]

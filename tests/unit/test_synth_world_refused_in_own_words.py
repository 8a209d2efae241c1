"""How an app says no in words of its own, on an invented dispensary."""

from __future__ import annotations

import json
from typing import Any

import pytest

from environments.runtime.task.attempt import ToolResult
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

Made = tuple[str, dict[str, Any] | str, str]

SHEETS = [f"RX{200 + at}" for at in range(12)]


def hand_out(sheet: str, *, says: str) -> Made:
    """Every fourth sheet is on hold."""
    held = int(sheet[2:]) % 4 == 0
    told = f"{says}: {sheet} is on hold." if held else f"Handed out on {sheet}."
    return "hand_out", {"sheet": sheet}, told


def take_back(sheet: str, *, says: str) -> Made:
    """Every third sheet is too old."""
    old = int(sheet[2:]) % 3 == 0
    told = f"{says}: {sheet} is too old." if old else f"Taken back from {sheet}."
    return "take_back", {"sheet": sheet}, told


def covered(sheet: str) -> Made:
    """A look, whose answer may be no."""
    no = "Not covered" if int(sheet[2:]) % 5 == 0 else "Covered"
    return "check_cover", {"sheet": sheet}, f"{no}: {sheet} by the basic plan."


def answered(says: str, name: str, sheet: str) -> ToolResult:
    """What the world says that learnt from an app which refuses with these words."""
    made = [
        [covered(sheet), hand_out(sheet, says=says), take_back(sheet, says=says)]
        for sheet in SHEETS
    ]
    world = World(
        learn_world([episode(n, calls) for n, calls in enumerate(made)], WorldSettings()).document
    )
    session = world.session()
    session.call("check_cover", json.dumps({"sheet": sheet}))
    return session.call(name, json.dumps({"sheet": sheet}))


@pytest.mark.parametrize(("says", "refused"), [("Not done", True), ("Mind", False)])
def test_several_tools_that_deny_with_one_beginning_refuse(says: str, refused: bool) -> None:
    """`Not done: …` of two tools, each now and then, is how the app refuses; `Mind: …` may be a caution beside a success."""
    assert answered(says, "hand_out", "RX204").is_error is refused


def test_one_look_that_denies_tells_what_it_found() -> None:
    """`Not covered: …` is the answer of a look, and no refusal."""
    found = answered("Not done", "check_cover", "RX205")
    assert (found.is_error, found.content) == (False, "Not covered: RX205 by the basic plan.")

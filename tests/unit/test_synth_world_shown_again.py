"""A recorded answer to a reader is knowledge: what follows from what it showed is derived."""

from __future__ import annotations

import json
from typing import Any

from environments.runtime.task.attempt import RECORDED
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

COLOURS = ["red", "green", "blue", "black"]


class Boxes:
    """Boxes; shaking one leaves it with a weight that no rule tells."""

    def __init__(self) -> None:
        self.boxes = {
            box: {"box": box, "colour": COLOURS[i % 3], "weight": hash_of(box)}
            for i, box in enumerate(f"BX-{70 + i}" for i in range(12))
        }

    def call(self, name: str, box: str, colour: str = "") -> str:
        """The tool's answer."""
        found = self.boxes[box]
        if name == "shake":
            found["weight"] = hash_of(box + "shaken")
            return "shaken"
        if name == "paint":
            found["colour"] = colour
        return json.dumps(found)


def hash_of(text: str) -> int:
    """A number that looks like chance and is none."""
    return sum((at + 3) * ord(c) ** 3 for at, c in enumerate(text)) % 101


def _learnt() -> World:
    episodes = []
    for number in range(48):
        shop, box = Boxes(), f"BX-{70 + number // 2 % 12}"
        look = ("get_box", {"box": box})
        made = [look, look, ("shake", {"box": box}), look, look]
        if number % 2:
            made[2] = ("paint", {"box": box, "colour": COLOURS[(number // 2) % 4]})
        calls: list[tuple[str, dict[str, Any] | str, str]] = [
            (n, a, shop.call(n, **a)) for n, a in made
        ]
        episodes.append(episode(number, calls))
    return World(learn_world(episodes, WorldSettings(risk=0)).document)


def test_what_a_recording_showed_again_can_be_changed() -> None:
    """After a shake nobody knows the box, until a recording of the same history shows it."""
    session, real = _learnt().session(), Boxes()
    for name, arguments in [
        ("get_box", {"box": "BX-70"}),
        ("shake", {"box": "BX-70"}),
        ("get_box", {"box": "BX-70"}),
        ("paint", {"box": "BX-70", "colour": "black"}),
        ("get_box", {"box": "BX-70"}),
    ]:
        result = session.call(name, json.dumps(arguments))
        assert result.content == real.call(name, **arguments)
        if name == "shake":
            assert result.source == RECORDED


def test_it_is_shown_to_every_session_that_comes_the_same_way() -> None:
    """Sessions share the state after the answer, and one that goes another way keeps its own."""
    world = _learnt()
    left, right = world.session(), world.session()
    for session in (left, right):
        session.call("shake", '{"box": "BX-70"}')
        session.call("get_box", '{"box": "BX-70"}')
    left.call("paint", '{"box": "BX-70", "colour": "black"}')
    assert '"black"' in left.call("get_box", '{"box": "BX-70"}').content
    assert '"red"' in right.call("get_box", '{"box": "BX-70"}').content

"""Readers that repeat their record's key and are asked for more than the record: parts of it, or another measure."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from environments.runtime.task.attempt import UNKNOWN, Json
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

PARTS = ("hull", "rigging", "papers")


class Harbour:
    """Boats whose sheet has parts, and whose length has two measures; a berth is one of a few."""

    def __init__(self) -> None:
        self.boats = {
            f"BT-{300 + 7 * i}": {
                "hull": {"metal": ["steel", "alu"][i % 2], "plates": 40 + i},
                "rigging": {"masts": 1 + i % 3, "by": f"RG-{500 + i}"},
                "papers": {"flag": ["nl", "pt", "se"][i % 3], "number": f"PP-{90 + i}"},
                "length": 9 + i,
                "berth": "A1",
            }
            for i in range(20)
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The answer to one call."""
        boat = self.boats[arguments["boat"]]
        if name == "sheet":
            parts = arguments.get("parts", ["hull"])
            return json.dumps({"boat": arguments["boat"], **{part: boat[part] for part in parts}})
        if name == "get_size":
            metres = int(str(boat["length"]))
            value = metres if arguments["unit"] == "m" else metres * 3
            return json.dumps({"boat": arguments["boat"], "value": value})
        if name == "berth":
            return json.dumps({"boat": arguments["boat"], "berth": boat["berth"]})
        boat["berth"] = arguments["berth"]
        return json.dumps({"boat": arguments["boat"], "berth": boat["berth"]})


def conversations() -> list[CleanEpisode]:
    """A boat asked for in parts, measured, looked for (however politely), and moved."""
    made = []
    for number in range(160):
        rng, harbour = random.Random(number), Harbour()  # noqa: S311 - dice
        boat = rng.choice(sorted(harbour.boats)[:-2])
        asked = rng.choice([["hull"], ["rigging"], ["hull", "rigging"], None])
        wanted: list[tuple[str, dict[str, Any]]] = [
            ("sheet", {"boat": boat} if asked is None else {"boat": boat, "parts": asked}),
            ("get_size", {"boat": boat, "unit": rng.choice(["m", "ft"])}),
            ("berth", {"boat": boat, "polite": rng.choice(["yes", "no", "very"])}),
        ]
        rng.shuffle(wanted)
        wanted = wanted[: rng.randint(1, 3)]
        if number % 3 == 0:
            wanted.append(("set_berth", {"boat": boat, "berth": rng.choice(["B2", "C3", "D4"])}))
            wanted.append(("berth", {"boat": boat, "polite": "no"}))
        calls: list[tuple[str, dict[str, Any] | str, str]] = [
            (name, arguments, harbour.call(name, arguments)) for name, arguments in wanted
        ]
        made.append(episode(number, calls))
    return made


@pytest.fixture(scope="module")
def world() -> World:
    """Learnt once."""
    return World(learn_world(conversations(), WorldSettings(risk=0)).document)


def told(world: World, name: str) -> tuple[int, list[dict[str, Json]]]:
    """How many of a tool's calls are answered, and those that are answered otherwise than the harbour does."""
    asked: list[dict[str, Json]] = []
    for boat in Harbour().boats:
        if name == "sheet":
            asked.append({"boat": boat})
            asked += [{"boat": boat, "parts": [a]} for a in PARTS]
            asked += [{"boat": boat, "parts": [a, b]} for a in PARTS for b in PARTS if a != b]
        else:
            for unit in ("m", "ft"):
                asked.append({"boat": boat, "unit": unit})
    answers = [(one, world.session().call(name, one)) for one in asked]
    known = [(one, result) for one, result in answers if result.source != UNKNOWN]
    return len(known), [
        one
        for one, result in known
        if json.loads(result.content) != json.loads(Harbour().call(name, dict(one)))
    ]


def test_a_record_asked_for_in_parts_is_told_only_as_it_was_asked_for(world: World) -> None:
    """Another part of the same record is another answer, though both repeat its key."""
    known, wrong = told(world, "sheet")
    assert not wrong
    assert known > 20


def test_a_record_measured_in_another_unit_is_another_answer(world: World) -> None:
    """The fields are the same and what they say is not."""
    known, wrong = told(world, "get_size")
    assert not wrong
    assert known > 20


def test_what_was_seen_not_to_matter_stays_out_of_the_key(world: World) -> None:
    """A berth is the same however politely one asks, and follows the move that was made in between."""
    session = world.session()
    boat = sorted(Harbour().boats)[3]
    for polite in ("yes", "no", "very"):
        result = session.call("berth", {"boat": boat, "polite": polite})
        assert json.loads(result.content) == {"boat": boat, "berth": "A1"}
    session.call("set_berth", {"boat": boat, "berth": "C3"})
    after = session.call("berth", {"boat": boat, "polite": "very"})
    assert json.loads(after.content) == {"boat": boat, "berth": "C3"}

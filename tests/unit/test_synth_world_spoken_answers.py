"""A backend that answers in sentences and tables: times, codes and durations at their end, one series of numbers, names without verbs."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.world.stated_effects import gives_an_order, stated_effects
from synth.world.time.continuity import RESET
from synth.worlds import LearntWorld, WorldSettings, learn_world
from tests.unit.world_backend import episode

BOATS = [f"BT-{20 + 3 * at}" for at in range(5)]
BEGIN = datetime(2026, 4, 8, 7, 0, tzinfo=UTC)
SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
DESCRIBED = {
    "berths": "Berths of a boat",
    "crew": "The crew, by boat",
    "scrubbing": "Scrubs a hull",
    "refit": "Orders a refit",
    "remark": "A remark for the yard",
}


class Yard:
    """Begins anew with every episode; its clock goes on by chance."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - an invented backend
        self.now, self.made = BEGIN, 700

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        self.now += timedelta(seconds=self.rng.randint(3, 40))
        return str(getattr(self, name)(**arguments))

    def berths(self, boat: str) -> str:
        """A table, and when it was made."""
        return f"BERTH  FEE\nB{boat[-2:]}    {boat[-2:]}.00\n(1 row) as of {self._time()}"

    def crew(self, boat: str) -> str:
        """Another."""
        return f"NAME    ROLE\nmoor{boat[-1]}   mate\n(1 row) as of {self._time()}"

    def scrubbing(self, boat: str) -> str:
        """How long it took, which nothing tells before."""
        return f"{boat} scrubbed in {self.rng.randint(20, 90)}s"

    def refit(self, boat: str, part: str) -> str:
        """Numbered with the remarks, and a code of its own."""
        self.made += 1
        return f"Refit RF-{self.made} of {part} for {boat} ordered. [op {self._code()}]"

    def remark(self, text: str) -> str:
        """Numbered with the refits."""
        self.made += 1
        return f"Remark RM-{self.made} on {text} kept. [op {self._code()}]"

    def _time(self) -> str:
        return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def _code(self) -> str:
        return "".join(self.rng.choice(SIGNS) for _ in range(7))


ASKED: dict[str, list[dict[str, Any]]] = {
    "berths": [{"boat": b} for b in BOATS],
    "crew": [{"boat": b} for b in BOATS],
    "scrubbing": [{"boat": b} for b in BOATS[:2]],
    "refit": [{"boat": b, "part": "the mast"} for b in BOATS[:3]],
    "remark": [{"text": t} for t in ("paint", "rope", "fenders")],
}


def conversations(count: int = 120) -> list[CleanEpisode]:
    """A few calls in any order, by agents who are told what the tools are for."""
    made = []
    for number in range(count):
        rng, yard = random.Random(number), Yard(number)  # noqa: S311 - dice
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        for _ in range(rng.randint(2, 5)):
            name = rng.choice([*ASKED, "berths", "crew"])
            asked = rng.choice(ASKED[name])
            calls.append((name, asked, yard.call(name, asked)))
        definitions = [
            json.dumps({"name": n, "description": d, "parameters": {"type": "object"}})
            for n, d in DESCRIBED.items()
        ]
        at = number * 3_600_000_000_000
        made.append(replace(episode(number, calls), started_at=at, tools=tuple(definitions)))
    return made


def _learnt() -> LearntWorld:
    return learn_world(conversations(), WorldSettings())


def test_times_codes_and_durations_at_the_end_of_texts_say_nothing() -> None:
    """The yard begins anew, and every recorded call is answered with the words around such values."""
    learnt = _learnt()
    assert learnt.continuity.kind == RESET
    world = World.from_json(learnt.document.to_json())
    told = {
        name: world.session().call(name, json.dumps(ASKED[name][0])).content
        for name in ("berths", "crew", "scrubbing", "refit", "remark")
    }
    assert told["berths"].startswith("BERTH  FEE\nB20    20.00\n(1 row) as of 2026-04-08T07:")
    assert told["crew"].startswith("NAME    ROLE\nmoor0   mate\n(1 row) as of 2026-04-08T07:")
    assert told["scrubbing"].startswith("BT-20 scrubbed in ")
    assert told["scrubbing"].endswith("s")
    assert told["refit"].startswith("Refit RF-701 of the mast for BT-20 ordered. [op ")
    assert told["remark"].startswith("Remark RM-701 on paint kept. [op ")
    session = world.session()
    codes = {session.call(n, json.dumps(ASKED[n][0])).content[-9:] for n in ("refit", "remark")}
    assert len(codes) > 1


def test_what_another_tool_numbered_moves_the_next_number_on() -> None:
    """After a remark the first refit is no longer 701; nobody is told that it is."""
    world = World.from_json(_learnt().document.to_json())
    session = world.session()
    session.call("remark", json.dumps({"text": "rope"}))
    answer = session.call("refit", json.dumps({"boat": BOATS[1], "part": "the mast"}))
    assert answer.source == UNKNOWN or "RF-702" in answer.content


def test_a_description_that_names_no_change_speaks_for_a_look() -> None:
    """Where an English description names none, no verb at all is needed; of another language nobody can say."""
    stated = stated_effects(conversations(3), DESCRIBED)
    assert stated["berths"] < 0
    assert stated["crew"] < 0
    assert stated["refit"] > 0 or stated["scrubbing"] > 0
    others = [
        {"name": "termin", "description": "Zmienia termin dostawy"},
        {"name": "franja", "description": "Cambia la franja de un pedido"},
        {"name": "Kunde", "description": "Prüft einen Kunden"},
    ]
    episodes = [replace(episode(0, []), tools=tuple(map(json.dumps, others)))]
    known = stated_effects(episodes, ["termin", "franja", "Kunde"])
    assert known["termin"] == 0 < known["franja"]
    assert known["Kunde"] < 0


@pytest.mark.parametrize("name", ["查询订单", "42", "___", "été", "a?", "[x?=True]", "x[?=False]"])
def test_a_name_without_a_letter_of_ours_states_nothing_and_breaks_nothing(name: str) -> None:
    """Tools are called in any script; a description may still say what they do."""
    definition = {"name": name, "description": "Creates an order for the customer"}
    episodes = [replace(episode(0, []), tools=(json.dumps(definition),))]
    assert abs(stated_effects(episodes, [name])[name]) <= 1
    assert not gives_an_order(name)


class Locks:
    """One tool looks at a lock, or sets it where it is given what to; another only pretends where it is told to."""

    def __init__(self) -> None:
        self.gates = dict.fromkeys(("north", "south", "mill"), "shut")

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        return str(getattr(self, name)(**arguments))

    def lock(self, gate: str, state: str = "") -> str:
        """Looks, or sets."""
        if not state:
            return f"gate {gate} is {self.gates[gate]}, last walked on Monday"
        self.gates[gate] = state
        return f"done: {gate} => {state}"

    def drain(self, gate: str, *, dry_run: bool = False) -> str:
        """Drains a chamber, or says what that would do."""
        if dry_run:
            return json.dumps({"gate": gate, "would_drop_cm": len(gate) * 10})
        self.gates[gate] = "drained"
        return json.dumps({"gate": gate, "dropped_cm": len(gate) * 10, "closed": True})


MODES: list[tuple[str, dict[str, Any]]] = [
    ("lock", {}),
    ("lock", {}),
    ("lock", {"state": "open"}),
    ("drain", {"dry_run": True}),
    ("drain", {}),
]


def test_an_optional_argument_may_make_a_change_of_a_look() -> None:
    """A look changes nothing, also where the same tool could; and a dry run leaves the gate as it was."""
    made = []
    for number in range(90):
        rng, locks = random.Random(number), Locks()  # noqa: S311 - dice
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        for _ in range(rng.randint(2, 5)):
            gate = rng.choice(["north", "south", "mill"])
            name, more = rng.choice(MODES)
            asked = {"gate": gate, **more}
            calls.append((name, asked, locks.call(name, asked)))
        made.append(replace(episode(number, calls), started_at=number * 3_600_000_000_000))
    learnt = learn_world(made, WorldSettings())
    assert {"lock[state?=False]", "lock[state?=True]", "drain[dry_run=True]"} <= {
        tool.name for tool in learnt.tools
    }
    session = World.from_json(learnt.document.to_json()).session()
    shut = "gate north is shut, last walked on Monday"
    session.call("lock", json.dumps({"gate": "north"}))
    session.call("drain", json.dumps({"gate": "north", "dry_run": True}))
    assert session.call("lock", json.dumps({"gate": "north"})).content == shut
    session.call("lock", json.dumps({"gate": "north", "state": "open"}))
    after = session.call("lock", json.dumps({"gate": "north"}))
    assert after.source == UNKNOWN or "is open" in after.content


def test_a_declared_default_that_is_spelt_out_is_answered_like_its_absence() -> None:
    """`when` is now unless it is said; later is another thing."""
    definition = {
        "name": "refit",
        "description": "Order a refit",
        "parameters": {
            "type": "object",
            "properties": {
                "boat": {"type": "string"},
                "when": {"type": "string", "description": "default now"},
            },
        },
    }
    made = []
    for number in range(12):
        boat = BOATS[number % len(BOATS)]
        answer = json.dumps({"refit": boat, "crew": "moor"})
        one = episode(number, [("refit", {"boat": boat}, answer)])
        made.append(replace(one, tools=(json.dumps(definition),)))
    world = World.from_json(learn_world(made, WorldSettings()).document.to_json())
    plain = world.session().call("refit", json.dumps({"boat": BOATS[0]}))
    spelt = world.session().call("refit", json.dumps({"boat": BOATS[0], "when": "now"}))
    later = world.session().call("refit", json.dumps({"boat": BOATS[0], "when": "autumn"}))
    assert plain.content == spelt.content
    assert later.content != plain.content or later.source == UNKNOWN


def test_a_line_above_every_result_says_nothing() -> None:
    """A gateway's line with a trace and a duration stands above texts and records alike, and is told anew with each of them."""
    made = []
    for number, one in enumerate(conversations(60)):
        rng = random.Random(number)  # noqa: S311 - dice
        steps = tuple(
            replace(
                step,
                content=f"# gate trace={rng.getrandbits(36):09x} {rng.randint(5, 90)}ms\n{step.content}",
            )
            if step.role == "tool"
            else step
            for step in one.steps
        )
        made.append(replace(one, steps=steps))
    session = World.from_json(learn_world(made, WorldSettings()).document.to_json()).session()
    first = session.call("crew", json.dumps(ASKED["crew"][1])).content.split("\n")
    second = session.call("crew", json.dumps(ASKED["crew"][1])).content.split("\n")
    assert first[0].startswith("# gate trace=")
    assert first[0].endswith("ms")
    assert first[1:3] == second[1:3] == ["NAME    ROLE", "moor3   mate"]
    assert first[0] != second[0]


def test_ids_drawn_anew_in_indented_records_say_nothing() -> None:
    """A record over several lines, with a tag in quotes of its own, is laid out as it was and bears another tag."""
    made = []
    for number in range(40):
        rng = random.Random(number)  # noqa: S311 - dice
        boat = BOATS[number % len(BOATS)]
        record = {"refit": boat, "etag": f'"{rng.getrandbits(32):08x}"'}
        calls: list[tuple[str, dict[str, Any] | str, str]] = [
            ("order_refit", {"boat": boat}, json.dumps(record, indent=1))
        ]
        made.append(replace(episode(number, calls), started_at=number * 3_600_000_000_000))
    session = World.from_json(learn_world(made, WorldSettings()).document.to_json()).session()
    answer = session.call("order_refit", json.dumps({"boat": BOATS[0]})).content
    assert answer.startswith('{\n "refit": "BT-20",\n "etag": "\\"')
    assert answer not in {step.content for one in made for step in one.steps}

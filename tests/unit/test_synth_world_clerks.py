"""What a clerk's tools tempt one to believe: prose beside error records, receipts, relations that nobody broke, one action for another."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

from benchmarks.testbeds.invented.attempts import attempts
from benchmarks.testbeds.invented.attempts import episode as as_episode
from benchmarks.testbeds.invented.trade.stays import STAYS
from environments.runtime.task.attempt import UNKNOWN, Json
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import LearntWorld, WorldSettings, learn_world
from tests.unit.world_backend import episode

OWNERS = {f"OW-{at}": [f"LK-{40 + 3 * at + n}" for n in range(3)] for at in range(6)}
OWNER_OF = {locker: owner for owner, lockers in OWNERS.items() for locker in lockers}
SHUT = {"LK-41", "LK-47", "LK-50", "LK-55"}
"""Lockers that are shut when a conversation begins."""

LEFT = ["LK-40", "LK-46", "LK-58", "LK-44"]
FULL = {"LK-40", "LK-46"}
"""Those with a parcel inside, which no record shows."""


class Lockers:
    """Lockers with owners: text where something is done, records of errors where not; a move tells its fee."""

    def __init__(self) -> None:
        self.lockers: dict[str, dict[str, Any]] = {
            locker: {"locker": locker, "hall": 1, "state": "shut" if locker in SHUT else "open"}
            for lockers in OWNERS.values()
            for locker in lockers
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        return str(getattr(self, name)(**arguments))

    def owner(self, owner: str) -> str:
        """The record of an owner."""
        return json.dumps({"owner": owner, "lockers": OWNERS[owner]})

    def locker(self, locker: str) -> str:
        """The record of a locker."""
        return json.dumps(self.lockers[locker])

    def move(self, locker: str, hall: int) -> str:
        """The record after it, and what it costs."""
        fee = abs(hall - self.lockers[locker]["hall"]) * 5
        self.lockers[locker]["hall"] = hall
        return json.dumps({**self.lockers[locker], "fee": fee})

    def turn(self, owner: str, locker: str, way: str) -> str:
        """Shuts or seals what is open."""
        found = self.lockers[locker]
        if locker not in OWNERS[owner]:
            return json.dumps({"error": "that is somebody else's"})
        if found["state"] != "open":
            return json.dumps({"error": "only open lockers are turned"})
        found["state"] = "closed" if way == "shut" else "waxed"
        return "Locked." if way == "shut" else "Sealed with wax."

    def scrap(self, locker: str) -> str:
        """Not while there is a parcel in it."""
        return "Error: it holds parcels" if locker in FULL else "Scrapped."


def conversations() -> list[CleanEpisode]:
    """An owner, a locker of theirs, one or two changes; after sealing nobody looks again."""
    made = []
    for number in range(120):
        rng, hall = random.Random(number), Lockers()  # noqa: S311 - dice
        owner = rng.choice(sorted(OWNERS))
        locker = rng.choice(OWNERS[owner])
        if locker == "LK-41":
            steps = [("owner", {"owner": owner}), ("locker", {"locker": locker})]
            made.append(episode(number, [(n, a, hall.call(n, a)) for n, a in steps]))
            continue
        look: tuple[str, dict[str, Any]] = ("locker", {"locker": locker})
        shut: tuple[str, dict[str, Any]] = (
            "turn",
            {"owner": owner, "locker": locker, "way": "shut"},
        )
        seal = ("turn", {"owner": owner, "locker": locker, "way": "seal"})
        moved = ("move", {"locker": locker, "hall": rng.randint(2, 4)})
        goals: list[list[tuple[str, dict[str, Any]]]] = [
            [look, shut, look],
            [look, moved, look, look],
            [look, shut, look, seal],
            [look, seal, ("owner", {"owner": owner})],
            [look, ("scrap", {"locker": LEFT[number % len(LEFT)]})],
        ]
        steps = [("owner", {"owner": owner}), *rng.choice(goals)]
        made.append(episode(number, [(n, a, hall.call(n, a)) for n, a in steps]))
    return made


@cache
def _learnt() -> LearntWorld:
    return learn_world(conversations(), WorldSettings(risk=0))


def _world() -> World:
    return World.from_json(_learnt().document.to_json())


def test_prose_is_success_where_only_errors_are_records() -> None:
    """A tool that says what it did in words and what it refused in records has done something in the first case."""
    outcomes = _learnt().document.to_json()["tools"]["turn"]["outcomes"]
    assert outcomes["record:error|"] == "refusal"
    assert outcomes["text:Locked."] == outcomes["text:Sealed with wax."] == "success"


def test_a_receipt_makes_no_writer_of_the_reader() -> None:
    """The record lacks the fee that the move told: the look has changed nothing, and does not tell the fee."""
    assert _learnt().document.to_json()["tools"]["locker"]["kind"] == "read"
    session, hall = _world().session(), Lockers()
    asked: dict[str, Json] = {"locker": "LK-43", "hall": 3}
    session.observe("move", asked, hall.call("move", asked))
    shown = session.call("locker", {"locker": "LK-43"})
    assert shown.source == UNKNOWN or shown.content == hall.call("locker", {"locker": "LK-43"})


def test_a_refusal_is_told_only_where_what_all_refused_calls_met_holds() -> None:
    """A shut locker of one's own is not open; of somebody else's nobody knows what is said first."""
    mine: dict[str, Json] = {"owner": "OW-0", "locker": "LK-41", "way": "shut"}
    told = _world().session().call("turn", {**mine, "owner": OWNER_OF["LK-41"]})
    assert json.loads(told.content) == {"error": "only open lockers are turned"}
    for owner in ("OW-2", "OW-77"):
        assert _world().session().call("turn", {**mine, "owner": owner}).source == UNKNOWN


def test_an_effect_seen_after_one_word_is_not_told_after_another() -> None:
    """Only shutting was followed by a look: what sealing leaves behind is not known."""
    asked: dict[str, Json] = {"owner": OWNER_OF["LK-43"], "locker": "LK-43"}
    for way, state in (("shut", "closed"), ("seal", "")):
        session = _world().session()
        session.observe("turn", {**asked, "way": way}, "Locked." if state else "Sealed with wax.")
        shown = session.call("locker", {"locker": "LK-43"})
        if state:
            assert json.loads(shown.content)["state"] == state
        else:
            assert shown.source == UNKNOWN


def test_which_names_were_taken_is_no_reason_to_refuse_another() -> None:
    """Two lockers were refused and two were not: nobody knows what is said of the name of something else."""
    for named in ("OW-1", "LK-49"):
        assert _world().session().call("scrap", {"locker": named}).source == UNKNOWN


def test_a_tool_that_says_it_looks_is_blamed_last() -> None:
    """A guest's points move with the desk, whose calls name no guest: the look between them names one and is no writer."""
    made = [as_episode(STAYS, a) for a in attempts(STAYS, 1) if a.number < 2]
    tools = learn_world(made, WorldSettings(risk=0)).document.to_json()["tools"]
    assert (tools["retrieve_booking"]["kind"], tools["desk"]["kind"]) == ("read", "write")

"""What is given to whose it is already, and what a change shows of a record that an earlier call may have changed."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

import pytest

from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.backend import Backend, Call, Step, Style, ToolError
from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world

Record = dict[str, Any]


class Stable(Backend):
    """Horses that keepers own; a shoeing costs the owner money."""

    def __init__(self) -> None:
        self.horses: dict[str, Record] = {
            f"HRS-{n}": {"id": f"HRS-{n}", "keeper": f"KEEP-{n % 6}"} for n in range(12)
        }
        self.visits: dict[str, Record] = {
            f"VIS-{n}": {"id": f"VIS-{n}", "horse": f"HRS-{n}", "state": "open"} for n in range(12)
        }
        self.keepers: dict[str, Record] = {
            f"KEEP-{n}": {
                "id": f"KEEP-{n}",
                "phone": f"555-{n}",
                "owes": 10 * n,
                "horses": [h for h, r in self.horses.items() if r["keeper"] == f"KEEP-{n}"],
            }
            for n in range(6)
        }

    def horse(self, horse: str) -> Record:
        """Show a horse."""
        return self.horses[horse]

    def keeper(self, keeper: str) -> Record:
        """Show a keeper."""
        return self.keepers[keeper]

    def give(self, horse: str, keeper: str) -> Record:
        """Give a horse to another keeper."""
        record, new = self.horses[horse], self.keepers[keeper]
        if record["keeper"] == keeper:
            raise ToolError(f"{horse} stands with that keeper")
        self.keepers[record["keeper"]]["horses"].remove(horse)
        record["keeper"] = keeper
        new["horses"].append(horse)
        return record

    def visit(self, visit: str) -> Record:
        """Show a smith's visit."""
        return self.visits[visit]

    def shoe(self, visit: str) -> Record:
        """Shoe the horse of a visit, at its keeper's cost."""
        record = self.visits[visit]
        if record["state"] != "open":
            raise ToolError(f"{visit} is {record['state']}")
        record["state"] = "done"
        keeper = self.horses[record["horse"]]["keeper"]
        self.keepers[keeper]["owes"] += 40
        return record

    def phone(self, keeper: str, phone: str) -> Record:
        """Change a keeper's number."""
        self.keepers[keeper]["phone"] = phone
        return self.keepers[keeper]


def _script(rng: random.Random) -> list[Step]:
    horse, other = rng.sample(range(12), 2)
    name, keeper = f"HRS-{horse}", f"KEEP-{other % 6}"
    look: Step = ("horse", {"horse": name})
    own: Step = ("keeper", {"keeper": f"KEEP-{horse % 6}"})
    give: Step = ("give", {"horse": name, "keeper": keeper})
    shoe: Step = ("shoe", {"visit": f"VIS-{horse}"})
    visit: Step = ("visit", {"visit": f"VIS-{horse}"})
    phone: Step = ("phone", {"keeper": keeper, "phone": f"555-{rng.randrange(90)}"})
    whose: Step = ("keeper", {"keeper": keeper})
    if other % 6 == horse % 6 and other != 5:
        give = phone
    return rng.choice(
        [[look, own, give, look, own, whose], [visit, shoe, visit, own], [whose, phone, whose]]
    )


STABLE = Style(name="stable", make=Stable, script=_script)


@lru_cache
def _world(seed: int) -> World:
    kept = [episode(STABLE, one) for one in attempts(STABLE, seed) if one.number < 2]
    return World.from_json(learn_world(kept, WorldSettings(risk=0)).document.to_json())


def _told(seed: int, *calls: Call) -> list[ToolResult]:
    session = _world(seed).session()
    return [session.call(tool, arguments) for tool, arguments in calls]


def _agrees(seed: int, *calls: Call) -> list[bool]:
    """Whether each answer is what the backend says, or unknown."""
    backend = Stable()
    real = [backend.call(tool, arguments).content for tool, arguments in calls]
    told = _told(seed, *calls)
    return [t.source == UNKNOWN or t.content == r for t, r in zip(told, real, strict=True)]


@pytest.mark.parametrize("number", range(12))
def test_nothing_is_given_to_whose_it_is(number: int) -> None:
    """Every success gave a horse to somebody else than it stood with: to the same keeper nobody is told that it worked."""
    assert all(_agrees(1, ("give", {"horse": f"HRS-{number}", "keeper": f"KEEP-{number % 6}"})))


def test_giving_to_somebody_else_is_still_told() -> None:
    """The condition withholds nothing where the two names differ."""
    told = [
        _told(1, ("give", {"horse": f"HRS-{n}", "keeper": f"KEEP-{(n + 2) % 6}"}))[0]
        for n in range(12)
    ]
    assert sum(t.source != UNKNOWN for t in told) >= 6

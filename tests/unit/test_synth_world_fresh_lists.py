"""Ids drawn by dice that only a list shows are told by their format, and one record keeps one id."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from benchmarks.testbeds.invented.attempts import Made
from benchmarks.worlds.unseen import recorded
from environments.fidelity import EQUIVALENT, replay
from environments.runtime.views.clock_and_ids import BY_FORMAT
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

OWNERS = ("OW1", "OW2", "OW3")
DICE_ID = re.compile(r"F[0-9a-f]{8}")


class Garage:
    """Parking an owner's car opens a ticket that the answer does not name; the list of tickets shows it."""

    def __init__(self, dice: random.Random, *, given: bool) -> None:
        self.dice, self.given = dice, given
        self.tickets = {
            owner: [{"ticket": f"F10{n}", "owner": owner, "hours": n}]
            for n, owner in enumerate(OWNERS)
        }

    def park(self, owner: str, hours: int) -> str:
        """Open a ticket."""
        number = f"{self.dice.getrandbits(32):08x}" if not self.given else f"{hours:08x}"
        self.tickets[owner].append({"ticket": "F" + number, "owner": owner, "hours": hours})
        return json.dumps({"message": "parked", "hours": hours})

    def list_tickets(self, owner: str) -> str:
        """All of an owner's tickets."""
        return json.dumps(self.tickets[owner])


def visits(count: int, *, given: bool = False, seed: int = 0) -> list[list[Made]]:
    """Sessions that park a car and list twice, and some that only list."""
    dice = random.Random(seed)  # noqa: S311 - a test's dice
    out = []
    for at in range(count):
        garage, owner, hours = Garage(dice, given=given), OWNERS[at % 3], 2 + at // 12 % 2
        parked: list[tuple[str, dict[str, Any]]] = (
            [("park", {"owner": owner, "hours": hours})] if at % 4 else []
        )
        listed: list[tuple[str, dict[str, Any]]] = [("list_tickets", {"owner": owner})]
        calls = [*listed, *parked, *listed, *listed] if at % 5 else [*parked, *listed]
        if at % 2:
            other = {"owner": OWNERS[(at + 1) % 3]}
            calls += [("park", {**other, "hours": hours}), ("list_tickets", other)]
        made = [(name, args, getattr(garage, name)(**args)) for name, args in calls]
        out.append([Made(name=n, arguments=a, content=c, is_error=False) for n, a, c in made])
    return out


def world_of(sessions: list[list[Made]]) -> World:
    """What is learnt of them."""
    episodes = []
    for at, calls in enumerate(sessions):
        steps = [CleanStep(role="user", content="hello")]
        for n, call in enumerate(calls):
            asked = json.dumps(call.arguments)
            made = CleanToolCall(call_id=f"c{n}", name=call.name, arguments=asked)
            steps.append(CleanStep(role="assistant", tool_calls=(made,)))
            steps.append(CleanStep(role="tool", call_id=f"c{n}", content=call.content))
        episodes.append(
            CleanEpisode(
                app="garage", episode_id=f"e{at}", started_at=at * 10**10, steps=tuple(steps)
            )
        )
    learnt = learn_world(episodes, WorldSettings(risk=0, continuity="reset"))
    return World.from_json(learnt.document.to_json())


@pytest.fixture(scope="module")
def world() -> World:
    """Learnt of sixty visits."""
    return world_of(visits(60))


def test_what_only_a_list_shows_is_told_by_its_format(world: World) -> None:
    """No recorded id is told, and all else is as it truly is."""
    found = replay(world, [recorded(calls) for calls in visits(24, seed=1)])
    verdicts = {j.verdict for j in found.judged}
    assert "wrong" not in verdicts
    assert EQUIVALENT in verdicts


def test_a_record_keeps_its_id_and_another_has_another(world: World) -> None:
    """Listed twice it is the same; another owner's differs."""
    session = world.session()
    told: dict[str, str] = {}
    for owner in OWNERS[:2]:
        session.call("park", {"owner": owner, "hours": 2})
        first, second = (session.call("list_tickets", {"owner": owner}) for _ in range(2))
        assert BY_FORMAT in first.evidence
        assert first.content == second.content
        told[owner] = DICE_ID.findall(first.content)[0]
    assert len(set(told.values())) == 2
    assert not set(told.values()) & set(
        DICE_ID.findall(json.dumps([c.content for v in visits(60) for c in v]))
    )


def test_an_id_that_comes_of_the_call_is_told_as_it_is() -> None:
    """The same call gives the same id in every session: no dice."""
    world = world_of(visits(60, given=True))
    assert world.document.views.fresh is None
    found = replay(world, [recorded(calls) for calls in visits(24, given=True)])
    assert {j.verdict for j in found.judged} == {"exact"}

"""Calls of a form that no success had: an argument nobody used, an object whose part is missing, a number in its place."""

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

OVER = "REFUSED: over what is left"


def wallets() -> dict[str, dict[str, Any]]:
    """As every conversation finds them."""
    return {
        f"W-{100 + 7 * i}": {"wallet": f"W-{100 + 7 * i}", "left": 60 + 9 * i} for i in range(16)
    }


def pay(all_of_them: dict[str, dict[str, Any]], wallet: str, price: dict[str, Any]) -> str:
    """Takes the price from what is left, if it is enough."""
    found = all_of_them[wallet]
    if price["value"] > found["left"]:
        return OVER
    found["left"] -= price["value"]
    return json.dumps(found)


def conversations() -> list[CleanEpisode]:
    """A wallet looked at, paid from, looked at again; once in a while with an argument that does not exist."""
    made = []
    for number in range(150):
        rng, shop = random.Random(number), wallets()  # noqa: S311 - dice
        wallet = rng.choice(sorted(shop))
        price = {"value": rng.randint(5, 250), "coin": "EUR"}
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        if number % 9 == 0:
            calls.append(("see", {"wallet": wallet, "deep": True}, "Error: unexpected argument"))
        calls.append(("see", {"wallet": wallet}, json.dumps(shop[wallet])))
        paid = pay(shop, wallet, price)
        calls.append(("pay", {"wallet": wallet, "price": price}, paid))
        calls.append(("see", {"wallet": wallet}, json.dumps(shop[wallet])))
        made.append(episode(number, calls))
    return made


@pytest.fixture(scope="module")
def world() -> World:
    """Learnt once."""
    return World(learn_world(conversations(), WorldSettings(risk=0)).document)


def test_an_argument_that_no_success_had_is_not_left_out_of_the_question(world: World) -> None:
    """The record is known, and yet nobody knows what comes back."""
    wallet = "W-121"
    assert json.loads(world.session().call("see", {"wallet": wallet}).content)["left"] == 87
    for strange in ("deep", "page"):
        asked: dict[str, Json] = {"wallet": wallet, strange: True}
        assert world.session().call("see", asked).source == UNKNOWN


def test_a_refusal_is_not_told_of_a_call_that_lacks_what_it_compares(world: World) -> None:
    """An amount above what is left is refused in the recorded words; a call without one in words that nobody knows."""
    above: dict[str, Json] = {"wallet": "W-121", "price": {"value": 88, "coin": "EUR"}}
    assert world.session().call("pay", above).content == OVER
    prices: list[Json] = [{"coin": "EUR"}, 77, [77]]
    for price in prices:
        assert world.session().call("pay", {"wallet": "W-121", "price": price}).source == UNKNOWN
    assert world.session().call("pay", {"wallet": "W-121"}).source == UNKNOWN

"""What an argument names is a part of a record that nobody read: only what was taken there before is told to succeed."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import pytest

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.test_synth_world_recombined import BASKETS, BUYERS, Nursery, legal
from tests.unit.world_backend import episode

UNREAD = BUYERS[7:]
"""Buyers whose records no episode read, though their baskets were changed."""


@cache
def _recorded() -> list[list[tuple[str, dict[str, Any], str]]]:
    rng = random.Random(11)  # noqa: S311 - dice for tests
    found = []
    for _ in range(120):
        house = Nursery()
        calls = legal(rng, house, rng.choice(BASKETS))
        made = [(n, a, house.call(n, a)) for n, a in list(calls)]
        found.append([c for c in made if c[0] != "buyer" or c[1]["buyer"] not in UNREAD])
    return found


@cache
def _world() -> World:
    episodes = [episode(number, list(calls)) for number, calls in enumerate(_recorded())]
    document = learn_world(episodes, WorldSettings(risk=0)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


def _sent_back(*, read: bool) -> dict[str, Any]:
    """What was given when a basket was sent back, of a buyer whom somebody read or nobody."""
    return next(
        a
        for calls in _recorded()
        for n, a, content in calls
        if n == "send_back" and not content.startswith("Error")
        if (json.loads(content)["buyer"] in UNREAD) is not read
    )


def _source(means: str, given: dict[str, Any]) -> str:
    """Who answers when a basket is sent back for the other reason at the cost of some means."""
    why = {"late": "wilted", "wilted": "late"}[given["why"]]
    return (
        _world()
        .session()
        .call("send_back", json.dumps({**given, "why": why, "means": means}))
        .source
    )


def test_means_taken_before_are_taken_again() -> None:
    """With the buyer's own means the basket goes back."""
    given = _sent_back(read=True)
    assert _source(given["means"], given) != UNKNOWN


@pytest.mark.parametrize("read", [True, False], ids=["somebody read the buyer", "nobody did"])
def test_somebody_elses_means_are_not_told_to_be_taken(read: bool) -> None:
    """Other buyers' means were never taken: nobody knows, least of all where nobody read what the buyer has."""
    given, house = _sent_back(read=read), Nursery()
    own = house.baskets[given["basket"]]["buyer"]
    others = [min(house.buyers[b]["means"]) for b in BUYERS if b != own]
    assert {_source(means, given) for means in others} == {UNKNOWN}

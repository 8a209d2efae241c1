"""What came before every success of a tool may be what makes it one; that its refusals stayed refusals says nothing of that."""

from __future__ import annotations

import json
from functools import cache

import pytest

from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.trade.depot_tasks import DEPOT
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world

ITEMS = ("TOW-L", "LMP-FLR", "PEN-12")
"""Restored now and then, each time after `archive_items` had archived it."""


@cache
def _world(risk: float) -> World:
    made = [episode(DEPOT, one) for one in attempts(DEPOT, 0) if one.number < 2]
    learnt = learn_world(made, WorldSettings(risk=risk, continuity="reset"))
    return World.from_json(learnt.document.to_json())


@pytest.mark.parametrize("risk", [0.0, 0.005])
@pytest.mark.parametrize("item", ITEMS)
def test_nothing_is_restored_that_nobody_archived(item: str, risk: float) -> None:
    """Items on hold are refused with and without `archive_items`: that clears it for refusals, not for successes."""
    session = _world(risk).session()
    session.call("get_item", {"sku": item})
    assert "revision" not in session.call("restore_item", json.dumps({"sku": item})).content

"""Unit tests: a tool that refuses every second call for no reason that anybody sees is not taken to succeed, however much was recorded."""

import json
import random

import pytest

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.world.refusals import guards
from synth.worlds import WorldSettings, learn_world
from tests.unit.clean_seasons import call_and_result, conversation


def belt(number: int) -> CleanEpisode:
    """A bag is looked at, released or not, and looked at again."""
    dice = random.Random(f"belt {number}")  # noqa: S311 - dice for tests
    asked = {"bag": f"BG-{10_000 + number}"}
    row = {**asked, "state": dice.choice(["held", "lost", "late"]), "weight": dice.randint(4, 30)}
    steps = [CleanStep(role="user", content="Please release it.")]
    steps += call_and_result(0, "get_rule", {"rule": "r1"}, json.dumps({"text": "weigh first"}))
    steps += call_and_result(1, "get_bag", asked, json.dumps(row))
    if dice.random() < 0.5:
        steps += call_and_result(2, "release_bag", asked, "Error: the belt is busy")
    else:
        row["state"] = "released"
        steps += call_and_result(2, "release_bag", asked, json.dumps(row))
    steps += call_and_result(3, "get_bag", asked, json.dumps(row))
    return conversation("belt", number, steps)


@pytest.mark.parametrize("episodes", [60, 400])
def test_what_refuses_for_no_reason_is_unknown(
    episodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reasons are looked for in a sample; the share of refusals without one is that of all calls."""
    monkeypatch.setattr(guards, "MAX_BAD", 12)
    document = learn_world([belt(n) for n in range(episodes)], WorldSettings()).document
    assert not document.tools["release_bag"].claims
    session = World(document).session()
    bag = {"bag": "BG-99999"}
    session.observe("get_bag", bag, json.dumps({**bag, "state": "held", "weight": 9}))
    assert session.call("release_bag", json.dumps(bag)).source == UNKNOWN

"""A record that is told to some who ask and refused to others: only who was told is told again."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

VATS = {f"VT-{40 + at}": {"vat": f"VT-{40 + at}", "litres": 50 + 7 * at} for at in range(8)}
ALL = "foreman"
MINDER = {vat: f"hand-{chr(97 + at % 4)}" for at, vat in enumerate(VATS)}
NOT_YOURS = "Error: this is for its minder"


def _look(vat: str, who: str) -> tuple[str, dict[str, Any] | str, str]:
    asked: dict[str, Any] = {"vat": vat, "who": who}
    if vat not in VATS:
        return "gauge", asked, f"Error: no vat {vat}"
    if who not in {ALL, *MINDER.values()}:
        return "gauge", asked, f"Error: who is {who}?"
    return "gauge", asked, json.dumps(VATS[vat]) if who in {ALL, MINDER[vat]} else NOT_YOURS


def _days(*, strangers: bool) -> list[CleanEpisode]:
    """The foreman gauges most vats, now and then another hand asks for one that it does not mind."""
    made = []
    for number in range(40):
        rng = random.Random(number)  # noqa: S311 - dice
        kept = sorted(VATS)[:-1]
        calls = [_look(vat, ALL) for vat in rng.sample(kept, 2)]
        calls.append(_look(kept[number % 7], MINDER[kept[number % 7]]))
        if number % 4 == 0 and strangers:
            calls.append(_look("VT-40", "hand-b"))
            calls.append(_look("VT-47", "hand-a"))
        if number % 4 == 1:
            calls += [_look("VT-41", "nobody"), _look("VT-99", ALL)]
        made.append(episode(number, calls))
    return made


def _told(days: list[CleanEpisode], vat: str, who: str) -> ToolResult:
    world = World.from_json(learn_world(days, WorldSettings(risk=0)).document.to_json())
    return world.session().call("gauge", {"vat": vat, "who": who})


@pytest.mark.parametrize("who", [ALL, MINDER["VT-41"]])
def test_who_was_told_is_told_again(who: str) -> None:
    """The foreman and the one who minds the vat are shown what it holds."""
    assert _told(_days(strangers=True), "VT-41", who).content == json.dumps(VATS["VT-41"])


@pytest.mark.parametrize("who", ["hand-a", "hand-c", "hand-z"])
def test_who_never_asked_for_it_is_not_told(who: str) -> None:
    """Another vat was refused to a hand that does not mind it: this one may be as well."""
    assert _told(_days(strangers=True), "VT-41", who).source == UNKNOWN


def test_a_refusal_is_for_who_was_refused() -> None:
    """What nobody was shown is refused to the same hand, and to the foreman nobody knows."""
    days = _days(strangers=True)
    assert _told(days, "VT-47", "hand-a").content == NOT_YOURS
    assert _told(days, "VT-47", ALL).source == UNKNOWN


def test_a_name_that_does_not_exist_says_nothing_of_others() -> None:
    """`who is nobody?` and `no vat VT-99` are about one argument: all who were heard of are told as before."""
    assert _told(_days(strangers=False), "VT-41", "hand-c").content == json.dumps(VATS["VT-41"])

"""Answers that are lines of text: what they name is what they hang on, wherever it stands in the text."""

from __future__ import annotations

import random
from typing import Any

import pytest

from environments.runtime.task.attempt import RECORDED, UNKNOWN, Json
from environments.runtime.values.mentions import names_in
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

GUESTS = [f"GUEST-{700 + 3 * i}" for i in range(12)]


class Inn:
    """Tables kept for guests: listed as lines of text, moved to another hour by their own number."""

    def __init__(self) -> None:
        self.kept = {
            f"K{40 + 2 * i + j}": {"guest": guest, "hour": f"{18 + j}:00", "seats": 2 + i % 4}
            for i, guest in enumerate(GUESTS)
            for j in (0, 1)
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The answer to one call."""
        if name == "kept_for":
            lines = [
                f"{number}: {one['seats']} seats on the terrace at {one['hour']} [kept]"
                for number, one in self.kept.items()
                if one["guest"] == arguments["guest"]
            ]
            return "\n".join(lines) or "Nothing."
        one = self.kept[arguments["number"]]
        if one["hour"] == arguments["hour"]:
            return "Error: already at that hour"
        one["hour"] = arguments["hour"]
        return f"Moved. {arguments['number']} is at {one['hour']}"


def conversations() -> list[CleanEpisode]:
    """Guests ask what is kept for them; some move it, and look again."""
    made = []
    for number in range(120):
        rng, inn = random.Random(number), Inn()  # noqa: S311 - dice
        guest = rng.choice(GUESTS)
        wanted: list[tuple[str, dict[str, Any]]] = [("kept_for", {"guest": guest})]
        if number % 3 == 0:
            mine = [n for n, one in inn.kept.items() if one["guest"] == guest]
            hour = f"{rng.randint(10, 15)}:{rng.choice(['00', '15', '30', '45'])}"
            wanted.append(("move", {"number": rng.choice(mine), "hour": hour}))
            wanted.append(("kept_for", {"guest": rng.choice([guest, rng.choice(GUESTS)])}))
        calls: list[tuple[str, dict[str, Any] | str, str]] = [
            (name, arguments, inn.call(name, arguments)) for name, arguments in wanted
        ]
        made.append(episode(number, calls))
    return made


@pytest.fixture(scope="module")
def world() -> World:
    """Learnt once."""
    return World.from_json(learn_world(conversations(), WorldSettings(risk=0)).document.to_json())


def test_a_text_is_not_told_again_after_a_call_about_what_it_names(world: World) -> None:
    """A move whose outcome nobody knows: the guest's lines name what was moved, another guest's do not."""
    guest, other = GUESTS[3], GUESTS[5]
    asked: dict[str, Json] = {"guest": guest}
    session = world.session()
    assert session.call("kept_for", asked).source == RECORDED
    assert session.call("move", {"number": "K46", "hour": "11:11"}).source == UNKNOWN
    assert session.call("kept_for", asked).source == UNKNOWN
    assert session.call("kept_for", {"guest": other}).source == RECORDED


def test_a_text_names_its_words_without_their_punctuation() -> None:
    """Ids in a sentence, a list or a row with bars; hours, days and amounts are no names."""
    text = "K46: 2 seats (see R-17/b), 2026-10-13 at 18:00 | GUEST-709; $12.50 ref=Q9001."
    assert {"K46", "R-17/b", "GUEST-709", "Q9001"} <= names_in(text)
    assert names_in("18:00 on 2026-10-13, $12.50") == set()
    assert "K46" in names_in(["K46"])

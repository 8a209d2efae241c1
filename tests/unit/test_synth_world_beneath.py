"""Places inside places: what is planted in a bed of a garden shows in the garden, though no path is the other's."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from environments.runtime.answers.path_containment import enclosing_places, places_overlap
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

BEDS = {
    "/park": ["oak", "rose"],
    "/park/rose": ["red", "white"],
    "/park/oak": ["bench"],
    "/yard": ["pump", "shed"],
    "/yard/shed": ["rake"],
    "/yard/pump": ["hose"],
}
PLANTS = ("fern", "moss", "ivy", "mint")


def listed(beds: dict[str, list[str]], path: str) -> str:
    """All that lies in a place, in words."""
    found = [f"[{name}]" for place in beds if place == path for name in sorted(beds[place])]
    below = [f"{p}: {n}" for p in sorted(beds) if p.startswith(path + "/") for n in beds[p]]
    return "\n".join([*found, *below])


def walks() -> list[CleanEpisode]:
    """People look at a place and plant in another one; nobody ever looked around what they had planted in."""
    made = []
    for number in range(60):
        rng = random.Random(number)  # noqa: S311 - dice
        beds = {path: list(names) for path, names in BEDS.items()}
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        look, spot = rng.choice(sorted(BEDS)), rng.choice(sorted(BEDS))
        if not spot.startswith(look):
            beds[spot].append(plant := rng.choice(PLANTS))
            calls.append(("plant", {"at": f"{spot}/{plant}"}, f"Planted {plant}"))
        calls.append(("list_all", {"place": look}, listed(beds, look)))
        if spot != look:
            calls.append(("list_all", {"place": look}, listed(beds, look)))
        made.append(episode(number, calls))
    return made


@pytest.fixture(scope="module")
def garden() -> World:
    """What is planted was only ever followed by looks elsewhere."""
    learnt = learn_world(walks(), WorldSettings(risk=0))
    return World.from_json(learnt.document.to_json())


def test_a_place_is_not_told_after_something_was_put_inside_it(garden: World) -> None:
    """Nobody ever looked at the park after planting in one of its beds: what it shows then is unknown."""
    session = garden.session()
    assert session.call("list_all", {"place": "/park"}).content == listed(BEDS, "/park")
    planted = session.call("plant", {"at": "/park/rose/fern"})
    assert planted.source != UNKNOWN
    assert session.call("list_all", {"place": "/park"}).source == UNKNOWN


def test_another_place_is_still_told(garden: World) -> None:
    """The yard lies beside the park: nothing that is planted in the park lies in it."""
    session = garden.session()
    session.call("plant", {"at": "/park/rose/fern"})
    told = session.call("list_all", {"place": "/yard"})
    assert told.content == listed(BEDS, "/yard")


def test_whoever_left_places_alone_often_enough_is_cleared() -> None:
    """A call that was made inside places before equal answers changes none of them."""
    made = []
    for number in range(60):
        rng = random.Random(number)  # noqa: S311 - dice
        look = rng.choice(("/park", "/yard", "/park/rose"))
        spot = rng.choice([path for path in sorted(BEDS) if path.startswith(look)])
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        if number % 3:
            calls.append(("water", {"at": f"{spot}/{rng.choice(PLANTS)}"}, "Watered"))
        calls.append(("list_all", {"place": look}, listed(BEDS, look)))
        made.append(episode(number, calls))
    world = World(learn_world(made, WorldSettings(risk=0)).document)
    session = world.session()
    session.call("water", {"at": "/park/rose/fern"})
    assert session.call("list_all", {"place": "/park"}).content == listed(BEDS, "/park")


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [
        ({"at": "/a/b"}, {"place": "/a"}, True),
        ({"place": "/a/"}, {"at": "/a/b"}, True),
        ({"place": "/a"}, {"at": "/ab"}, False),
        ({"place": "/a"}, {"at": "/a"}, False),
        ({"places": ["/a", "/c"]}, {"at": "/a"}, True),
        ({"place": "/a", "depth": 2}, {"text": "all of\n/a/b"}, False),
    ],
)
def test_one_place_lies_inside_another(
    one: dict[str, Any], other: dict[str, Any], holds: bool
) -> None:
    """A place holds what its path begins; several asked for at once hold each."""
    assert places_overlap(one, other) is holds


def test_the_places_around_one_are_those_that_it_lies_in() -> None:
    """One look at each place finds what comparing all with all would."""
    texts = ["".join(signs) for size in range(1, 6) for signs in product("a/", repeat=size)]
    for inner in texts:
        outer = {
            other
            for other in texts
            if other != inner and places_overlap({"p": inner}, {"p": other})
        }
        below = {other for other in outer if inner in set(enclosing_places(other))}
        assert outer - below == set(enclosing_places(inner)) & set(texts)

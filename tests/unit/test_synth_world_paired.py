"""Arguments that went with the key of a record in every success: a call that pairs them otherwise may be refused."""

from __future__ import annotations

import json
import random
from itertools import product
from typing import Any

import pytest

from environments.runtime.task.attempt import RECORDED, UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

BOXES = {f"BX-{300 + 7 * i}": {"box": f"BX-{300 + 7 * i}", "weight": 40 + 3 * i} for i in range(12)}
TENANTS = {box: f"TN-{at % 5}" for at, box in enumerate(BOXES)}


def conversations(*, tenants_differ: bool) -> list[CleanEpisode]:
    """Three boxes are weighed for whom they belong to, or for anybody at all; a reason is given each time."""
    made = []
    for number in range(90):
        rng = random.Random(number)  # noqa: S311 - dice
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        for box in rng.sample(sorted(BOXES), 3):
            tenant = rng.choice(sorted(set(TENANTS.values()))) if tenants_differ else TENANTS[box]
            asked = {"box": box, "tenant": tenant, "why": f"asked by caller {number % 3}"}
            calls.append(("weigh", asked, json.dumps(BOXES[box])))
        made.append(episode(number, calls))
    return made


@pytest.fixture(scope="module")
def paired() -> World:
    """Every box was only ever asked for by its own tenant."""
    learnt = learn_world(conversations(tenants_differ=False), WorldSettings(risk=0))
    return World.from_json(learnt.document.to_json())


def test_a_pair_that_was_seen_is_told_whatever_the_free_text_says(paired: World) -> None:
    """The box and its own tenant, with a reason that nobody gave before."""
    asked = {"box": "BX-307", "tenant": TENANTS["BX-307"], "why": "the scale was wrong"}
    result = paired.session().call("weigh", asked)
    assert (result.source, result.content) == (RECORDED, json.dumps(BOXES["BX-307"]))


def test_a_pair_that_was_never_seen_is_unknown(paired: World) -> None:
    """Another's tenant, or one that does not exist: the backend may say that this is not theirs."""
    for tenant in (TENANTS["BX-300"], "TN-9"):
        asked = {"box": "BX-307", "tenant": tenant, "why": "asked by caller 1"}
        assert paired.session().call("weigh", asked).source == UNKNOWN


def test_an_argument_seen_to_differ_is_left_out() -> None:
    """Where one box was asked for by several, who asks does not matter."""
    learnt = learn_world(conversations(tenants_differ=True), WorldSettings(risk=0))
    world = World(learnt.document)
    asked = {"box": "BX-307", "tenant": "TN-9", "why": "asked by caller 1"}
    assert world.session().call("weigh", asked).content == json.dumps(BOXES["BX-307"])


@pytest.mark.parametrize("repeats", [True, False])
def test_a_value_that_every_answer_repeats_is_part_of_the_question(repeats: bool) -> None:
    """No task asked for a box that another one asked for: only what comes back tells that the bay matters."""
    made = []
    for number, box in enumerate(BOXES):
        bay = f"{number % 4}0{number % 3}"
        told = {**BOXES[box], "bay": bay} if repeats else BOXES[box]
        made.append(episode(number, [("get_weight", {"box": box, "bay": bay}, json.dumps(told))]))
    world = World(learn_world(made, WorldSettings()).document)
    assert world.session().call("get_weight", {"box": "BX-307", "bay": "101"}).source == RECORDED
    elsewhere = world.session().call("get_weight", {"box": "BX-307", "bay": "202"})
    assert (elsewhere.source == UNKNOWN) is repeats


def tagged() -> list[CleanEpisode]:
    """A box is weighed, tagged and weighed again for its own tenant; a pale tag is refused."""
    made = []
    for number in range(120):
        rng = random.Random(number)  # noqa: S311 - dice
        boxes = {name: {**box, "tag": "none"} for name, box in BOXES.items()}
        box = rng.choice(sorted(boxes))
        both: dict[str, Any] = {"box": box, "tenant": TENANTS[box]}
        tag = rng.choice(["red", "blue", "green", "pale"])
        calls: list[tuple[str, dict[str, Any] | str, str]] = [
            ("weigh", both, json.dumps(boxes[box]))
        ]
        if tag == "pale":
            calls.append(("tag", {**both, "tag": tag}, "Error: no such tag"))
        else:
            boxes[box]["tag"] = tag
            calls.append(("tag", {**both, "tag": tag}, json.dumps(boxes[box])))
        calls.append(("weigh", both, json.dumps(boxes[box])))
        made.append(episode(number, calls))
    return made


def test_a_change_for_somebody_else_is_unknown_and_so_is_how_it_would_be_refused() -> None:
    """The tenant's own change is told; another's is neither made nor refused in words that say nothing of tenants."""
    world = World.from_json(learn_world(tagged(), WorldSettings(risk=0)).document.to_json())
    for box, tag in product(sorted(BOXES), ("red", "blue", "green", "pale")):
        own = {"box": box, "tenant": TENANTS[box], "tag": tag}
        told = world.session().call("tag", own)
        assert told.source != UNKNOWN
        for tenant in {*TENANTS.values(), "TN-77"} - {TENANTS[box]}:
            assert world.session().call("tag", {**own, "tenant": tenant}).source == UNKNOWN


FIRST = ["Ada", "Olaf", "Petra", "Noor", "Sven", "Ines", "Kofi", "Lea"]
LAST = ["Voss", "Wolters", "Fischer", "Demir", "Brandt", "Sommer", "Yilmaz", "Petersen"]
PATIENTS = {
    f"19{60 + 3 * i}-0{1 + i}-1{i}": " ".join(both)
    for i, both in enumerate(zip(FIRST, LAST, strict=True))
}


def test_who_gives_another_ones_name_with_a_birth_date_is_told_nothing() -> None:
    """The date decides alone, and every patient gave it with their own name, first or last or both."""
    made = []
    for number in range(60):
        rng = random.Random(number)  # noqa: S311 - dice
        born = rng.choice(sorted(PATIENTS))
        whole = PATIENTS[born]
        name = rng.choice([whole, whole.split()[1], f"{whole.split()[1]} {whole.split()[0]}"])
        text = f"Found: {whole}, born {born}, number P-{100 + sorted(PATIENTS).index(born)}."
        made.append(episode(number, [("find", {"name": name, "born": born}, text)]))
    world = World(learn_world(made, WorldSettings()).document)
    born, other = sorted(PATIENTS)[:2]
    mine = {"name": PATIENTS[born], "born": born}
    assert world.session().call("find", mine).source == RECORDED
    assert world.session().call("find", {**mine, "name": PATIENTS[other]}).source == UNKNOWN
    assert world.session().call("find", {**mine, "name": "Nobody"}).source == UNKNOWN


BORN = {f"Lena {name}": f"19{60 + 3 * at}-0{1 + at % 9}-14" for at, name in enumerate("ABCDEFGH")}


def readers_found() -> list[CleanEpisode]:
    """A reader is found by name, or by name and the right day of birth; another day was never tried."""
    made = []
    for number, name in enumerate([*BORN, *BORN, *sorted(BORN)[:4]]):
        told = f"1 reader:\n{name}  born {BORN[name]}  adult"
        asked: dict[str, Any] = {"name": name}
        if number >= len(BORN) or number % 2:
            asked["born"] = BORN[name]
        made.append(episode(number, [("find_readers", asked, told)]))
    return made


def test_an_optional_argument_that_answers_repeat_belongs_to_the_record() -> None:
    """With the day that the answer shows, or without any, the reader is found; whose day is another's nobody saw."""
    session = World(learn_world(readers_found(), WorldSettings()).document).session()
    right, other = BORN["Lena C"], BORN["Lena D"]
    assert session.call("find_readers", {"name": "Lena C", "born": right}).source != UNKNOWN
    assert session.call("find_readers", {"name": "Lena C"}).source != UNKNOWN
    assert session.call("find_readers", {"name": "Lena C", "born": other}).source == UNKNOWN

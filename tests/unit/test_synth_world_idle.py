"""Unit tests: arguments that agents make up mean nothing, and other spellings of a result are one result."""

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from benchmarks.worlds.habits import parcels, verdict
from environments.fidelity import Fidelity
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.worlds import WorldSettings, learn_world
from tests.unit.clean_seasons import call_and_result, conversation, world_from

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

BOXES = [f"B-{10 + n}" for n in range(8)]


def season(*, told: bool = False, shown: bool = False) -> list[CleanEpisode]:
    """Conversations about boxes: every call has a reason, openings a key; `told`: by the user, `shown`: by the result."""
    out = []
    for number in range(60):
        rng = random.Random(f"boxes {number}")  # noqa: S311 - dice for tests
        steps: list[CleanStep] = []
        for at in range(4):
            name, box = rng.choice(["look", "weigh", "open"]), rng.choice(BOXES)
            arguments: dict[str, Any] = {"box": box}
            arguments["why"] = " ".join(rng.choices(["to", "see", "what", "is", "in"], k=6))
            if name == "open":
                arguments["key"] = f"{rng.getrandbits(64):016x}"
            said = f"Use {arguments.get('key')}." if told else "Please."
            content = {"box": box, "state": f"{name}ed", "weight": 3 * int(box[2:])}
            if shown:
                content["note"] = arguments["why"]
            steps.append(CleanStep(role="user", content=said))
            steps += call_and_result(at, name, arguments, json.dumps(content))
        out.append(conversation("boxes", number, steps))
    return out


@pytest.fixture(scope="module")
def world() -> World:
    """Learnt, and read again as a file."""
    return world_from(season())


def test_reasons_and_keys_are_found(world: World) -> None:
    """The reason in all three tools, the key in the one that takes it; the box means something."""
    idle = world.document.to_json()["idle"]
    assert {tool: sorted(forms) for tool, forms in idle.items()} == {
        "look": ["why"],
        "weigh": ["why"],
        "open": ["key", "why"],
    }


def test_a_new_reason_changes_nothing(world: World) -> None:
    """Words that nobody wrote before get the answer of the box."""
    given = {"box": "B-12", "why": "because I would like to know"}
    for arguments in (given, json.dumps(given)):
        told = world.session().call("look", arguments)
        assert json.loads(told.content)["weight"] == 36


def test_a_reason_that_every_call_had_must_be_there(world: World) -> None:
    """Nobody knows whether the tool takes a call without it, or with an empty one."""
    session = world.session()
    assert session.call("look", {"box": "B-12"}).source == UNKNOWN
    assert session.call("look", {"box": "B-12", "why": " "}).source == UNKNOWN
    assert session.call("look", {"box": "B-12", "why": 5}).source == UNKNOWN


def test_a_key_used_twice_is_unknown(world: World) -> None:
    """A backend may answer the first call again, do it twice, or refuse; a fork goes its own way."""
    session = world.session()
    given = {"box": "B-12", "why": "to see", "key": "00ff00ff00ff00ff"}
    assert session.call("open", given).source != UNKNOWN
    fork = session.fork()
    assert session.call("open", given).source == UNKNOWN
    assert fork.call("open", given).source == UNKNOWN
    other = world.session().call("open", {**given, "key": "1"})
    assert other.source == UNKNOWN


def test_what_a_user_told_or_a_result_shows_is_not_idle() -> None:
    """A number that the user gave may be checked, and words that a result shows are kept."""
    told = learn_world(season(told=True), WorldSettings(risk=0)).document
    assert "key" not in told.views.idle["open"]
    shown = learn_world(season(shown=True), WorldSettings(risk=0)).document
    assert all("why" not in forms for forms in shown.views.idle.values())


def test_a_key_that_is_made_of_what_is_asked_means_nothing_either() -> None:
    """`B-12-20260714-59a6`: no dice alone, but never told, never shown and never the same."""
    episodes = []
    for number in range(40):
        rng = random.Random(f"made {number}")  # noqa: S311 - dice for tests
        box, steps = rng.choice(BOXES[:3]), [CleanStep(role="user", content="Please open it.")]
        key = f"{box}-{'x' * (number % 3)}{rng.getrandbits(16):04x}{number}"
        content = json.dumps({"box": box, "state": "opened"})
        steps += call_and_result(0, "open", {"box": box, "key": key}, content)
        episodes.append(conversation("boxes", number, steps))
    world = world_from(episodes)
    assert sorted(world.document.to_json()["idle"]["open"]) == ["key"]
    session = world.session()
    assert session.call("open", {"box": "B-11", "key": "B-11-new-77"}).source != UNKNOWN
    assert session.call("open", {"box": "B-12", "key": "B-11-new-77"}).source == UNKNOWN
    assert session.call("open", {"box": "B-12", "key": "two words 1"}).source == UNKNOWN


def visits(
    beside: Callable[[int], dict[str, Any]], *, own: bool = False, named: bool = False
) -> list[CleanEpisode]:
    """Conversations about boxes with something beside every call.

    `own`: each conversation's boxes weigh otherwise; `named`: who lifts a box is told.
    """
    out = []
    for number in range(40):
        rng = random.Random(f"visits {number}")  # noqa: S311 - dice for tests
        steps = [CleanStep(role="user", content="Please.")]
        for at in range(4):
            name, box = rng.choice(["look", "weigh", "lift"]), rng.choice(BOXES)
            weight = 3 * int(box[2:]) + (number % 10 if own else 0)
            said: dict[str, Any] = {"state": f"{name}ed", "weight": weight}
            if named and name == "lift":
                said |= {"who": beside(number)["by"]}
            given = {"box": box, **beside(number)}
            steps += call_and_result(at, name, given, json.dumps(said))
        out.append(conversation("visits", number, steps))
    return out


@pytest.mark.parametrize(
    "beside",
    [
        lambda number: {"session": f"s-{number * 7919**4 % 16**12:012x}"},
        lambda number: {"auth": {"token": f"t-{number * 7919}", "tenant": "north"}},
        lambda _: {"locale": "en-GB"},
    ],
)
def test_what_an_episode_gives_to_every_tool_is_idle(beside: Callable[[int], Any]) -> None:
    """A session that no recording had, and the one language, get the answer of the box; another language gets none."""
    known = world_from(visits(beside))
    told = known.session().call("look", {"box": "B-12", **beside(99)})
    assert json.loads(told.content)["weight"] == 36
    assert known.session().call("look", {"box": "B-12"}).source == UNKNOWN
    other = known.session().call("look", {"box": "B-12", **beside(99), "locale": "fr"})
    assert other.source == UNKNOWN


def test_values_that_were_never_recorded_together_are_unknown() -> None:
    """A token of one person with the number of another is refused by most backends, and by none of the recordings."""

    def beside(number: int) -> dict[str, Any]:
        return {"token": f"t-{number % 3 * 7919}", "actor": {"id": number % 3, "role": "clerk"}}

    known = world_from(visits(beside))
    told = known.session().call("look", {"box": "B-12", **beside(1)})
    assert json.loads(told.content)["weight"] == 36
    mixed: tuple[dict[str, Any], ...] = (
        {**beside(1), "actor": beside(2)["actor"]},
        {"token": beside(1)["token"]},
    )
    for wrong in mixed:
        assert known.session().call("look", {"box": "B-12", **wrong}).source == UNKNOWN
    new: dict[str, Any] = {"token": "t-1", "actor": {"id": 7, "role": "clerk"}}
    assert known.session().call("look", {"box": "B-12", **new}).source != UNKNOWN


def test_who_did_it_is_no_idle_argument_of_what_says_so() -> None:
    """A tool that shows who asked keeps the argument; the others lose it."""
    shown = visits(lambda number: {"by": number % 4}, named=True)
    assert set(world_from(shown).document.views.idle) == {"look", "weigh"}


def test_whose_episode_it_is_is_not_idle() -> None:
    """A customer is given to every tool as well, and is answered otherwise."""
    known = world_from(visits(lambda number: {"customer": f"C{number % 10}"}, own=True))
    assert not known.document.views.idle


@cache
def depot(habit: str, *, living: bool) -> dict[str, Fidelity | str]:
    """The benchmark's figures: every habit is held beside the same plain depot."""
    return parcels(0, habit, living=living)


@pytest.mark.parametrize("habit", ["idle", "spelling"])
@pytest.mark.parametrize("living", [False, True])
def test_a_habit_costs_nothing(habit: str, *, living: bool) -> None:
    """The depot of the benchmark with it is known as well as the plain one, or better: a key tells equal changes apart."""
    plain, with_it = (depot(name, living=living) for name in ("plain", habit))
    for part in ("h", "p"):
        right, wrong = figures(plain[part])
        right_with_it, wrong_with_it = figures(with_it[part])
        assert right_with_it >= right > 0
        assert wrong_with_it <= wrong


def figures(found: Fidelity | str) -> tuple[int, int]:
    """Right and wrong calls."""
    assert isinstance(found, Fidelity)
    verdicts = Counter(map(verdict, found.judged))
    return verdicts["right"], verdicts["wrong"]


SECTION: str = json.dumps(
    {
        "type": "function",
        "function": {
            "name": "get_section",
            "description": "One section of a course.",
            "parameters": {
                "type": "object",
                "properties": {
                    "section": {"type": "string"},
                    "campus": {"type": "string"},
                    "until": {"type": ["string", "null"]},
                },
                "required": ["section"],
            },
        },
    },
    sort_keys=True,
)


def sections() -> World:
    """Looks at sections of courses, all of one term."""
    made = []
    for number in range(24):
        steps: list[CleanStep] = []
        for at, which in enumerate((number % 6, (number + number // 6) % 6, number % 6)):
            section = f"{20400 + 7 * which}"
            shown = {"section": section, "term": "2026SP", "seats": 3 * which + 4}
            steps += call_and_result(at, "get_section", {"section": section}, json.dumps(shown))
        made.append(replace(conversation("registrar", number, steps), tools=(SECTION,)))
    return world_from(made)


def test_null_for_an_argument_that_may_be_left_out_says_nothing() -> None:
    """Models send it for what they do not give; where null is one of the declared types it may mean something."""
    world = sections()
    for nothing in (None, ""):
        told = world.session().call("get_section", {"section": "20414", "campus": nothing})
        assert json.loads(told.content)["seats"] == 10
    for given in ({"section": None}, {"section": "20414", "until": None}):
        assert world.session().call("get_section", given).source == UNKNOWN


def test_a_look_that_shows_one_code_everywhere_gives_out_no_codes() -> None:
    """A tool that states that it looks is no writer for the term that all its records share."""
    assert sections().tools["get_section"].part.kind == "read"

"""The one record behind a look without arguments: what calls do to it is learnt, and never more than was seen."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial

import pytest

from benchmarks.testbeds.invented.habits import Bank, Panel
from benchmarks.worlds.habits import App, afresh
from environments.fidelity import Fidelity
from environments.runtime.task.attempt import DERIVED, UNKNOWN
from environments.runtime.views.selected_subject import CHOSEN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.test_synth_world_bound import episode

Call = tuple[str, dict[str, object], str]


class Lamp:
    """A lamp, a till and a list; every conversation finds them as they were."""

    def __init__(self, *, repeats: bool = False) -> None:
        self.state = {"colour": "white", "level": 3}
        self.till = 120
        self.notes = ["call Ann"]
        self.repeats = repeats

    def call(self, name: str, **given: object) -> Call:
        """One call as it is recorded."""
        return name, given, getattr(self, name)(**given)

    def get_lamp(self) -> str:
        """The lamp."""
        return json.dumps(self.state)

    def set_level(self, level: int) -> str:
        """Brighter or darker."""
        self.state["level"] = level
        return "done"

    def get_till(self) -> str:
        """The money."""
        return json.dumps({"money": self.till, "open": True})

    def put_in(self, amount: int) -> str:
        """More money."""
        self.till += amount
        return "thanks"

    def get_notes(self) -> str:
        """A plain list."""
        return json.dumps(self.notes)

    def note(self, text: str) -> str:
        """One more line."""
        if self.repeats or text not in self.notes:
            self.notes.append(text)
        return "noted"


def world(*, repeats: bool = False) -> World:
    """Learnt from visits that look, do one thing and look again."""
    episodes: list[CleanEpisode] = []
    for n in range(60):
        rng = random.Random(n)  # noqa: S311 - dice
        lamp = Lamp(repeats=repeats)
        calls: list[Call] = []
        for kind in rng.sample(range(3), rng.randint(1, 2)):
            look = ("get_lamp", "get_till", "get_notes")[kind]
            calls.append(lamp.call(look))
            if kind == 0:
                calls.append(lamp.call("set_level", level=rng.randint(1, 9)))
            elif kind == 1:
                calls.append(lamp.call("put_in", amount=rng.randint(1, 20)))
            else:
                text = rng.choice(
                    ["buy milk", "call Ann", "water plants", "write to Bo", "pay rent"]
                )
                calls.append(lamp.call("note", text=text))
            calls.append(lamp.call(look))
        episodes.append(episode(n, "user-1", *calls))
    return World(learn_world(episodes, WorldSettings(risk=0)).document)


def test_a_field_is_set_to_the_argument() -> None:
    """Twice in a row, and the last one counts."""
    session = world().session({"subject": "user-1"})
    for level in (4, 8):
        session.call("set_level", {"level": level})
    told = session.call("get_lamp", {})
    assert told.source == DERIVED
    assert json.loads(told.content) == {"colour": "white", "level": 8}


def test_an_amount_is_added_to_what_is_there_though_it_always_was_the_same_before() -> None:
    """Every recorded look found 120 first: the rule is about the money, not about 120."""
    session = world().session({"subject": "user-1"})
    for amount in (5, 7):
        session.call("put_in", {"amount": amount})
    assert json.loads(session.call("get_till", {}).content)["money"] == 132


@pytest.mark.parametrize("repeats", [True, False])
def test_a_list_grows_as_it_was_seen_to_grow(repeats: bool) -> None:
    """A line that is there already is written again, or not, as the recordings have it."""
    session = world(repeats=repeats).session({"subject": "user-1"})
    real = Lamp(repeats=repeats)
    for text in ("call Ann", "buy milk"):
        session.call("note", {"text": text})
        real.note(text)
    told = session.call("get_notes", {})
    assert told.source == DERIVED
    assert json.loads(told.content) == real.notes


def test_two_writes_between_two_looks_say_nothing_of_either() -> None:
    """Only what alone stood between two looks is evidence of what it does."""
    episodes: list[CleanEpisode] = []
    for n in range(40):
        lamp = Lamp()
        calls = [lamp.call("get_lamp"), lamp.call("set_level", level=1 + n % 9)]
        lamp.state["colour"] = ("red", "blue", "green")[n % 3]
        paint: Call = ("paint", {"colour": lamp.state["colour"]}, "painted")
        episodes.append(episode(n, "user-1", *calls, paint, lamp.call("get_lamp")))
    tools = learn_world(episodes, WorldSettings(risk=0)).document.to_json()["tools"]
    assert not tools["set_level"].get("writes")
    assert not tools["paint"].get("writes")


@pytest.mark.parametrize("app", [Panel, partial(Panel, own=True), Bank])
def test_invented_backends_are_told_without_a_wrong_answer(app: Callable[[int, str], App]) -> None:
    """Held-out conversations and random calls, beside the real backend."""
    found = afresh(app, 0)
    for name in "hp":
        part = found[name]
        assert isinstance(part, Fidelity)
        assert not [one.call for one in part.judged if one.verdict == "wrong"]
        share = sum(one.verdict != "unknown" for one in part.judged) / len(part.judged)
        assert share > 0.55


def test_an_entry_that_was_there_is_not_taken_to_be_replaced() -> None:
    """Carts that were empty before every recorded call say nothing of a thing put in twice."""
    episodes: list[CleanEpisode] = []
    for n in range(60):
        product, count = f"P{n % 12:03}", 1 + n // 12 % 3
        put: Call = ("put_in_cart", {"product_id": product, "count": count}, "added")
        look: Call = ("view_cart", {}, json.dumps({"items": {product: count}, "open": True}))
        empty: Call = ("view_cart", {}, json.dumps({"items": {}, "open": True}))
        episodes.append(episode(n, "user-1", empty, empty, put, look, look))
    learnt = World(learn_world(episodes, WorldSettings(risk=0)).document)
    session = learnt.session({"subject": "user-1"})
    session.call("put_in_cart", {"product_id": "P003", "count": 2})
    session.call("put_in_cart", {"product_id": "P005", "count": 1})
    told = json.loads(session.call("view_cart", {}).content)
    assert told["items"] == {"P003": 2, "P005": 1}
    session.call("put_in_cart", {"product_id": "P003", "count": 1})
    assert session.call("view_cart", {}).source == UNKNOWN


def chosen_world() -> World:
    """Four shelves of which one is opened at a time; visits open one, look, and often open another."""
    shelves = {f"SH{n}": [f"book {n}{k}" for k in range(n + 1)] for n in range(4)}
    episodes: list[CleanEpisode] = []
    for n in range(60):
        rng = random.Random(n)  # noqa: S311 - dice
        calls: list[Call] = []
        if n % 5 == 0:
            calls.append(("list_books", {}, "Error: open a shelf first"))
        for _ in range(rng.randint(1, 3)):
            name = rng.choice(sorted(shelves))
            calls.append(("open_shelf", {"shelf": name}, "opened"))
            calls.append(("list_books", {}, json.dumps(shelves[name])))
        episodes.append(episode(n, "user-1", *calls))
    document = learn_world(episodes, WorldSettings(risk=0)).document.to_json()
    assert document["chosen"] == {"list_books": ["open_shelf", "shelf"]}
    return World.from_json(json.loads(json.dumps(document)))


def test_what_was_chosen_last_decides_whatever_was_chosen_before() -> None:
    """A chain of choices that nobody recorded, and back again; before any, what was said then."""
    session = chosen_world().session({"subject": "user-1"})
    assert session.call("list_books", {}).content == "Error: open a shelf first"
    for number in (3, 0, 2, 1, 3, 2):
        session.call("open_shelf", {"shelf": f"SH{number}"})
        assert len(json.loads(session.call("list_books", "{}").content)) == number + 1


def test_a_policy_cannot_say_what_was_chosen_and_copies_choose_apart() -> None:
    """The argument is the session's alone; a fork goes its own way; a choice that nobody knows leaves all unknown."""
    session = chosen_world().session({"subject": "user-1"})
    session.call("open_shelf", {"shelf": "SH1"})
    assert len(json.loads(session.call("list_books", {CHOSEN: "c1:SH3"}).content)) == 2
    other = session.fork()
    other.call("open_shelf", {"shelf": "SH3"})
    assert len(json.loads(other.call("list_books", {}).content)) == 4
    assert len(json.loads(session.call("list_books", {}).content)) == 2
    session.observe("open_shelf", {"shelf": "SH0"}, "opened")
    assert len(json.loads(session.call("list_books", {}).content)) == 1
    session.call("open_shelf", {"shelf": "SH9"})
    assert session.call("list_books", {}).source == UNKNOWN


def test_what_is_put_in_or_set_is_no_choice() -> None:
    """The last value decides as long as nothing came before it: that alone is no evidence of a choice."""
    episodes: list[CleanEpisode] = []
    for n in range(60):
        rng = random.Random(n)  # noqa: S311 - dice
        held: list[str] = []
        calls: list[Call] = [("view_bag", {}, "[]")]
        for _ in range(rng.randint(1, 2)):
            held.append(rng.choice(["pen", "cup", "hat", "map"]))
            calls.append(("pack", {"thing": held[-1]}, "packed"))
            calls.append(("view_bag", {}, json.dumps(held)))
        episodes.append(episode(n, "user-1", *calls))
    assert not learn_world(episodes, WorldSettings(risk=0)).document.views.chosen


def test_a_mark_at_what_is_chosen_is_no_other_answer() -> None:
    """A list of all that shows which is open is one list that calls change, not one for each choice."""
    episodes: list[CleanEpisode] = []
    for n in range(60):
        rng = random.Random(n)  # noqa: S311 - dice
        calls: list[Call] = []
        for _ in range(rng.randint(1, 3)):
            name = rng.choice(["main", "review", "draft"])
            told = [f"* {b}" if b == name else b for b in ("main", "review", "draft")]
            calls.append(("switch", {"branch": name}, "switched"))
            calls.append(("branches", {}, json.dumps(told)))
        episodes.append(episode(n, "user-1", *calls))
    assert not learn_world(episodes, WorldSettings(risk=0)).document.views.chosen

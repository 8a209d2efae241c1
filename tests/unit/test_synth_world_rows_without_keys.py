"""Records that do not name their own key: a tool that writes values of its call into one shows it as it is afterwards."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

READERS = [f"reader-{at}07" for at in range(10)]
BOOKS = [f"BK-{at}31" for at in range(10)]
TOWNS = ["Ghent", "Turin", "Bergen", "Malmo", "Graz"]
Calls = list[tuple[str, dict[str, Any]]]


class Library:
    """Readers whose records do not say which they are, and books lent to them, sent to an address of two lines."""

    def __init__(self, *, envelope: bool = False) -> None:
        self.envelope = envelope
        self.people = {
            reader: {
                "called": f"Name of {at}",
                "since": 1990 + at,
                "home": {"line1": f"{at} High Road", "line2": f"Floor {at}", "town": TOWNS[at % 5]},
            }
            for at, reader in enumerate(READERS)
        }
        self.lent = {
            book: {"book": book, "state": "lent", "sent_to": _home(at)}
            for at, book in enumerate(BOOKS)
        }

    def call(self, name: str, given: dict[str, Any]) -> str:
        """The tool's answer."""
        home = {k: given[k] for k in ("line1", "line2", "town") if k in given}
        if name in {"get_reader", "move_house"}:
            person: dict[str, Any] = self.people[given["reader"]]
            if home:
                person["home"] = home
            if self.envelope:
                # The same three fields around everything, and what was moved is another thing than what was read.
                shown = {"home": home} if home else person
                return json.dumps({"status": "ok", "unit": "lending", "data": shown})
            return json.dumps(person)
        book = self.lent[given["book"]]
        if name == "give_back":
            book["state"] = "back"
        elif name == "redirect":
            book["sent_to"] = home
        return json.dumps(book)


def _home(at: int) -> dict[str, str]:
    return {"line1": f"{at} Mill Lane", "line2": f"Door {at}", "town": TOWNS[at % 4]}


def _script(rng: random.Random) -> Calls:
    """Nobody looks at a reader after a change: only that the calls name other things says that it stays as it is."""
    at, other = rng.sample(range(10), 2)
    home = _home(rng.randrange(20, 60))
    looks: Calls = [("get_reader", {"reader": READERS[at]}), ("get_book", {"book": BOOKS[at]})]
    changes: Calls = [
        ("give_back", {"book": BOOKS[other]}),
        ("redirect", {"book": BOOKS[other], **home}),
    ]
    if rng.random() < 0.2:
        return [*looks, ("move_house", {"reader": READERS[at], **home, "town": TOWNS[at % 3]})]
    calls = [*rng.sample(looks, 2), *rng.sample(changes, rng.choice([1, 2])), looks[1]]
    return calls if rng.random() < 0.7 else calls[2:]


@cache
def _world(*, envelope: bool = False) -> World:
    rng = random.Random(3)  # noqa: S311 - dice for tests
    found = []
    for number in range(60):
        house = Library(envelope=envelope)
        calls = _script(rng)
        found.append(episode(number, [(n, a, house.call(n, a)) for n, a in calls]))
    document = learn_world(found, WorldSettings(risk=0)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


def _asked(calls: Calls, *, envelope: bool = False) -> tuple[str, str, str]:
    """The last call's source, what was said and what is true."""
    session, house = _world(envelope=envelope).session(), Library(envelope=envelope)
    for name, given in calls[:-1]:
        session.call(name, json.dumps(given))
        house.call(name, given)
    name, given = calls[-1]
    said = session.call(name, json.dumps(given))
    return said.source, said.content, house.call(name, given)


MOVED = {"reader": READERS[4], "line1": "77 Mill Lane", "line2": "Door 31", "town": "Turin"}
ELSEWHERE = {"book": BOOKS[6], "line1": "88 Mill Lane", "line2": "Door 42", "town": "Ghent"}


@pytest.mark.parametrize(
    "calls",
    [
        [("move_house", MOVED)],
        [("move_house", MOVED), ("get_reader", {"reader": READERS[4]})],
        [("move_house", MOVED), ("move_house", {**MOVED, "line2": "Door 32"})],
    ],
    ids=["a home that nobody had", "the reader afterwards", "moved twice"],
)
def test_values_of_a_call_stand_in_the_record(calls: Calls) -> None:
    """What a call writes into a record without a key of its own is in its answer, and in what is read later."""
    source, said, true = _asked(calls)
    assert source != UNKNOWN
    assert json.loads(said) == json.loads(true)


@pytest.mark.parametrize(
    "before",
    [("redirect", ELSEWHERE), ("give_back", {"book": BOOKS[6]})],
    ids=["an address was given", "an address was shown"],
)
@pytest.mark.parametrize("then", [("get_reader", {"reader": READERS[4]}), ("move_house", MOVED)])
def test_a_field_with_a_digit_in_its_name_is_no_shared_name(
    before: tuple[str, dict[str, Any]], then: tuple[str, dict[str, Any]]
) -> None:
    """A book sent elsewhere says nothing about a reader, though both records have a `line1`."""
    source, said, true = _asked([before, then])
    assert source != UNKNOWN
    assert json.loads(said) == json.loads(true)


def test_a_key_that_a_call_asks_for_stays_a_name() -> None:
    """Rooms are arguments of one tool and values of another: what is done to one may change what shows it."""

    def plan(taken: list[str]) -> str:
        return json.dumps({"hall": "open", **{r: r in taken for r in ("room1", "room2")}})

    found = [
        episode(
            number,
            [
                ("plan", {"floor": "F-1"}, plan([])),
                ("close", {"room1": True, "note": "paint"}, json.dumps({"done": "room1"})),
                ("plan", {"floor": "F-1"}, plan(["room1"])),
            ],
        )
        for number in range(4)
    ]
    assert not learn_world(found, WorldSettings(risk=0)).document.fields


def _fields(shown: Callable[[int], dict[str, Any]], asked: str = "F-9") -> list[str]:
    """The keys that count as fields where twelve shops were shown, and one call asked for something."""
    calls = [("shop", {"shop": f"S-{at}"}, json.dumps({"at": shown(at)})) for at in range(12)]
    found = [episode(at, [call, ("ask", {"what": asked}, "yes")]) for at, call in enumerate(calls)]
    return sorted(learn_world(found, WorldSettings(risk=0)).document.fields)


def test_a_key_of_every_record_is_a_field_though_no_call_takes_it() -> None:
    """Every shop has a `tel2` beside its town and street: nothing is called so."""
    assert _fields(lambda at: {"town": "Ghent", "street": f"{at} Lane", "tel2": str(at)}) == [
        "tel2"
    ]


@pytest.mark.parametrize(
    ("shown", "asked"),
    [
        (lambda at: {"town": "Ghent", "owner": "Ann", f"tel{at}": "no"}, "F-9"),
        (lambda at: {"desk1": "free", "desk2": f"{at}"}, "F-9"),
        (lambda at: {"town": "Ghent", "owner": "Ann", "desk2": f"{at}"}, "desk2"),
    ],
    ids=["other keys in other records", "nothing but such keys", "asked for by a call"],
)
def test_a_key_that_may_name_something_is_no_field(
    shown: Callable[[int], dict[str, Any]], asked: str
) -> None:
    """A map by id has other keys in every record, or no other keys than ids, or is asked for by them."""
    assert _fields(shown, asked) == []


def test_an_envelope_of_equal_fields_is_no_record() -> None:
    """Results that agree in nothing but what all have are not rows of one table."""
    calls: Calls = [("move_house", MOVED), ("get_reader", {"reader": READERS[4]})]
    source, said, true = _asked(calls, envelope=True)
    assert source == UNKNOWN or json.loads(said) == json.loads(true)

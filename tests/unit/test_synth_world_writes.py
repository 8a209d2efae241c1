"""Rules of writes on an invented ferry office: totals in messages, allowances, refusals that recur, kinds, junk conditions."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from typing import Any

from environments.fidelity import judge
from environments.runtime.task.attempt import UNKNOWN, Json
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

BOATS = [f"FY{100 + i}" for i in range(12)]
DAYS = ["07-01", "07-02", "07-03"]
FULL = {("FY101", "07-02"), ("FY105", "07-01")}


def _sailing(boat: str, day: str) -> dict[str, Any]:
    number = int(boat[2:])
    fares = {"deck": 10 + number % 7 + int(day[-1]), "cabin": 60 + number % 5 + 2 * int(day[-1])}
    return {
        "boat": boat,
        "leaves": f"{6 + number % 12:02d}:15",
        "pier": f"P{number % 9}",
        "fares": fares,
    }


class FerryOffice:
    """The real thing: sailings, trips with a crate allowance, and a wallet per traveller."""

    def __init__(self) -> None:
        self.trips: dict[str, dict[str, Any]] = {
            f"TR-{500 + i}": {
                "trip": f"TR-{500 + i}",
                "who": f"tv_{20 + i % 9}",
                "people": 1 + i % 3,
                "legs": [{"boat": BOATS[i % 12], "day": DAYS[i % 3], "fare": 12 + i}],
                "crates": i % 2,
                "paid": [{"with": "cash_1", "sum": 40 + i}],
            }
            for i in range(30)
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        return str(getattr(self, name)(**arguments))

    def sailings(self, day: str, pier: str) -> str:
        """The boats of a pier on a day, those that are full left out."""
        found = [_sailing(b, day) for b in BOATS if (b, day) not in FULL]
        return json.dumps([f for f in found if f["pier"] == pier])

    def trip(self, trip: str) -> str:
        """One trip."""
        return json.dumps(self.trips[trip])

    def rebook(self, trip: str, place: str, legs: list[dict[str, str]], paid_with: str) -> str:
        """Other legs; the difference for all people is paid or given back."""
        found = self.trips[trip]
        if paid_with.startswith("voucher_"):
            return "Error: a voucher pays for no rebooking"
        new = []
        for leg in legs:
            if (leg["boat"], leg["day"]) in FULL:
                return f"Error: boat {leg['boat']} is full on {leg['day']}"
            fare = _sailing(leg["boat"], leg["day"])["fares"][place]
            new.append({"boat": leg["boat"], "day": leg["day"], "fare": fare})
        due = (sum(n["fare"] for n in new) - sum(o["fare"] for o in found["legs"])) * found[
            "people"
        ]
        found["legs"] = new
        if due:
            found["paid"].append({"with": paid_with, "sum": due})
        return json.dumps(found)

    def load(self, trip: str, crates: int, paid_with: str) -> str:
        """More crates cost 35 each; fewer give nothing back."""
        found = self.trips[trip]
        due = 35 * max(0, crates - found["crates"])
        found["crates"] = crates
        if due:
            found["paid"].append({"with": paid_with, "sum": due})
        return json.dumps(found)

    def settle(self, trip: str, fee: int, parts: list[dict[str, int]]) -> str:
        """Parts must add up to the fares of all people and the fee."""
        found = self.trips[trip]
        total = sum(leg["fare"] for leg in found["legs"]) * found["people"] + 5 * fee
        given = sum(part["coins"] for part in parts)
        if total != given:
            return f"Error: {total} coins are due, but {given} were given"
        found["settled"] = True
        return json.dumps(found)


def _calls(rng: random.Random, office: FerryOffice) -> list[tuple[str, dict[str, Any], str]]:
    out: list[tuple[str, dict[str, Any], str]] = []

    def do(name: str, **arguments: Any) -> None:  # noqa: ANN401 - arguments of any tool
        out.append((name, arguments, office.call(name, json.loads(json.dumps(arguments)))))

    key = rng.choice(sorted(office.trips))
    if rng.random() < 0.3:
        do("trip", trip=rng.choice(sorted(office.trips)))
    if rng.random() < 0.5:
        do("trip", trip=key)
    for pier in rng.sample([f"P{n}" for n in range(9)], rng.choice([0, 3, 6])):
        do("sailings", day=rng.choice(DAYS), pier=pier)
    do("trip", trip=key)
    deed = rng.choice(["rebook", "load", "settle"])
    if deed == "rebook":
        legs = [
            {"boat": rng.choice(BOATS), "day": rng.choice(DAYS)} for _ in range(rng.choice([1, 2]))
        ]
        card = rng.choice(["cash_1", "card_22", "card_31", "voucher_7"])
        do("rebook", trip=key, place=rng.choice(["deck", "cabin"]), legs=legs, paid_with=card)
    elif deed == "load":
        do("load", trip=key, crates=rng.choice([0, 0, 1, 2, 3]), paid_with="cash_1")
    else:
        found = office.trips[key]
        fee = rng.choice([0, 1, 2])
        total = sum(leg["fare"] for leg in found["legs"]) * found["people"] + 5 * fee
        first = rng.randint(1, 9)
        miss = rng.choice([0, 0, 3, 7])
        do("settle", trip=key, fee=fee, parts=[{"coins": first}, {"coins": total - first - miss}])
    do("trip", trip=key)
    for pier in rng.sample([f"P{n}" for n in range(9)], rng.choice([0, 0, 2])):
        do("sailings", day=rng.choice(DAYS), pier=pier)
    return out


def _episodes(count: int) -> list[CleanEpisode]:
    rng = random.Random(7)  # noqa: S311 - dice for tests
    return [episode(n, list(_calls(rng, FerryOffice()))) for n in range(count)]


@cache
def _world() -> World:
    document = learn_world(_episodes(90), WorldSettings(risk=0)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


def test_calls_that_no_episode_made_are_hardly_ever_wrong() -> None:
    """On fresh random conversations nothing is wrong and every writer is answered for some."""
    rng = random.Random(99)  # noqa: S311 - dice for tests
    verdicts: Counter[tuple[str, str]] = Counter()
    for _ in range(80):
        session = _world().session()
        for name, arguments, truth in _calls(rng, FerryOffice()):
            verdicts[name, judge(session.call(name, json.dumps(arguments)), truth)] += 1
    assert not any(verdict == "wrong" for _, verdict in verdicts), verdicts
    for name in ("rebook", "load", "settle"):
        assert verdicts[name, "exact"] >= 4, verdicts


def test_numbers_in_a_message_say_what_has_to_be_equal() -> None:
    """Fares of all people and a fee: the refusal names both totals for amounts that nobody recorded."""
    answer = (
        _world()
        .session()
        .call("settle", {"trip": "TR-504", "fee": 2, "parts": [{"coins": 1}, {"coins": 1}]})
    )
    assert answer.content == "Error: 42 coins are due, but 2 were given"


def test_an_allowance_is_charged_only_above_what_was_there() -> None:
    """Three crates more cost three pieces; fewer crates cost nothing, or nobody knows."""
    session = _world().session()
    paid = json.loads(
        session.call("load", {"trip": "TR-502", "crates": 3, "paid_with": "cash_1"}).content
    )
    assert paid["paid"][-1] == {"with": "cash_1", "sum": 105}
    fewer = session.call("load", {"trip": "TR-503", "crates": 0, "paid_with": "cash_1"})
    assert fewer.source == UNKNOWN or json.loads(fewer.content)["paid"] == [
        {"with": "cash_1", "sum": 43}
    ]


def test_what_was_refused_by_name_is_refused_again() -> None:
    """A full boat that no search ever showed is refused in the recorded words; one never asked for is unknown."""
    session = _world().session()
    legs: list[Json] = [{"boat": "FY101", "day": "07-02"}]
    told = session.call(
        "rebook", {"trip": "TR-500", "place": "deck", "legs": legs, "paid_with": "card_22"}
    )
    assert told.content == "Error: boat FY101 is full on 07-02"
    assert told.is_error
    legs = [{"boat": "FY999", "day": "07-02"}]
    other = session.call(
        "rebook", {"trip": "TR-501", "place": "deck", "legs": legs, "paid_with": "card_22"}
    )
    assert other.source == UNKNOWN


def test_a_kind_that_is_refused_is_told_apart() -> None:
    """A voucher is refused whatever its number."""
    legs: list[Json] = [{"boat": "FY103", "day": "07-01"}]
    told = (
        _world()
        .session()
        .call(
            "rebook", {"trip": "TR-500", "place": "deck", "legs": legs, "paid_with": "voucher_88"}
        )
    )
    assert told.content == "Error: a voucher pays for no rebooking"

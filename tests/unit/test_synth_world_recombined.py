"""Calls put together out of what was recorded apart: other people's means, parts of other things, two faults at once."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from environments.fidelity import judge
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

BUYERS = [f"by_{n}3" for n in range(10)]
SORTS = [f"SO-{n}" for n in range(30, 38)]
BASKETS = [f"BA-{n}" for n in range(500, 540)]
STATES = ["open", "sent", "gone"]
Call = tuple[str, dict[str, Any]]


class Nursery:
    """Plants in baskets that buyers swap for others of the same sort, send back, or have carried by a few people."""

    def __init__(self) -> None:
        self.buyers: dict[str, dict[str, Any]] = {
            who: {
                "buyer": who,
                "means": {f"{m}_{n}9": {"id": f"{m}_{n}9"} for m in ("card", "jar")},
            }
            for n, who in enumerate(BUYERS, start=20)
        }
        self.sorts: dict[str, dict[str, Any]] = {
            sort: {
                "sort": sort,
                "kinds": {
                    f"pl{n}{k}": {"plant": f"pl{n}{k}", "coins": 9 + 2 * n + 5 * k, "here": k != 3}
                    for k in range(6)
                },
            }
            for n, sort in enumerate(SORTS, start=60)
        }
        self.baskets = {key: self._filled(n, key) for n, key in enumerate(BASKETS)}

    def _filled(self, n: int, key: str) -> dict[str, Any]:
        plants = [
            {"sort": s, "plant": p, "coins": self.sorts[s]["kinds"][p]["coins"]}
            for s, p in ((SORTS[(n + i) % 8], f"pl{60 + (n + i) % 8}{n % 3}") for i in range(3))
        ]
        crew = [{"name": f"c{n}{i}"} for i in range(1 + n % 3)]
        who = BUYERS[n % len(BUYERS)]
        state = STATES[n % 5 % 3]
        return {"basket": key, "buyer": who, "state": state, "plants": plants, "crew": crew}

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        return str(getattr(self, name)(**json.loads(json.dumps(arguments))))

    def buyer(self, buyer: str) -> str:
        """A buyer with all means of payment."""
        return json.dumps(self.buyers[buyer])

    def basket(self, basket: str) -> str:
        """A basket."""
        return json.dumps(self.baskets[basket])

    def sort(self, sort: str) -> str:
        """A sort with its kinds."""
        return json.dumps(self.sorts[sort])

    def swap(self, basket: str, plants: list[str], others: list[str], means: str) -> str:
        """Plants for others of their sorts."""
        found = self.baskets[basket]
        if found["state"] != "open":
            return "Error: only an open basket can be changed"
        inside = {p["plant"]: p for p in found["plants"]}
        for plant, other in zip(plants, others, strict=True):
            if plant not in inside:
                return f"Error: {plant} is not in the basket"
            kind = self.sorts[inside[plant]["sort"]]["kinds"].get(other)
            if kind is None or not kind["here"]:
                return f"Error: {other} is not to be had"
        if means not in self.buyers[found["buyer"]]["means"]:
            return "Error: no such means of payment"
        for plant, other in zip(plants, others, strict=True):
            kind = self.sorts[inside[plant]["sort"]]["kinds"][other]
            inside[plant].update(plant=other, coins=kind["coins"])
        found["state"] = "changed"
        return json.dumps(found)

    def send_back(self, basket: str, why: str, means: str) -> str:
        """A sent basket, for one of two reasons."""
        found = self.baskets[basket]
        if found["state"] != "sent":
            return "Error: only a sent basket comes back"
        if why not in {"wilted", "late"}:
            return "Error: that is no reason"
        if means not in self.buyers[found["buyer"]]["means"]:
            return "Error: no such means of payment"
        found.update(state="coming back", why=why, back_by=means)
        return json.dumps(found)

    def crew(self, basket: str, people: list[dict[str, str]]) -> str:
        """Other people, as many as before."""
        found = self.baskets[basket]
        if len(people) != len(found["crew"]):
            return "Error: as many people as before"
        found["crew"] = people
        return json.dumps(found)


def legal(rng: random.Random, house: Nursery, key: str) -> Iterator[Call]:
    """What a careful clerk does about a basket: looks, then one change, most often one that is allowed."""
    found = house.baskets[key]
    looks: list[Call] = [("basket", {"basket": key})]
    looks += [("sort", {"sort": p["sort"]}) for p in found["plants"]]
    if rng.random() < 0.6:
        looks.append(("buyer", {"buyer": found["buyer"]}))
    yield from looks
    means = rng.choice(sorted(house.buyers[found["buyer"]]["means"]))
    if rng.random() < 0.06:
        people = [{"name": rng.choice(["Ida", "Bo"]) + str(n)} for n, _ in enumerate(found["crew"])]
        yield "crew", {"basket": key, "people": people}
    elif found["state"] == "open" or rng.random() < 0.15:
        chosen = rng.sample(found["plants"], rng.choice([1, 2]))
        others = [_other(rng, house, p, sold_out=found["state"] == "open") for p in chosen]
        plants = [p["plant"] for p in chosen]
        yield "swap", {"basket": key, "plants": plants, "others": others, "means": means}
    else:
        yield "send_back", {"basket": key, "why": rng.choice(["wilted", "late"]), "means": means}
    yield "basket", {"basket": key}


def _other(rng: random.Random, house: Nursery, plant: dict[str, Any], *, sold_out: bool) -> str:
    kinds = house.sorts[plant["sort"]]["kinds"]
    gone = sold_out and rng.random() < 0.2
    free = [k for k, v in kinds.items() if v["here"] is not gone and k != plant["plant"]]
    names: list[str] = sorted(free)
    return rng.choice(names)


@cache
def _world() -> World:
    rng = random.Random(5)  # noqa: S311 - dice for tests
    episodes: list[CleanEpisode] = []
    for number in range(90):
        house = Nursery()
        calls = list(legal(rng, house, rng.choice(BASKETS)))
        episodes.append(episode(number, [(n, a, house.call(n, a)) for n, a in calls]))
    document = learn_world(episodes, WorldSettings(risk=0)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


def _mixed(rng: random.Random, house: Nursery) -> Call:
    """A call out of values that exist, whoever's they are."""
    key = rng.choice(BASKETS)
    found = house.baskets[key]
    theirs = found["buyer"] if rng.random() < 0.6 else rng.choice(BUYERS)
    means = rng.choice(sorted(house.buyers[theirs]["means"]))
    name = rng.choice(["swap", "swap", "send_back", "crew", "basket", "buyer", "sort"])
    if name == "crew":
        people = [{"name": f"Ida{n}"} for n in range(rng.choice([1, 2, 3]))]
        return name, {"basket": key, "people": people}
    if name == "send_back":
        why = rng.choice(["wilted", "late", "late", "no longer loved"])
        return name, {"basket": key, "why": why, "means": means}
    if name == "swap":
        source = found if rng.random() < 0.8 else house.baskets[rng.choice(BASKETS)]
        chosen = rng.sample(source["plants"], rng.choice([1, 2]))
        others = [
            _other(
                rng, house, p if rng.random() < 0.7 else rng.choice(found["plants"]), sold_out=True
            )
            for p in chosen
        ]
        plants = [p["plant"] for p in chosen]
        return name, {"basket": key, "plants": plants, "others": others, "means": means}
    values = {"basket": key, "buyer": rng.choice(BUYERS), "sort": rng.choice(SORTS)}
    return name, {name: values[name]}


def test_calls_recombined_from_what_was_recorded_are_not_wrong() -> None:
    """Of many short random sequences nothing is told that the backend does not say, and every change is told for some."""
    rng = random.Random(77)  # noqa: S311 - dice for tests
    verdicts: Counter[tuple[str, str]] = Counter()
    for _ in range(250):
        house, session = Nursery(), _world().session()
        for _ in range(rng.choice([1, 2, 4])):
            name, arguments = _mixed(rng, house)
            truth = house.call(name, arguments)
            verdicts[name, judge(session.call(name, json.dumps(arguments)), truth)] += 1
    assert not any(verdict == "wrong" for _, verdict in verdicts), verdicts
    for name in ("swap", "send_back", "crew", "basket"):
        assert verdicts[name, "exact"] >= 5, verdicts


def _first(state: str, size: int = 0) -> dict[str, Any]:
    """The first basket in a state, with a crew of a size."""
    baskets = Nursery().baskets.values()
    return next(b for b in baskets if b["state"] == state and size in {0, len(b["crew"])})


def _means(who: str) -> str:
    means: dict[str, Any] = Nursery().buyers[who]["means"]
    return min(means)


def test_somebody_elses_means_is_no_success() -> None:
    """What an argument names was a part of the buyer's record each time: where it is not, nobody knows."""
    found = _first("sent")
    other = next(b for b in BUYERS if b != found["buyer"])
    for means, known in ((_means(found["buyer"]), True), (_means(other), False), ("jar_1", False)):
        arguments = {"basket": found["basket"], "why": "late", "means": means}
        answer = _world().session().call("send_back", json.dumps(arguments))
        assert (answer.source != UNKNOWN) is known, (means, answer.content)


def test_a_reason_that_nobody_gave_is_no_success() -> None:
    """An argument's own kinds withhold success however many other conditions held."""
    found = _first("sent")
    arguments = {"basket": found["basket"], "why": "unloved", "means": _means(found["buyer"])}
    assert _world().session().call("send_back", json.dumps(arguments)).source == UNKNOWN


def test_a_plant_of_another_sort_is_no_success() -> None:
    """Of two lists, element by element, one named a part of what the other named: otherwise nobody knows."""
    found, house = _first("open"), Nursery()
    plant, other = found["plants"][0], found["plants"][1]
    kinds = sorted(house.sorts[other["sort"]]["kinds"])
    arguments = {
        "basket": found["basket"],
        "plants": [plant["plant"]],
        "others": [kinds[4]],
        "means": _means(found["buyer"]),
    }
    assert _world().session().call("swap", json.dumps(arguments)).source == UNKNOWN


def test_lists_of_one_length_in_the_few_successes_stay_so() -> None:
    """Few changes of a crew were recorded, all by as many people: for more or fewer nobody knows."""
    found = _first("open", 2)
    for count in (1, 3):
        people = [{"name": f"Ida{n}"} for n in range(count)]
        arguments = {"basket": found["basket"], "people": people}
        answer = _world().session().call("crew", json.dumps(arguments))
        assert answer.source == UNKNOWN, answer.content

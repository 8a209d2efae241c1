"""Parts that stay in a record, limits that lengths set, and means that hold too little: told inside what was seen."""

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

GUESTS = [f"gu_{n}7" for n in range(10, 18)]
TOURS = [f"TO-{n}" for n in range(300, 340)]
STAGES = [f"ST{n}" for n in range(40, 56)]
BY_JAR = {0: (TOURS[2], 2), 1: (TOURS[1], 1), 2: (TOURS[5], 2)}
"""Episodes in which a jar paid: an empty one, which was refused, and twice one that held enough."""
Call = tuple[str, dict[str, Any]]


class Coach:
    """Tours of several stages whose coins rise after booking: a stage that stays in its class keeps its old coins."""

    def __init__(self) -> None:
        self.guests: dict[str, dict[str, Any]] = {
            guest: {
                "guest": guest,
                "means": {
                    f"card_{n}4": {"id": f"card_{n}4", "kind": "card"},
                    f"jar_{n}5": {"id": f"jar_{n}5", "kind": "jar", "coins": 15 * (n % 4)},
                },
            }
            for n, guest in enumerate(GUESTS, start=30)
        }
        self.stages: dict[str, dict[str, Any]] = {
            stage: {
                "stage": stage,
                "coins": {"deck": 20 + n, "cabin": 50 + 2 * n},
                "places": {"deck": 1 + n % 4, "cabin": 2 + n % 3},
            }
            for n, stage in enumerate(STAGES)
        }
        self.tours: dict[str, dict[str, Any]] = {
            key: self._booked(n, key) for n, key in enumerate(TOURS)
        }

    def _booked(self, n: int, key: str) -> dict[str, Any]:
        size = ("deck", "cabin")[n % 2]
        stages = [STAGES[(n * 3 + i) % len(STAGES)] for i in range(2)]
        return {
            "tour": key,
            "guest": GUESTS[n % len(GUESTS)],
            "size": size,
            "stages": [{"stage": s, "coins": self.stages[s]["coins"][size] - 7} for s in stages],
            "people": [{"name": f"p{n}{i}"} for i in range(1 + n % 3)],
            "bags": 0,
            "state": "booked",
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        return str(getattr(self, name)(**json.loads(json.dumps(arguments))))

    def guest(self, guest: str) -> str:
        """A guest with all means of payment."""
        return json.dumps(self.guests[guest])

    def tour(self, tour: str) -> str:
        """A tour."""
        return json.dumps(self.tours[tour])

    def stage(self, stage: str) -> str:
        """What a stage costs, and how many places it has."""
        return json.dumps(self.stages[stage])

    def rebook(self, tour: str, size: str, stages: list[dict[str, str]]) -> str:
        """Other stages, or another class; what stays as it was keeps its coins."""
        found = self.tours[tour]
        kept = {s["stage"]: s for s in found["stages"]} if size == found["size"] else {}
        out: list[dict[str, Any]] = []
        for given in stages:
            row = self.stages[given["stage"]]
            if given["stage"] in kept:
                out.append(kept[given["stage"]])
                continue
            if row["places"][size] < len(found["people"]):
                return f"Error: not enough places on {given['stage']}"
            out.append({"stage": given["stage"], "coins": row["coins"][size]})
        found["stages"] = out
        return json.dumps(found)

    def load(self, tour: str, bags: int, means: str) -> str:
        """More bags, each of them paid for."""
        found = self.tours[tour]
        source = self.guests[found["guest"]]["means"].get(means)
        if source is None:
            return "Error: no such means"
        if source["kind"] == "jar" and source["coins"] < 20 * (bags - found["bags"]):
            return "Error: the jar does not hold enough"
        found["bags"] = bags
        return json.dumps(found)


def _legal(rng: random.Random, house: Coach, key: str, number: int) -> Iterator[Call]:
    """A careful clerk's calls: another class, or other stages altogether; bags paid by card but for one jar."""
    found = house.tours[key]
    yield "tour", {"tour": key}
    size = ("cabin", "deck")[found["size"] == "cabin"]
    if number in BY_JAR:
        bags = BY_JAR[number][1]
        yield "load", {"tour": key, "bags": bags, "means": _means(house, key, "jar")}
    elif number < 40:
        yield "load", {"tour": key, "bags": number // 3, "means": _means(house, key, "card")}
    elif rng.random() < 0.5:
        kept = [{"stage": s["stage"]} for s in found["stages"]]
        yield from (("stage", dict(s)) for s in kept)
        yield "rebook", {"tour": key, "size": size, "stages": kept}
    else:
        inside = {s["stage"] for s in found["stages"]}
        others = rng.sample([s for s in STAGES if s not in inside], rng.choice([1, 2]))
        yield from (("stage", {"stage": s}) for s in others)
        stages = [{"stage": s} for s in others]
        yield "rebook", {"tour": key, "size": rng.choice(["deck", "cabin"]), "stages": stages}
    yield "tour", {"tour": key}


def _means(house: Coach, key: str, kind: str) -> str:
    means = house.guests[house.tours[key]["guest"]]["means"]
    return next(str(m) for m in means if m.startswith(kind))


@cache
def _world() -> World:
    rng = random.Random(3)  # noqa: S311 - dice for tests
    episodes: list[CleanEpisode] = []
    for number in range(100):
        house = Coach()
        key = BY_JAR[number][0] if number in BY_JAR else rng.choice(TOURS)
        if number not in BY_JAR and number < 40:
            key = TOURS[number % 3]
        calls = list(_legal(rng, house, key, number))
        episodes.append(episode(number, [(n, a, house.call(n, a)) for n, a in calls]))
    document = learn_world(episodes, WorldSettings(risk=0)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


def _ask(name: str, arguments: dict[str, Any]) -> tuple[str, str]:
    """What the world judges to, and where its answer came from."""
    answer = _world().session().call(name, json.dumps(arguments))
    return judge(answer, Coach().call(name, arguments)), answer.source


def test_a_part_that_stays_as_it_was_is_not_looked_up_anew() -> None:
    """Stages were looked up again only with another class: one that stays in its class may keep what it said."""
    told: Counter[str] = Counter()
    for key, tour in Coach().tours.items():
        stages = [{"stage": s["stage"]} for s in tour["stages"]]
        for size in ("deck", "cabin"):
            verdict, _ = _ask("rebook", {"tour": key, "size": size, "stages": stages})
            told[verdict if size != tour["size"] else f"{verdict}, same class"] += 1
    assert told["unknown, same class"] == len(TOURS), told
    assert not told["wrong"], told
    assert told["exact"] >= len(TOURS) // 3, told


def test_places_are_counted_for_all_people_of_the_record() -> None:
    """A refusal for want of places hangs on how many people the record has."""
    told: Counter[str] = Counter()
    for key, tour in Coach().tours.items():
        inside = {s["stage"] for s in tour["stages"]}
        for stage in STAGES:
            if stage in inside:
                continue
            truth = Coach().call("rebook", given := _to(key, stage))
            verdict, _ = _ask("rebook", given)
            told[f"{verdict}, {'refused' if truth.startswith('Error') else 'done'}"] += 1
    assert not told["wrong, done"] + told["wrong, refused"], told
    assert told["exact, done"] >= 50, told
    assert told["exact, refused"] >= 50, told


def _to(key: str, stage: str) -> dict[str, Any]:
    return {"tour": key, "size": "deck", "stages": [{"stage": stage}]}


def test_one_refused_jar_withholds_every_jar_that_is_charged() -> None:
    """Of one refusal whose reason nobody looked at, the kind of means is withheld, not the one name."""
    for key in TOURS[:12]:
        for bags in (1, 2, 3):
            means = _means(Coach(), key, "jar")
            verdict, source = _ask("load", {"tour": key, "bags": bags, "means": means})
            assert source == UNKNOWN or verdict == "exact", (key, bags, means)
    means = _means(Coach(), TOURS[0], "card")
    assert _ask("load", {"tour": TOURS[0], "bags": 2, "means": means})[0] == "exact"


HIDDEN = STAGES[4]
"""A stage that nobody looks at, and that only ever stays in its class."""


def _keeping(house: Coach, key: str, other: str) -> list[Call]:
    """The hidden stage is kept, another one is taken beside it."""
    stages = [{"stage": HIDDEN}, {"stage": other}]
    size = house.tours[key]["size"]
    looks: list[Call] = [("tour", {"tour": key}), ("stage", {"stage": other})]
    return [*looks, ("rebook", {"tour": key, "size": size, "stages": stages}), looks[0]]


@cache
def _unseen() -> World:
    rng, house = random.Random(4), Coach()  # noqa: S311 - dice for tests
    with_it = [k for k, t in house.tours.items() if any(s["stage"] == HIDDEN for s in t["stages"])]
    calls = [_keeping(house, key, other) for key in with_it for other in STAGES[8:12]]
    others = [k for k in TOURS if k not in with_it]
    for number in range(40, 100):
        made = list(_legal(rng, house, rng.choice(others), number))
        calls.append([c for c in made if HIDDEN not in json.dumps(c[1])])
    episodes = []
    for number, wanted in enumerate(calls):
        house = Coach()
        episodes.append(episode(number, [(n, a, house.call(n, a)) for n, a in wanted]))
    document = learn_world(episodes, WorldSettings(risk=0)).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


def test_what_a_kept_part_said_is_not_what_a_look_up_says() -> None:
    """An answer that shows a part as the record had it before tells nothing of what others would pay for it."""
    told: Counter[str] = Counter()
    for key, tour in Coach().tours.items():
        if any(s["stage"] == HIDDEN for s in tour["stages"]):
            continue
        given = {"tour": key, "size": tour["size"], "stages": [{"stage": HIDDEN}]}
        answer = _unseen().session().call("rebook", json.dumps(given))
        told[judge(answer, Coach().call("rebook", given))] += 1
    assert set(told) == {"unknown"}, told

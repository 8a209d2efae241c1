"""Records that nobody read, known in part by what answers told: an invented railway with searches and bookings."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

from environments.fidelity import judge
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import WITHHELD, CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

TRAINS = [f"RT{300 + 7 * i}" for i in range(16)]
DAYS = ["05-01", "05-02"]
HIDDEN = TRAINS[12:]
"""Trains that no search ever showed."""


def _run(train: str, day: str) -> dict[str, Any]:
    number = int(train[2:]) + 5 * int(day[-1])
    return {
        "train": train,
        "halt": f"H{int(train[2:]) % 5}",
        "fares": {"plain": 20 + number % 17, "sleeper": 70 + number % 23},
        "free": {"plain": 2 + number % 5, "sleeper": 1 + number % 4},
    }


class Railway:
    """The real thing: runs, and tickets with a fare for each of them."""

    def __init__(self) -> None:
        self.tickets = 0

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        return str(getattr(self, name)(**arguments))

    def search_runs(self, day: str, halt: str) -> str:
        """The runs of a halt on a day, the hidden ones left out."""
        found = [_run(t, day) for t in TRAINS if t not in HIDDEN]
        return json.dumps([f for f in found if f["halt"] == halt])

    def book(self, runs: list[dict[str, str]], place: str, people: list[str], paid: int) -> str:
        """A ticket; refused where places or money are short."""
        total = 0
        shown = []
        for run in runs:
            found = _run(run["train"], run["day"])
            if found["free"][place] < len(people):
                return f"Error: no place on {run['train']}"
            total += found["fares"][place] * len(people)
            shown.append({**run, "fare": found["fares"][place], "halt": found["halt"]})
        if total != paid:
            return f"Error: the total is {total}, but {paid} was paid"
        self.tickets += 1
        return json.dumps(
            {
                "ticket": f"TK-{5000 + self.tickets}",
                "place": place,
                "runs": shown,
                "people": people,
                "paid": paid,
            }
        )


def _booking(train: str, day: str, place: str, people: int, wrong: int = 0) -> dict[str, Any]:
    fare = _run(train, day)["fares"][place]
    names = [f"pn_{fare + 9 * i + people + int(train[2:])}" for i in range(people)]
    return {
        "runs": [{"train": train, "day": day}],
        "place": place,
        "people": names,
        "paid": fare * people + wrong,
    }


def _episodes() -> list[CleanEpisode]:
    episodes = []
    for number in range(64):
        real = Railway()
        train, day = TRAINS[number % 16], DAYS[number // 16 % 2]
        place = "plain" if number % 3 else "sleeper"
        free = _run(train, day)["free"][place]
        halt = f"H{int(train[2:]) % 5}"
        wrong = 3 + number % 7 if number % 4 == 1 else 0
        people = free + 1 if number % 8 == 2 else min(2, free)
        made: list[tuple[str, dict[str, Any]]] = [
            ("search_runs", {"day": day, "halt": halt}),
            ("search_runs", {"day": day, "halt": halt}),
            ("book", _booking(train, day, place, people, wrong)),
            ("book", _booking(train, day, place, min(1 + number % 2, free))),
        ]
        calls: list[tuple[str, dict[str, Any] | str, str]] = [
            (name, arguments, real.call(name, arguments)) for name, arguments in made
        ]
        episodes.append(episode(number, calls))
    return episodes


@cache
def _world() -> World:
    learnt = learn_world(_episodes(), WorldSettings(risk=0))
    return World.from_json(learnt.document.to_json())


def _asked(arguments: dict[str, Any]) -> tuple[str, str]:
    result = _world().session().call("book", json.dumps(arguments))
    return judge(result, Railway().call("book", arguments)), result.source


def _told() -> dict[str, dict[str, Any]]:
    """What the world file says of hidden runs."""
    (rows,) = _world().document.parts.values()
    return {key: {"/".join(f.path): f.value for f in fields} for key, fields in rows.items()}


def test_answers_tell_fields_of_records_that_nobody_read() -> None:
    """The fares of hidden trains stand in the world file with the calls that told them, and are the true ones."""
    told = _told()
    assert told
    for key, fields in told.items():
        day, train = json.loads(key)
        assert train in HIDDEN
        for place in ("plain", "sleeper"):
            if f"fares/{place}" in fields:
                assert fields[f"fares/{place}"] == _run(train, day)["fares"][place]


def test_what_was_not_told_stays_unknown() -> None:
    """Another class of a hidden train, or more travellers than ever found a place, are nobody's knowledge."""
    for key, fields in _told().items():
        day, train = json.loads(key)
        for place in ("plain", "sleeper"):
            people = 1 if f"fares/{place}" not in fields else 9
            assert _asked(_booking(train, day, place, people))[1] == UNKNOWN


def test_what_redaction_withheld_is_told_of_no_record() -> None:
    """The marker that stands where a field of a hidden train was is not that field."""
    episodes = [_without_halts(one) for one in _episodes()]
    told = json.dumps(learn_world(episodes, WorldSettings(risk=0)).document.to_json()["parts"])
    assert "fares" in told
    assert WITHHELD not in told
    assert "halt" not in told


def _without_halts(one: CleanEpisode) -> CleanEpisode:
    """An episode whose tickets lack the halts."""
    steps = []
    for step in one.steps:
        content = step.content or ""
        if content.startswith("{"):
            ticket = json.loads(content)
            runs = [{**run, "halt": WITHHELD} for run in ticket["runs"]]
            content = json.dumps({**ticket, "runs": runs})
        steps.append(replace(step, content=content))
    return replace(one, steps=tuple(steps))

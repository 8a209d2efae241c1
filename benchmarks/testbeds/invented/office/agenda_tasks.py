"""What people ask of the calendar.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`agenda`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from benchmarks.testbeds.invented.backend import Call, Step, Style
from benchmarks.testbeds.invented.office.agenda import CALENDARS, MONDAY, PEOPLE, ROOMS, Agenda


def _script(rng: random.Random) -> list[Step]:
    model = Agenda()
    events = model._events  # noqa: SLF001 - users know these
    number = rng.choice(sorted(events))
    one = events[number]
    day = rng.choice(one.days())[0]
    name = rng.choice(PEOPLE)
    calendar = rng.choice(sorted(CALENDARS))
    any_day = (MONDAY + timedelta(days=rng.randrange(4))).isoformat()
    key = {"event": number}
    room = rng.choice(sorted(ROOMS))
    look: Step = ("event", key)
    that_day: Step = ("day", {"calendar": one.calendar, "date": day})
    fresh: dict[str, Any] = {
        "calendar": calendar,
        "title": rng.choice(["Retro", "Lunch", "Planning part two"]),
        "start": f"{any_day}T{rng.choice(['09:00', '10:15', '13:00'])}",
        "minutes": rng.choice([30, 60]),
    }
    if rng.random() < 0.4:
        fresh |= {"repeat": rng.choice(["daily", "weekly"]), "times": rng.choice([2, 3])}
    put: Step = ("put", fresh)
    new = _later("event")
    goals: list[list[Step]] = [
        [("day", {"calendar": calendar, "date": any_day}), put, new],
        [
            put,
            ("clashes", {"calendar": calendar}),
            ("day", {"calendar": calendar, "date": any_day}),
        ],
        [look, ("shift", {**key, "minutes": rng.choice([30, -15, 60])}), look, that_day],
        [that_day, ("skip", {**key, "date": day}), that_day],
        [that_day, ("once", {**key, "date": day, "at": "11:30"}), that_day, look],
        [
            ("find", {"text": one.title.split()[0]}),
            look,
            ("drop", key),
            that_day,
            ("back", {}),
            look,
        ],
        [look, ("guest", {**key, "name": name}), ("reply", {**key, "name": name, "says": "yes"})],
        [("reply", {**key, "name": name, "says": rng.choice(["yes", "no"])}), look],
        [("person", {"name": name, "date": any_day}), ("guest", {**key, "name": name}), look],
        [("rooms", {"date": day}), ("seat", {**key, "room": room}), ("rooms", {"date": day})],
        [("seat", {**key, "room": room}), look, ("back", {}), look],
        [
            ("members", {"calendar": calendar}),
            ("share", {"calendar": calendar, "name": name, "level": rng.choice(["look", "write"])}),
            ("members", {"calendar": calendar}),
        ],
        [
            ("clashes", {"calendar": calendar}),
            ("shift", {**key, "minutes": 60}),
            ("clashes", {"calendar": calendar}),
        ],
        [
            put,
            _later("guest", name=name),
            _later("reply", name=name, says="maybe"),
            ("person", {"name": name, "date": any_day}),
        ],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


def _created(answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        if answer.startswith('{"status": 201'):
            return answer.split('"id": "')[1].split('"')[0]
    return "ev46"


def _later(tool: str, **more: object) -> Callable[[Sequence[str]], Call]:
    return lambda answers: (tool, {"event": _created(answers), **more})


AGENDA = Style(name="agenda", make=Agenda, script=_script)

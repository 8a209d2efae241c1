"""What people ask of the calendar.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`agenda`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from benchmarks.testbeds.invented.backend import Step, Style
from benchmarks.testbeds.invented.office.agenda import CALENDARS, MONDAY, PEOPLE, ROOMS, Agenda
from benchmarks.testbeds.invented.scripts import Goals

GOALS = Goals("""
    day $calendar date=$any_day; put *fresh; event event=$new
    put *fresh; clashes $calendar; day $calendar date=$any_day
    event $event; shift $event minutes=30|-15|60; event $event; day *that_day
    day *that_day; skip $event $date; day *that_day
    day *that_day; once $event $date at=11:30; day *that_day; event $event
    find $text; event $event; drop $event; day *that_day; back; event $event
    event $event; guest $event $name; reply $event $name says=yes
    reply $event $name says=yes|no; event $event
    person $name date=$any_day; guest $event $name; event $event
    rooms $date; seat $event $room; rooms $date
    seat $event $room; event $event; back; event $event
    members $calendar; share $calendar $name level=look|write; members $calendar
    clashes $calendar; shift $event minutes=60; clashes $calendar
    put *fresh; guest event=$new $name; reply event=$new $name says=maybe;
        person $name date=$any_day
""")


def _script(rng: random.Random) -> list[Step]:
    model = Agenda()
    events = model._events  # noqa: SLF001 - users know these
    number = rng.choice(sorted(events))
    one = events[number]
    date, name = rng.choice(one.days())[0], rng.choice(PEOPLE)
    calendar = rng.choice(sorted(CALENDARS))
    any_day = (MONDAY + timedelta(days=rng.randrange(4))).isoformat()
    room = rng.choice(sorted(ROOMS))
    fresh: dict[str, Any] = {
        "calendar": calendar,
        "title": rng.choice(["Retro", "Lunch", "Planning part two"]),
        "start": f"{any_day}T{rng.choice(['09:00', '10:15', '13:00'])}",
        "minutes": rng.choice([30, 60]),
    }
    if rng.random() < 0.4:
        fresh |= {"repeat": rng.choice(["daily", "weekly"]), "times": rng.choice([2, 3])}
    return GOALS.two(
        rng,
        event=number,
        date=date,
        that_day={"calendar": one.calendar, "date": date},
        text=one.title.split()[0],
        new=_created,
        name=name,
        calendar=calendar,
        any_day=any_day,
        room=room,
        fresh=fresh,
    )


def _created(answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        if answer.startswith('{"status": 201'):
            return answer.split('"id": "')[1].split('"')[0]
    return "ev46"


AGENDA = Style(name="agenda", make=Agenda, script=_script)

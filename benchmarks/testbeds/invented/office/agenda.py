"""A calendar: events that repeat, single days left out or moved, rooms, guests who answer, and conflicts that only warn.

Every answer is one object with a status number, refusals too, and nothing is marked as an error. Names of tools are
short words that do not tell whether they change anything; several writers answer with what a look shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Backend, ToolError, refuse

PEOPLE = ("ines", "marek", "tova", "wei")
ROOMS = {"Aspen": 4, "Birch": 8, "Cedar": 2}
CALENDARS = {"team": "ines", "sales": "marek", "private": "tova"}
MONDAY = date(2026, 5, 4)
STEPS = {"none": 0, "daily": 1, "weekly": 7}


@dataclass(kw_only=True)
class Event:
    """One entry, once or many times."""

    number: str
    calendar: str
    title: str
    start: datetime
    minutes: int
    repeat: str = "none"
    times: int = 1
    skipped: list[str] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    guests: dict[str, str] = field(default_factory=dict)
    room: str | None = None

    def days(self) -> list[tuple[str, datetime]]:
        """Every occurrence: the day it was planned for, and when it takes place."""
        step = timedelta(days=STEPS[self.repeat])
        out = []
        for at in range(self.times):
            planned = self.start + at * step
            day = planned.date().isoformat()
            if day in self.skipped:
                continue
            clock = self.moved.get(day)
            if clock:
                hour, minute = clock.split(":")
                planned = planned.replace(hour=int(hour), minute=int(minute))
            out.append((day, planned))
        return out


class Agenda(Backend):
    """Three calendars, five events, four people, three rooms."""

    def __init__(self) -> None:
        self._events: dict[str, Event] = {}
        self._readers = {name: {owner: "owner"} for name, owner in CALENDARS.items()}
        self._done: list[tuple[str, Event | None]] = []
        self._next = 41
        for calendar, title, day, clock, minutes, repeat, times in (
            ("team", "Standup", 0, "09:00", 15, "daily", 5),
            ("team", "Planning", 1, "10:00", 60, "weekly", 3),
            ("sales", "Pipeline review", 1, "10:30", 45, "weekly", 2),
            ("sales", "Call Northwind", 2, "14:00", 30, "none", 1),
            ("private", "Dentist", 3, "08:30", 45, "none", 1),
        ):
            moment = f"{(MONDAY + timedelta(days=day)).isoformat()}T{clock}"
            self.put(calendar, title, moment, minutes, repeat, times)
        self._events["ev41"].guests = {"marek": "yes", "tova": "maybe"}
        self._events["ev42"].room = "Birch"
        self._done.clear()

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """A refusal is an object like any other."""
        return Answer(content=super().call(name, arguments).content, is_error=False)

    @staticmethod
    def _fault(text: str) -> str:
        code, _, rest = text.partition(" ")
        return f'{{"status": {code}, "detail": "{rest}"}}'

    def _event(self, event: str) -> Event:
        refuse(event not in self._events, f"404 no event {event}")
        return self._events[event]

    def _calendar(self, calendar: str) -> None:
        refuse(calendar not in self._readers, f"404 no calendar {calendar}")

    def _day(self, day: str) -> str:
        try:
            return date.fromisoformat(day).isoformat()
        except ValueError:
            raise ToolError(f"422 {day} is not a date") from None

    def _keep(self, event: str, before: Event | None) -> None:
        self._done.append((event, before))

    def _copy(self, event: Event) -> Event:
        return Event(
            number=event.number,
            calendar=event.calendar,
            title=event.title,
            start=event.start,
            minutes=event.minutes,
            repeat=event.repeat,
            times=event.times,
            skipped=list(event.skipped),
            moved=dict(event.moved),
            guests=dict(event.guests),
            room=event.room,
        )

    def _shown(self, event: Event) -> dict[str, Any]:
        return {
            "id": event.number,
            "calendar": event.calendar,
            "title": event.title,
            "start": event.start.isoformat(timespec="minutes"),
            "minutes": event.minutes,
            "repeat": {"every": event.repeat, "times": event.times},
            "except": sorted(event.skipped),
            "guests": [{"who": who, "says": says} for who, says in sorted(event.guests.items())],
            "room": event.room,
        }

    def _rows(self, day: str, keep: Callable[[Event], bool]) -> list[dict[str, Any]]:
        found = [
            (when, event)
            for event in self._events.values()
            for planned, when in event.days()
            if planned == day and keep(event)
        ]
        return [
            {"id": e.number, "at": w.strftime("%H:%M"), "title": e.title, "room": e.room}
            for w, e in sorted(found, key=lambda pair: (pair[0], pair[1].number))
        ]

    def _clashes(self, event: Event) -> list[str]:
        def busy(one: Event) -> list[tuple[datetime, datetime]]:
            return [(w, w + timedelta(minutes=one.minutes)) for _, w in one.days()]

        return [
            other.number
            for other in self._events.values()
            if other.number != event.number
            and (other.calendar == event.calendar or (event.room and other.room == event.room))
            and any(a < d and c < b for a, b in busy(event) for c, d in busy(other))
        ]

    # looks

    def day(self, calendar: str, date: str) -> dict[str, Any]:
        """What takes place."""
        self._calendar(calendar)
        rows = self._rows(self._day(date), lambda e: e.calendar == calendar)
        return {"status": 200, "events": rows}

    def event(self, event: str) -> dict[str, Any]:
        """All of one."""
        return {"status": 200, "event": self._shown(self._event(event))}

    def find(self, text: str) -> dict[str, Any]:
        """By a word of the title."""
        found = [e.number for e in self._events.values() if text.lower() in e.title.lower()]
        return {"status": 200, "ids": found}

    def person(self, name: str, date: str) -> dict[str, Any]:
        """Where somebody is expected."""
        refuse(name not in PEOPLE, f"404 nobody called {name}")
        rows = self._rows(
            self._day(date),
            lambda e: CALENDARS[e.calendar] == name or e.guests.get(name) in {"yes", "maybe"},
        )
        return {"status": 200, "name": name, "events": rows}

    def rooms(self, date: str) -> dict[str, Any]:
        """Which are taken when."""
        day = self._day(date)
        taken = self._rows(day, lambda e: e.room is not None)
        return {
            "status": 200,
            "rooms": [
                {
                    "room": room,
                    "seats": seats,
                    "taken": [r["at"] for r in taken if r["room"] == room],
                }
                for room, seats in sorted(ROOMS.items())
            ],
        }

    def clashes(self, calendar: str) -> dict[str, Any]:
        """Pairs that overlap."""
        self._calendar(calendar)
        pairs = [
            [e.number, other]
            for e in self._events.values()
            if e.calendar == calendar
            for other in self._clashes(e)
            if e.number < other
        ]
        return {"status": 200, "pairs": pairs}

    def members(self, calendar: str) -> dict[str, Any]:
        """Who may look."""
        self._calendar(calendar)
        return {"status": 200, "members": dict(sorted(self._readers[calendar].items()))}

    # changes

    def put(  # noqa: PLR0913, PLR0917 - as its agents call it
        self,
        calendar: str,
        title: str,
        start: str,
        minutes: int,
        repeat: str = "none",
        times: int = 1,
    ) -> dict[str, Any]:
        """A new one; it may clash."""
        self._calendar(calendar)
        refuse(repeat not in STEPS, f"422 cannot repeat {repeat}")
        refuse(minutes <= 0 or minutes > 480, f"422 {minutes} minutes is no length")
        try:
            moment = datetime.fromisoformat(start)
        except ValueError:
            raise ToolError(f"422 {start} is not a time") from None
        event = Event(
            number=f"ev{self._next}",
            calendar=calendar,
            title=title,
            start=moment,
            minutes=minutes,
            repeat=repeat,
            times=times if repeat != "none" else 1,
        )
        self._next += 1
        self._events[event.number] = event
        self._keep(event.number, None)
        return {"status": 201, "id": event.number, "clashes": self._clashes(event)}

    def shift(self, event: str, minutes: int) -> dict[str, Any]:
        """All of it, later or earlier."""
        found = self._event(event)
        self._keep(event, self._copy(found))
        found.start += timedelta(minutes=minutes)
        found.moved.clear()
        return {
            "status": 200,
            "start": found.start.isoformat(timespec="minutes"),
            "clashes": self._clashes(found),
        }

    def skip(self, event: str, date: str) -> dict[str, Any]:
        """Not on that day."""
        found, day = self._event(event), self._day(date)
        if day not in [planned for planned, _ in found.days()]:
            raise ToolError(f"409 {event} does not take place on {day}")
        self._keep(event, self._copy(found))
        found.skipped.append(day)
        return {"status": 200, "left": len(found.days())}

    def once(self, event: str, date: str, at: str) -> dict[str, Any]:
        """Another hour on one day only; what the day then looks like."""
        found, day = self._event(event), self._day(date)
        if day not in [planned for planned, _ in found.days()]:
            raise ToolError(f"409 {event} does not take place on {day}")
        refuse(len(at) != 5 or at[2] != ":", f"422 {at} is not an hour")
        self._keep(event, self._copy(found))
        found.moved[day] = at
        return self.day(found.calendar, day)

    def drop(self, event: str) -> dict[str, Any]:
        """Altogether."""
        found = self._event(event)
        self._keep(event, self._copy(found))
        del self._events[event]
        return {"status": 200, "title": found.title}

    def guest(self, event: str, name: str) -> dict[str, Any]:
        """Asks somebody; the room has to hold everybody."""
        found = self._event(event)
        refuse(name not in PEOPLE, f"404 nobody called {name}")
        if name in found.guests or CALENDARS[found.calendar] == name:
            raise ToolError(f"409 {name} is on {event} already")
        if found.room and len(found.guests) + 2 > ROOMS[found.room]:
            raise ToolError(f"409 {found.room} is too small")
        self._keep(event, self._copy(found))
        found.guests[name] = "open"
        return {"status": 200, "guests": self._shown(found)["guests"]}

    def reply(self, event: str, name: str, says: str) -> dict[str, Any]:
        """What a guest answers."""
        found = self._event(event)
        refuse(name not in found.guests, f"409 {name} was not asked to {event}")
        refuse(says not in {"yes", "no", "maybe"}, f"422 {says} is no answer")
        self._keep(event, self._copy(found))
        found.guests[name] = says
        return {"status": 200, "event": self._shown(found)}

    def seat(self, event: str, room: str) -> dict[str, Any]:
        """Takes a room that is free and large enough."""
        found = self._event(event)
        refuse(room not in ROOMS, f"404 no room {room}")
        refuse(len(found.guests) + 1 > ROOMS[room], f"409 {room} is too small")
        trial = self._copy(found)
        trial.room = room
        rivals = [n for n in self._clashes(trial) if self._events[n].room == room]
        if rivals:
            raise ToolError(f"409 {room} is taken by {rivals[0]}")
        self._keep(event, self._copy(found))
        found.room = room
        return {"status": 200, "room": room, "seats": ROOMS[room]}

    def share(self, calendar: str, name: str, level: str) -> dict[str, Any]:
        """Lets somebody look or write."""
        self._calendar(calendar)
        refuse(name not in PEOPLE, f"404 nobody called {name}")
        refuse(self._readers[calendar].get(name) == "owner", f"409 {name} owns {calendar}")
        refuse(level not in {"look", "write"}, f"422 {level} is no level")
        self._readers[calendar][name] = level
        return self.members(calendar)

    def back(self) -> dict[str, Any]:
        """Takes the last change of an event away."""
        refuse(not self._done, "409 nothing to take back")
        number, before = self._done.pop()
        if before is None:
            self._events.pop(number, None)
        else:
            self._events[number] = before
        return {"status": 200, "id": number}

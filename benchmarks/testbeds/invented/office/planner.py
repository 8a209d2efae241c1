"""A calendar with conflicts, relative listings and ids made of the title; results are wrapped in an envelope."""

from __future__ import annotations

import json
import random
import zlib
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Step, Style

DAYS = ("mon", "tue", "wed", "thu", "fri")
ROOMS = {"Oak": 4, "Pine": 10, "Fir": 25}


def _id(title: str, day: str) -> str:
    return f"evt_{zlib.crc32(f'{title}{day}'.encode()):08x}"


class Planner(Backend):
    """A week; today is Wednesday."""

    def __init__(self) -> None:
        self._events: dict[str, dict[str, Any]] = {}
        for at, title in enumerate(["Stand-up", "Review", "Lunch with Kim", "Budget", "Dentist"]):
            self._put(title, DAYS[at], 9 + at, 1 + at % 2)

    def _put(self, title: str, day: str, hour: int, length: int) -> dict[str, Any]:
        event: dict[str, Any] = {
            "event_id": _id(title, day),
            "title": title,
            "when": {"day": day, "from": hour, "to": hour + length},
            "attendees": ["me@corp.example"],
            "room": None,
        }
        self._events[event["event_id"]] = event
        return event

    @staticmethod
    def _render(value: object) -> str:
        return json.dumps({"ok": True, "data": value})

    @staticmethod
    def _fault(text: str) -> str:
        return json.dumps({"ok": False, "reason": text})

    def _clash(self, day: str, start: int, end: int, but: str = "") -> str | None:
        for key, event in self._events.items():
            when = event["when"]
            if key != but and when["day"] == day and when["from"] < end and start < when["to"]:
                return str(event["title"])
        return None

    def agenda(self, day: str) -> list[dict[str, Any]]:
        """A day, or `today`, `tomorrow`."""
        day = {"today": "wed", "tomorrow": "thu"}.get(day, day)
        found = [e for e in self._events.values() if e["when"]["day"] == day]
        return [
            {"event_id": e["event_id"], "title": e["title"], "from": e["when"]["from"]}
            for e in found
        ]

    def event(self, event_id: str) -> object:
        """One event."""
        return self._events.get(event_id, "no such event")

    def book(self, title: str, day: str, hour: int, hours: int = 1) -> object:
        """A new event."""
        clash = self._clash(day, hour, hour + hours)
        return {"conflict": clash} if clash else self._put(title, day, hour, hours)

    def move(self, event_id: str, day: str, hour: int) -> object:
        """Another time."""
        if event_id not in self._events:
            return "no such event"
        event = self._events[event_id]
        length = event["when"]["to"] - event["when"]["from"]
        clash = self._clash(day, hour, hour + length, event_id)
        if clash:
            return {"conflict": clash}
        event["when"] = {"day": day, "from": hour, "to": hour + length}
        return event

    def invite(self, event_id: str, email: str) -> object:
        """One more guest."""
        if event_id not in self._events:
            return "no such event"
        self._events[event_id]["attendees"].append(email)
        return len(self._events[event_id]["attendees"])

    def cancel(self, event_id: str) -> object:
        """Gone."""
        return "cancelled" if self._events.pop(event_id, None) else "no such event"

    def assign_room(self, event_id: str, room: str) -> object:
        """A room that is big enough."""
        if event_id not in self._events or room not in ROOMS:
            return "no such event or room"
        if ROOMS[room] < len(self._events[event_id]["attendees"]):
            return "too small"
        self._events[event_id]["room"] = room
        return {"event_id": event_id, "room": room}

    def rooms(self, seats: int = 1) -> list[str]:
        """Rooms with as many seats."""
        return [name for name, size in ROOMS.items() if size >= seats]

    def free_hours(self, day: str) -> list[int]:
        """Hours from 8 to 17 with nothing."""
        return [hour for hour in range(8, 18) if self._clash(day, hour, hour + 1) is None]


def _script(rng: random.Random) -> list[Step]:
    at = rng.randrange(5)
    title = ["Stand-up", "Review", "Lunch with Kim", "Budget", "Dentist"][at]
    event_id = _id(title, DAYS[at])
    day, hour = rng.choice(DAYS), rng.randrange(8, 17)
    new = rng.choice(["Retro", "One-to-one", "Workshop"])
    look: Step = ("event", {"event_id": event_id})
    goals: list[list[Step]] = [
        [("agenda", {"day": DAYS[at]}), look],
        [("agenda", {"day": rng.choice(["today", "tomorrow"])}), ("free_hours", {"day": day})],
        [
            ("book", {"title": new, "day": day, "hour": hour}),
            ("agenda", {"day": day}),
            ("event", {"event_id": _id(new, day)}),
        ],
        [look, ("move", {"event_id": event_id, "day": day, "hour": hour}), look],
        [
            (
                "invite",
                {
                    "event_id": event_id,
                    "email": rng.choice(["kim@corp.example", "lee@corp.example"]),
                },
            ),
            look,
        ],
        [("cancel", {"event_id": event_id}), ("agenda", {"day": DAYS[at]})],
        [
            ("rooms", {"seats": rng.choice([2, 5, 20])}),
            ("assign_room", {"event_id": event_id, "room": rng.choice(sorted(ROOMS))}),
            look,
        ],
    ]
    return rng.choice(goals) + rng.choice(goals)


PLANNER = Style(name="planner", make=Planner, script=_script)

"""Courses with few places: waiting lists that move up by themselves, credits that pay; nested JSON, refusals with codes."""

from __future__ import annotations

import json
import random
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Step, Style, ToolError, refuse

TIMETABLE = {
    "yoga-mon": ("Yoga", "mon", 2),
    "yoga-thu": ("Yoga", "thu", 3),
    "boxing-tue": ("Boxing", "tue", 1),
    "spin-thu": ("Spin", "thu", 2),
}
CREDITS = {"m_ana": 3, "m_bo": 1, "m_cy": 0, "m_dee": 5}


class Studio(Backend):
    """A week of courses and four members."""

    def __init__(self) -> None:
        self._courses: dict[str, dict[str, Any]] = {
            slug: _course(slug, title, day, places)
            for slug, (title, day, places) in TIMETABLE.items()
        }
        self._credits = dict(CREDITS)
        for slug, who in (("boxing-tue", "m_dee"), ("yoga-mon", "m_bo"), ("boxing-tue", "m_ana")):
            self.enroll(slug, who)

    @staticmethod
    def _fault(text: str) -> str:
        code, _, message = text.partition(": ")
        return json.dumps({"error": {"code": code, "message": message}})

    def _find(self, slug: str) -> dict[str, Any]:
        refuse(slug not in self._courses, f"unknown_course: No course {slug!r} this week.")
        return self._courses[slug]

    def _move_up(self, course: dict[str, Any]) -> list[str]:
        moved = []
        while course["waiting"] and len(course["members"]) < course["capacity"]:
            member = course["waiting"].pop(0)
            if self._credits[member]:
                self._credits[member] -= 1
                course["members"].append(member)
                moved.append(member)
        return moved

    def timetable(self, day: str | None = None) -> dict[str, Any]:
        """The courses, those of one day only if asked."""
        found = [c for c in self._courses.values() if day in {None, c["day"]}]
        rows = [
            {"slug": c["slug"], "title": c["title"], "free": c["capacity"] - len(c["members"])}
            for c in found
        ]
        return {"count": len(rows), "courses": rows}

    def course(self, slug: str) -> dict[str, Any]:
        """One course with its places."""
        found = self._find(slug)
        places = {
            "capacity": found["capacity"],
            "taken": len(found["members"]),
            "waiting": len(found["waiting"]),
        }
        return {"course": {"slug": slug, "title": found["title"], "places": places}}

    def participants(self, slug: str) -> list[str]:
        """Who comes."""
        return list(self._find(slug)["members"])

    def enroll(self, slug: str, member: str) -> dict[str, Any]:
        """A place for a credit, else a place on the waiting list."""
        course = self._find(slug)
        refuse(member not in self._credits, f"unknown_member: {member} is not a member.")
        if member in course["members"] or member in course["waiting"]:
            raise ToolError(f"twice: {member} is on the list of {course['title']} already.")
        if len(course["members"]) >= course["capacity"]:
            course["waiting"].append(member)
            return {"result": "waiting", "position": len(course["waiting"])}
        refuse(not self._credits[member], f"no_credit: {member} has 0 credits, 1 needed.")
        self._credits[member] -= 1
        course["members"].append(member)
        return {"result": "booked", "credits_left": self._credits[member]}

    def leave(self, slug: str, member: str) -> dict[str, Any]:
        """The credit comes back; whoever waits moves up."""
        course = self._find(slug)
        if member in course["waiting"]:
            course["waiting"].remove(member)
            return {"result": "left", "refunded": False}
        if member not in course["members"]:
            raise ToolError(f"not_enrolled: {member} is not enrolled in {slug}.")
        course["members"].remove(member)
        self._credits[member] += 1
        self._move_up(course)
        return {"result": "left", "refunded": True}

    def member(self, member: str) -> dict[str, Any]:
        """Credits and courses."""
        refuse(member not in self._credits, f"unknown_member: {member} is not a member.")
        booked = [c["slug"] for c in self._courses.values() if member in c["members"]]
        waiting = [c["slug"] for c in self._courses.values() if member in c["waiting"]]
        return {
            "member": member,
            "credits": self._credits[member],
            "courses": {"booked": booked, "waiting": waiting},
        }

    def buy_credits(self, member: str, count: int) -> int:
        """The number after buying."""
        refuse(member not in self._credits, f"unknown_member: {member} is not a member.")
        self._credits[member] += count
        return self._credits[member]

    def resize(self, slug: str, capacity: int) -> dict[str, Any]:
        """More or fewer places; nobody is thrown out."""
        course = self._find(slug)
        if capacity < len(course["members"]):
            raise ToolError(f"too_small: {len(course['members'])} people are enrolled.")
        course["capacity"] = capacity
        return {"slug": slug, "moved_up": self._move_up(course)}

    def drop_course(self, slug: str) -> None:
        """Gone; credits come back, nobody is told."""
        for member in self._find(slug)["members"]:
            self._credits[member] += 1
        del self._courses[slug]

    def add_course(self, title: str, day: str, capacity: int = 2) -> dict[str, Any]:
        """A new one."""
        slug = f"{title.lower()}-{day}"
        refuse(slug in self._courses, f"exists: {title} is on {day} already.")
        self._courses[slug] = _course(slug, title, day, capacity)
        return {"slug": slug, "free": capacity}


def _course(slug: str, title: str, day: str, capacity: int) -> dict[str, Any]:
    return {
        "slug": slug,
        "title": title,
        "day": day,
        "capacity": capacity,
        "members": [],
        "waiting": [],
    }


def _script(rng: random.Random) -> list[Step]:
    slug, member = rng.choice(sorted(TIMETABLE)), rng.choice(sorted(CREDITS))
    look: Step = ("course", {"slug": slug})
    join: Step = ("enroll", {"slug": slug, "member": member})
    who: Step = ("member", {"member": member})
    goals: list[list[Step]] = [
        [("timetable", rng.choice([{}, {"day": "thu"}, {"day": "mon"}])), look],
        [look, join, look],
        [who, join, who],
        [join, ("participants", {"slug": slug})],
        [
            ("participants", {"slug": "boxing-tue"}),
            ("leave", {"slug": slug, "member": member}),
            who,
        ],
        [
            ("leave", {"slug": "boxing-tue", "member": "m_dee"}),
            ("participants", {"slug": "boxing-tue"}),
            ("member", {"member": "m_ana"}),
        ],
        [who, ("buy_credits", {"member": member, "count": rng.choice([1, 5])}), join],
        [look, ("resize", {"slug": slug, "capacity": rng.choice([1, 2, 4])}), look],
        [("drop_course", {"slug": slug}), ("timetable", {}), who],
        [
            ("add_course", {"title": rng.choice(["Pilates", "Yoga"]), "day": "fri"}),
            ("timetable", rng.choice([{}, {"day": "fri"}])),
        ],
    ]
    return rng.choice(goals) + rng.choice(goals)


STUDIO = Style(name="studio", make=Studio, script=_script)

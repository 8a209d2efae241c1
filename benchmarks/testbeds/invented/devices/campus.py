"""Courses of a university: roles, seats and waiting lists, filters, etags, a bin for sections, undo, a limit on mails.

Answers are YAML as a tool server writes it, refusals too, unmarked. Not here: what people ask of it (`campus_tasks`).
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Sequence
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Backend, ToolError, refuse

COURSES = (
    ("CS101", "Introduction to programming", "CS", 6, "Loops, lists and a little theory"),
    ("CS240", "Databases", "CS", 5, "Queries, transactions and the theory of relations"),
    ("MA110", "Linear algebra", "MATH", 8, "Vectors, matrices and programming with them"),
    ("MA205", "Probability", "MATH", 6, "Dice, queues and inference"),
    ("PH101", "Mechanics", "PHYS", 7, "Motion, energy and vectors"),
    ("HI150", "Europe after 1945", "HIST", 4, "Sources, borders and queues"),
)
SECTIONS = (
    ("CS101-A", "CS101", "t.ito", ("Mon 9", "Wed 9"), 3),
    ("CS101-B", "CS101", "m.abel", ("Tue 14",), 2),
    ("CS240-A", "CS240", "m.abel", ("Mon 9", "Thu 11"), 2),
    ("MA110-A", "MA110", "k.sato", ("Wed 9", "Fri 9"), 3),
    ("MA205-A", "MA205", "k.sato", ("Tue 14",), 1),
    ("PH101-A", "PH101", "l.brandt", ("Thu 11",), 2),
    ("HI150-A", "HI150", "l.brandt", ("Fri 13",), 4),
)
STUDENTS = {
    "S-301": ("Ada Lund", 30),
    "S-302": ("Bo Chen", 12),
    "S-303": ("Carla Diaz", 20),
    "S-304": ("Deniz Kaya", 20),
    "S-305": ("Eli Roth", 24),
    "S-306": ("Fay Ode", 14),
}
"""Name, and how many credits a term may have."""
ROLES = {
    "registrar": "registrar",
    "t.ito": "teacher",
    "m.abel": "teacher",
    "k.sato": "teacher",
    "l.brandt": "teacher",
    "helpdesk": "assistant",
}
TAKEN = {
    "CS101-A": ["S-301", "S-302"],
    "CS101-B": ["S-303", "S-304"],
    "MA205-A": ["S-305"],
    "HI150-A": ["S-302", "S-306"],
}
IN_ECTS = {"ects": 1.0, "us": 2.0, "uk": 0.5}
FILTER = re.compile(r"(?P<field>\w+)\s*(?P<sign>>=|<=|!=|=|>|<|~)\s*(?P<value>\S+)")
SHOWN = ("code", "title", "dept", "credits")
MAILS = 2
PAGE = 3


def _yaml(value: object, depth: int = 0) -> list[str]:
    pad = "  " * depth
    if isinstance(value, dict):
        lines: list[str] = []
        for key, one in value.items():
            if isinstance(one, dict | list) and one:
                lines += [f"{pad}{key}:", *_yaml(one, depth + 1)]
            else:
                lines.append(f"{pad}{key}: {_plain(one)}")
        return lines
    if isinstance(value, list):
        lines = []
        for one in value:
            first, *rest = _yaml(one, depth + 1)
            lines += [f"{pad}- {first.strip()}", *rest]
        return lines
    return [f"{pad}{_plain(value)}"]


def _plain(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "{}" if isinstance(value, dict) else str(value)


class Campus(Backend):
    """Six courses, seven sections, six students."""

    def __init__(self) -> None:
        self._courses: dict[str, dict[str, Any]] = {
            code: {"code": code, "title": title, "dept": dept, "credits": points, "about": about}
            for code, title, dept, points, about in COURSES
        }
        self._sections: dict[str, dict[str, Any]] = {
            number: {
                "section": number,
                "course": course,
                "teacher": teacher,
                "slots": list(slots),
                "seats": seats,
                "in": list(TAKEN.get(number, [])),
                "waiting": [],
                "binned": False,
            }
            for number, course, teacher, slots, seats in SECTIONS
        }
        self._holds: dict[str, list[str]] = {"S-306": ["library"]}
        self._mails: dict[str, list[str]] = {}
        self._before: dict[str, tuple[str, Any, Any]] = {}

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """A refusal is a text like any other."""
        return Answer(content=super().call(name, arguments).content, is_error=False)

    @staticmethod
    def _render(value: object) -> str:
        return "\n".join(_yaml(value))

    @staticmethod
    def _fault(text: str) -> str:
        kind, _, detail = text.partition(": ")
        return f"problem: {kind}\ndetail: {detail}"

    def _course(self, code: str) -> dict[str, Any]:
        refuse(code not in self._courses, f"not-found: there is no course {code}")
        return self._courses[code]

    def _section(self, number: str, *, live: bool = True) -> dict[str, Any]:
        found = self._sections.get(number)
        if found is None or (live and found["binned"]):
            raise ToolError(f"not-found: there is no section {number}")
        return found

    def _student(self, number: str) -> str:
        refuse(number not in STUDENTS, f"not-found: there is no student {number}")
        return number

    def _allow(self, actor: str, section: dict[str, Any] | None = None) -> None:
        role = ROLES.get(actor)
        if role is None:
            raise ToolError(f"unauthenticated: who is {actor}?")
        own = section is not None and section["teacher"] == actor
        refuse(role != "registrar" and not own, f"forbidden: a {role} may not do this")

    def _remember(self, actor: str, what: str) -> None:
        held = copy.deepcopy((self._sections, self._holds))
        self._before[actor] = (what, *held)

    def _etag(self, code: str) -> str:
        text = repr(sorted(self._courses[code].items()))
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def _plan(self, student: str) -> list[dict[str, Any]]:
        return [s for s in self._sections.values() if student in s["in"] and not s["binned"]]

    def _credits(self, student: str) -> int:
        return sum(self._courses[s["course"]]["credits"] for s in self._plan(student))

    def _short(self, section: dict[str, Any]) -> dict[str, Any]:
        return {
            "section": section["section"],
            "teacher": section["teacher"],
            "slots": ", ".join(section["slots"]),
            "seats": section["seats"],
            "free": max(0, section["seats"] - len(section["in"])),
            "waiting": len(section["waiting"]),
        }

    # looks

    def list_courses(
        self, where: str | None = None, sort: str = "code", page: int = 1
    ) -> dict[str, Any]:
        """`credits>=6 and dept=CS`, sorted by a field, `-` turns it round."""
        rows = list(self._courses.values())
        for part in where.split(" and ") if where else ():
            term = FILTER.fullmatch(part.strip())
            if term is None or term["field"] not in SHOWN:
                raise ToolError(f"bad-filter: cannot read '{part}'")
            rows = [row for row in rows if _holds(row[term["field"]], term["sign"], term["value"])]
        by = sort.removeprefix("-")
        refuse(by not in SHOWN, f"bad-sort: {by} is not a field")
        rows.sort(key=lambda row: row[by], reverse=sort.startswith("-"))
        pages = max(1, -(-len(rows) // PAGE))
        refuse(not 1 <= page <= pages, f"bad-page: there are {pages}")
        shown = rows[(page - 1) * PAGE : page * PAGE]
        return {
            "courses": [{key: row[key] for key in SHOWN} for row in shown],
            "page": f"{page} of {pages}",
            "found": len(rows),
        }

    def search(self, words: str) -> object:
        """In titles (twice as good) and descriptions; the best first."""
        scores: list[tuple[int, str]] = []
        for code, one in self._courses.items():
            score = 0
            for word in words.lower().split():
                score += 2 * (word in one["title"].lower()) + (word in (one["about"] or "").lower())
            if score:
                scores.append((-score, code))
        hits = [{"code": c, "title": self._courses[c]["title"]} for _, c in sorted(scores)]
        return {"hits": hits}

    def get_course(self, code: str) -> dict[str, Any]:
        """With its sections and an etag."""
        found = self._course(code)
        inside = [s for s in self._sections.values() if s["course"] == code and not s["binned"]]
        return {**found, "etag": self._etag(code), "sections": [self._short(s) for s in inside]}

    def get_section(self, section: str) -> dict[str, Any]:
        """One, as its course shows it."""
        found = self._section(section)
        return {"course": found["course"], **self._short(found)}

    def roster(self, section: str, actor: str) -> dict[str, Any]:
        """Who sits in it and who waits: for its teacher and the registrar."""
        found = self._section(section)
        self._allow(actor, found)
        return {
            "section": section,
            "in": [f"{one} {STUDENTS[one][0]}" for one in found["in"]],
            "waiting": [f"{n}. {one}" for n, one in enumerate(found["waiting"], 1)],
        }

    def get_student(self, student: str) -> dict[str, Any]:
        """What somebody takes this term."""
        name, limit = STUDENTS[self._student(student)]
        waits = [s["section"] for s in self._sections.values() if student in s["waiting"]]
        return {
            "student": student,
            "name": name,
            "takes": [s["section"] for s in self._plan(student)],
            "waits_for": waits,
            "credits": f"{self._credits(student)} of {limit}",
            "holds": self._holds.get(student, []),
        }

    def convert_credits(self, amount: float, source: str, target: str) -> dict[str, Any]:
        """Between ECTS, American and British credits."""
        for one in (source, target):
            refuse(one not in IN_ECTS, f"bad-unit: {one} is not one of ects, uk, us")
        return {"amount": round(amount * IN_ECTS[source] / IN_ECTS[target], 1), "unit": target}

    # changes

    def _enter(self, section: dict[str, Any], student: str) -> str:
        self._student(student)
        if self._holds.get(student):
            raise ToolError(f"on-hold: {student} has a {self._holds[student][0]} hold")
        if student in section["in"]:
            raise ToolError(f"already-in: {student} is in {section['section']}")
        if student in section["waiting"]:
            raise ToolError(f"already-waiting: {student} waits for {section['section']}")
        for other in self._plan(student):
            clash = sorted(set(other["slots"]) & set(section["slots"]))
            if clash:
                raise ToolError(f"clash: {other['section']} is on {clash[0]} as well")
        limit = STUDENTS[student][1]
        total = self._credits(student) + self._courses[section["course"]]["credits"]
        refuse(total > limit, f"too-many-credits: {total} of {limit}")
        if len(section["in"]) >= section["seats"]:
            section["waiting"].append(student)
            return f"waiting, place {len(section['waiting'])}"
        section["in"].append(student)
        return "enrolled"

    def enrol(self, section: str, student: str) -> dict[str, Any]:
        """A seat, or a place on the waiting list."""
        found = self._section(section)
        return {"section": section, "student": student, "result": self._enter(found, student)}

    def drop(self, section: str, student: str) -> dict[str, Any]:
        """Whoever waited longest moves up."""
        found = self._section(section)
        if student in found["waiting"]:
            found["waiting"].remove(student)
            return {"section": section, "student": student, "result": "no longer waiting"}
        refuse(student not in found["in"], f"not-in: {student} is not in {section}")
        found["in"].remove(student)
        moved = self._move_up(found)
        return {"section": section, "student": student, "result": "dropped", "moved_up": moved}

    @staticmethod
    def _move_up(section: dict[str, Any]) -> list[str]:
        moved: list[str] = []
        while section["waiting"] and len(section["in"]) < section["seats"]:
            moved.append(section["waiting"].pop(0))
            section["in"].append(moved[-1])
        return moved

    def bulk_enrol(self, section: str, students: Sequence[str], actor: str) -> dict[str, Any]:
        """Each one by themselves; who cannot be taken is told why."""
        found = self._section(section)
        self._allow(actor, found)
        self._remember(actor, f"bulk enrolment in {section}")
        results: dict[str, str] = {}
        for one in students:
            try:
                results[one] = self._enter(found, one)
            except ToolError as fault:
                results[one] = str(fault).partition(":")[0]
        return {"results": results, "done": sum(r == "enrolled" for r in results.values())}

    def update_course(self, code: str, changes: dict[str, Any], if_match: str) -> dict[str, Any]:
        """Only by who saw its newest form; null takes the description away."""
        found = self._course(code)
        if if_match != self._etag(code):
            raise ToolError(f"precondition-failed: {code} is {self._etag(code)} by now")
        for key, value in changes.items():
            refuse(key not in {"title", "credits", "about"}, f"read-only: {key}")
            if key == "credits" and (not isinstance(value, int) or not 1 <= value <= 12):
                raise ToolError("out-of-range: credits are 1 to 12")
            if value is None and key != "about":
                raise ToolError(f"required: {key}")
        found.update(changes)
        return {**found, "etag": self._etag(code)}

    def resize(self, section: str, seats: int, actor: str) -> dict[str, Any]:
        """More seats let people move up; never fewer than are taken."""
        found = self._section(section)
        self._allow(actor, found)
        if seats < len(found["in"]):
            raise ToolError(f"seats-taken: {len(found['in'])} sit there")
        self._remember(actor, f"new size of {section}")
        found["seats"] = seats
        moved = self._move_up(found)
        return {**self._short(found), "moved_up": moved}

    def bin_section(self, section: str, actor: str) -> dict[str, Any]:
        """Out of sight, to be restored."""
        found = self._section(section)
        self._allow(actor)
        self._remember(actor, f"binning of {section}")
        found["binned"] = True
        return {"section": section, "binned": True, "affected": len(found["in"])}

    def restore_section(self, section: str, actor: str) -> dict[str, Any]:
        """Back with all who sat there."""
        found = self._section(section, live=False)
        self._allow(actor)
        refuse(not found["binned"], f"not-binned: {section}")
        found["binned"] = False
        return self._short(found)

    def set_hold(self, student: str, kind: str, actor: str, *, lift: bool = False) -> object:
        """What keeps somebody from enrolling."""
        self._student(student)
        self._allow(actor)
        held = self._holds.get(student, [])
        refuse(lift and kind not in held, f"no-such-hold: {kind}")
        self._remember(actor, f"hold of {student}")
        after = [one for one in held if one != kind] + ([] if lift else [kind])
        self._holds[student] = after
        return {"student": student, "holds": after}

    def undo(self, actor: str) -> dict[str, Any]:
        """The last change that somebody made, once."""
        refuse(actor not in self._before, f"nothing-to-undo: {actor} has done nothing")
        what, sections, holds = self._before.pop(actor)
        self._sections, self._holds = sections, holds
        return {"undone": what}

    def mail(self, section: str, text: str, actor: str) -> dict[str, Any]:
        """To all who sit there, twice a day at most."""
        found = self._section(section)
        self._allow(actor, found)
        sent = self._mails.setdefault(section, [])
        refuse(len(sent) >= MAILS, f"rate-limited: {section} had {MAILS} mails, retry in 24h")
        sent.append(text)
        return {"sent_to": len(found["in"]), "left_today": MAILS - len(sent)}


def _holds(value: object, sign: str, asked: str) -> bool:
    if sign == "~":
        return asked.lower() in str(value).lower()
    if sign in {"=", "!="}:
        return (str(value) == asked) is (sign == "=")
    if not isinstance(value, int) or not asked.isdigit():
        raise ToolError(f"bad-filter: '{sign}' needs numbers")
    limit = int(asked)
    over, equal = value > limit, value == limit
    return {">": over, "<": not over and not equal, ">=": over or equal, "<=": not over}[sign]

"""What people ask of the university's office.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`campus`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.testbeds.invented.backend import Call, Step, Style
from benchmarks.testbeds.invented.devices.campus import COURSES, ROLES, SECTIONS, STUDENTS, Campus

WORDS = ("theory", "vectors programming", "Queues", "databases", "europe", "poetry")


def _script(rng: random.Random) -> list[Step]:
    section, course, teacher, _, seats = rng.choice(SECTIONS)
    student, other, third = rng.sample(sorted(STUDENTS), 3)
    actor = rng.choice(["registrar", "registrar", teacher, rng.choice(sorted(ROLES))])
    code = rng.choice(COURSES)[0]
    where = rng.choice(
        ["credits>=6", "dept=CS", "dept=MATH and credits<8", "title~a", "credits!=6"]
    )
    changes: dict[str, Any] = rng.choice(
        [{"credits": rng.choice([3, 5, 9])}, {"title": "Foundations"}, {"about": None}]
    )
    seat: Step = ("get_section", {"section": section})
    person: Step = ("get_student", {"student": student})
    enrol: Step = ("enrol", {"section": section, "student": student})
    drop: Step = ("drop", {"section": section, "student": student})
    roster: Step = ("roster", {"section": section, "actor": actor})
    whole: Step = ("get_course", {"code": course})
    act = {"section": section, "actor": actor}
    both = {"section": section, "students": sorted([student, other]), "actor": actor}
    kind = rng.choice(["fees", "library"])
    hold = {"student": student, "kind": kind, "actor": "registrar"}
    units = rng.sample(["ects", "us", "uk"], 2)
    mail = {**act, "text": rng.choice(["Room changed.", "No class on Friday."])}
    goals: list[list[Step]] = [
        [("list_courses", {"where": where}), ("get_course", {"code": code})],
        [("list_courses", {}), ("list_courses", {"page": 2}), ("get_course", {"code": code})],
        [("list_courses", {"where": where, "sort": "-credits"}), whole],
        [("search", {"words": rng.choice(WORDS)}), ("get_course", {"code": code})],
        [whole, enrol, person],
        [seat, person, enrol, seat, person],
        [person, drop, seat, person],
        [enrol, ("enrol", {"section": section, "student": other}), roster, drop, roster],
        [roster, ("bulk_enrol", both), roster, seat],
        [("bulk_enrol", both), ("undo", {"actor": actor}), seat],
        [seat, ("resize", {**act, "seats": seats + rng.choice([-2, 1, 3])}), seat],
        [
            ("enrol", {"section": "MA205-A", "student": other}),
            ("enrol", {"section": "MA205-A", "student": third}),
            ("drop", {"section": "MA205-A", "student": "S-305"}),
            ("get_student", {"student": other}),
        ],
        [("get_course", {"code": code}), _update(code, changes), ("get_course", {"code": code})],
        [whole, ("bin_section", act), whole, person],
        [("bin_section", act), seat, ("restore_section", act), seat],
        [("set_hold", hold), enrol, ("set_hold", {**hold, "lift": True}), enrol],
        [person, ("set_hold", {**hold, "lift": True}), person],
        [("set_hold", hold), ("undo", {"actor": "registrar"}), person],
        [seat, ("mail", mail), ("mail", mail), ("mail", mail)],
        [
            (
                "convert_credits",
                {"amount": rng.choice([3, 6, 7.5, 30]), "source": units[0], "target": units[1]},
            ),
            person,
        ],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


def _update(code: str, changes: dict[str, Any]) -> Callable[[Sequence[str]], Call]:
    def call(answers: Sequence[str]) -> Call:
        etag = "00000000"
        for answer in answers:
            lines = dict(line.split(": ", 1) for line in answer.splitlines() if ": " in line)
            if lines.get("code") == code and "etag" in lines:
                etag = lines["etag"]
        return "update_course", {"code": code, "changes": changes, "if_match": etag}

    return call


CAMPUS = Style(name="campus", make=Campus, script=_script)

"""What people ask of the university's office.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`campus`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

from benchmarks.testbeds.invented.backend import Step, Style
from benchmarks.testbeds.invented.devices.campus import COURSES, ROLES, SECTIONS, STUDENTS, Campus
from benchmarks.testbeds.invented.scripts import Goals

WORDS = ("theory", "vectors programming", "Queues", "databases", "europe", "poetry")


GOALS = Goals("""
    list_courses $where; get_course $code
    list_courses; list_courses page=2; get_course $code
    list_courses $where sort=-credits; get_course code=$course
    search words=?words; get_course $code
    get_course code=$course; enrol $section $student; get_student $student
    get_section $section; get_student $student; enrol $section $student; get_section $section;
        get_student $student
    get_student $student; drop $section $student; get_section $section; get_student $student
    enrol $section $student; enrol $section student=$other; roster *act; drop $section $student;
        roster *act
    roster *act; bulk_enrol *both; roster *act; get_section $section
    bulk_enrol *both; undo $actor; get_section $section
    get_section $section; resize *act seats=?sizes; get_section $section
    enrol section=MA205-A student=$other; enrol section=MA205-A student=$third;
        drop section=MA205-A student=S-305; get_student student=$other
    get_course $code; update_course $code $changes if_match=$etag; get_course $code
    get_course code=$course; bin_section *act; get_course code=$course; get_student $student
    bin_section *act; get_section $section; restore_section *act; get_section $section
    set_hold *hold; enrol $section $student; set_hold *hold lift=true; enrol $section $student
    get_student $student; set_hold *hold lift=true; get_student $student
    set_hold *hold; undo actor=registrar; get_student $student
    get_section $section; mail *act $text; mail *act $text; mail *act $text
    convert_credits amount=3|6|7.5|30 *units; get_student $student
""")


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
    kind = rng.choice(["fees", "library"])
    source, to = rng.sample(["ects", "us", "uk"], 2)
    return GOALS.two(
        rng,
        text=rng.choice(["Room changed.", "No class on Friday."]),
        section=section,
        course=course,
        student=student,
        other=other,
        third=third,
        actor=actor,
        code=code,
        where=where,
        words=WORDS,
        act={"section": section, "actor": actor},
        both={"section": section, "students": sorted([student, other]), "actor": actor},
        sizes=[seats - 2, seats + 1, seats + 3],
        changes=changes,
        etag=partial(_etag, code),
        hold={"student": student, "kind": kind, "actor": "registrar"},
        units={"source": source, "target": to},
    )


def _etag(code: str, answers: Sequence[str]) -> str:
    """What a course was last shown with."""
    etag = "00000000"
    for answer in answers:
        lines = dict(line.split(": ", 1) for line in answer.splitlines() if ": " in line)
        if lines.get("code") == code and "etag" in lines:
            etag = lines["etag"]
    return etag


CAMPUS = Style(name="campus", make=Campus, script=_script)

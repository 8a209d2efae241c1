"""What people ask about their leave.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`leave`).
"""

# ruff: noqa: S608 - a query tool is asked in its own words

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

from benchmarks.testbeds.invented.backend import Call, Step, Style
from benchmarks.testbeds.invented.office.leave import STAFF, TODAY, Leave

WORDS = ("Support", "kim", "Data", "an", "vega", "zz")


def _script(rng: random.Random) -> list[Step]:
    login = rng.choice(sorted(STAFF))
    person = STAFF[login]
    boss = person["boss"] or "d.lang"
    request = f"LR-{rng.choice([204, 205, 206, 207])}"
    start = TODAY + timedelta(days=rng.choice([1, 4, 7, 14, 17, 28, 51]))
    end = start + timedelta(days=rng.choice([0, 0, 1, 4, 11]))
    asked: dict[str, Any] = {"login": login, "first": str(start), "last": str(end)}
    if rng.random() < 0.3:
        asked["kind"] = rng.choice(["sick", "unpaid", "annual"])
    if rng.random() < 0.15:
        asked["half_day"] = True
    file: Step = ("request_leave", asked)
    balance: Step = ("balance", {"login": login})
    later: Step = (
        "balance",
        {"login": login, "as_of": str(date(2026, rng.choice([6, 9, 12]), 30))},
    )
    show: Step = ("show_request", {"request": request})
    calendar: Step = ("team_calendar", {"team": person["team"], "month": str(start)[:7]})
    owner = {"LR-204": "r.vega", "LR-205": "d.lang", "LR-206": "d.lang", "LR-207": "r.vega"}[
        request
    ]
    verdict = {"login": owner, "verdict": "approve"}
    if rng.random() < 0.5:
        verdict |= {"verdict": "reject", "note": rng.choice(["Too many are away.", "Release week"])}
    rule, at = rng.choice([("annual_days", 1), ("carry_over_max", 2), ("notice_days", 3)])
    value = rng.choice([1, 4, 10, 28])
    deputy = rng.choice([one for one in sorted(STAFF) if one != owner])
    goals: list[list[Step]] = [
        [balance, file, balance],
        [balance, later, file, _later("show_request")],
        [("find_person", {"text": rng.choice(WORDS)}), balance],
        [calendar, file, calendar],
        [("inbox", {"login": owner}), show, ("decide", {"request": request, **verdict}), show],
        [show, ("decide", {"request": request, **verdict}), ("inbox", {"login": owner})],
        [
            file,
            ("inbox", {"login": boss}),
            _later("decide", login=boss, verdict="approve"),
            balance,
        ],
        [show, ("withdraw", {"request": request}), show],
        [file, _later("withdraw"), balance],
        [
            ("appoint_deputy", {"boss": owner, "deputy": deputy, "until": "2026-06-30"}),
            ("inbox", {"login": deputy}),
            ("decide", {"request": request, **verdict, "login": deputy}),
        ],
        [("annotate", {"request": request, "login": login, "text": "Flight is booked."}), show],
        [
            balance,
            ("grant_days", {"login": login, "days": rng.choice([1, 2.5, -1]), "why": "move"}),
            balance,
        ],
        [
            ("rule", {"name": rule}),
            ("set_rule", {"name": rule, "value": value, "if_version": at}),
            ("rule", {"name": rule}),
            balance,
        ],
        [
            ("rule", {"name": "notice_days"}),
            ("roll_back_rule", {"name": "notice_days", "to_version": rng.choice([1, 2])}),
            file,
            ("rule", {"name": "notice_days", "version": rng.choice([1, 2, 3])}),
        ],
        [
            ("sql", {"statement": f"SELECT * FROM requests WHERE person = '{login}'"}),
            file,
            ("sql", {"statement": f"SELECT * FROM requests WHERE person = '{login}'"}),
        ],
        [
            ("sql", {"statement": "SELECT id, days FROM requests ORDER BY days DESC LIMIT 2"}),
            ("sql", {"statement": "SELECT COUNT(*) FROM requests WHERE status = 'pending'"}),
            ("withdraw", {"request": request}),
            ("sql", {"statement": "SELECT COUNT(*) FROM requests WHERE status = 'pending'"}),
        ],
        [
            (
                "sql",
                {"statement": f"SELECT name, boss FROM people WHERE team = '{person['team']}'"},
            ),
            (
                "sql",
                {"statement": f"UPDATE requests SET status = 'approved' WHERE id = '{request}'"},
            ),
            ("inbox", {"login": boss}),
        ],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


def _created(answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        if answer.startswith("✅ LR-") and " filed " in answer:
            return answer.split()[1]
    return "LR-205"


def _later(tool: str, **more: object) -> Callable[[Sequence[str]], Call]:
    return lambda answers: (tool, {"request": _created(answers), **more})


LEAVE = Style(name="leave", make=Leave, script=_script)

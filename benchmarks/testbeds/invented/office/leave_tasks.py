"""What people ask about their leave.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`leave`).
"""

# ruff: noqa: S608 - a query tool is asked in its own words

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from benchmarks.testbeds.invented.backend import Step, Style
from benchmarks.testbeds.invented.office.leave import STAFF, TODAY, Leave
from benchmarks.testbeds.invented.scripts import Goals

OWNERS = {"LR-204": "r.vega", "LR-205": "d.lang", "LR-206": "d.lang", "LR-207": "r.vega"}
WORDS = ("Support", "kim", "Data", "an", "vega", "zz")


GOALS = Goals("""
    balance $login; request_leave *asked; balance $login
    balance $login; balance $login $as_of; request_leave *asked; show_request request=$new
    find_person text=?words; balance $login
    team_calendar *team; request_leave *asked; team_calendar *team
    inbox login=$owner; show_request $request; decide $request *verdict; show_request $request
    show_request $request; decide $request *verdict; inbox login=$owner
    request_leave *asked; inbox login=$boss; decide request=$new login=$boss verdict=approve;
        balance $login
    show_request $request; withdraw $request; show_request $request
    request_leave *asked; withdraw request=$new; balance $login
    appoint_deputy boss=$owner $deputy until=2026-06-30; inbox login=$deputy;
        decide $request *verdict login=$deputy
    annotate $request $login text="Flight is booked."; show_request $request
    balance $login; grant_days $login days=1|2.5|-1 why=move; balance $login
    rule name=$rule; set_rule name=$rule $value $if_version; rule name=$rule; balance $login
    rule name=notice_days; roll_back_rule name=notice_days to_version=1|2; request_leave *asked;
        rule name=notice_days version=1|2|3
    sql statement=$mine; request_leave *asked; sql statement=$mine
    sql statement="SELECT id, days FROM requests ORDER BY days DESC LIMIT 2";
        sql statement="SELECT COUNT(*) FROM requests WHERE status = 'pending'"; withdraw $request;
        sql statement="SELECT COUNT(*) FROM requests WHERE status = 'pending'"
    sql statement=$the_team; sql statement=$forced; inbox login=$boss
""")


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
    as_of = str(date(2026, rng.choice([6, 9, 12]), 30))
    owner = OWNERS[request]
    verdict = {"login": owner, "verdict": "approve"}
    if rng.random() < 0.5:
        verdict |= {"verdict": "reject", "note": rng.choice(["Too many are away.", "Release week"])}
    rule, at = rng.choice([("annual_days", 1), ("carry_over_max", 2), ("notice_days", 3)])
    return GOALS.two(
        rng,
        value=rng.choice([1, 4, 10, 28]),
        deputy=rng.choice([one for one in sorted(STAFF) if one != owner]),
        login=login,
        boss=boss,
        request=request,
        new=_created,
        asked=asked,
        as_of=as_of,
        team={"team": person["team"], "month": str(start)[:7]},
        owner=owner,
        verdict=verdict,
        rule=rule,
        if_version=at,
        words=WORDS,
        mine=f"SELECT * FROM requests WHERE person = '{login}'",
        the_team=f"SELECT name, boss FROM people WHERE team = '{person['team']}'",
        forced=f"UPDATE requests SET status = 'approved' WHERE id = '{request}'",
    )


def _created(answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        if answer.startswith("✅ LR-") and " filed " in answer:
            return answer.split()[1]
    return "LR-205"


LEAVE = Style(name="leave", make=Leave, script=_script)

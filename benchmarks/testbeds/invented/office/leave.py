"""Leave of a company's people: days that accrue, approvals and deputies, rules with versions, a query tool on top.

Answers are Markdown for people to read, tables included; refusals are lines of text. Not here: what people ask of it
(`leave_tasks`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, ToolError, refuse

TODAY = date(2026, 5, 11)
STAFF: dict[str, dict[str, Any]] = {
    "h.olsen": {"name": "Hanne Olsen", "boss": "r.vega", "team": "Support", "since": "2024-03-01"},
    "p.adeyemi": {
        "name": "Paul Adeyemi",
        "boss": "r.vega",
        "team": "Support",
        "since": "2026-01-01",
    },
    "s.kim": {"name": "Sora Kim", "boss": "d.lang", "team": "Data", "since": "2025-07-01"},
    "l.moreau": {"name": "Luc Moreau", "boss": "d.lang", "team": "Data", "since": "2023-09-01"},
    "r.vega": {"name": "Rosa Vega", "boss": "d.lang", "team": "Support", "since": "2020-02-01"},
    "d.lang": {"name": "Dieter Lang", "boss": None, "team": "Data", "since": "2019-01-01"},
}
HOLIDAYS = {"2026-05-14", "2026-05-25", "2026-06-04"}
USED = {
    "h.olsen": 4.0,
    "p.adeyemi": 0.0,
    "s.kim": 6.5,
    "l.moreau": 3.0,
    "r.vega": 2.0,
    "d.lang": 11.0,
}
COLUMNS = {
    "requests": ("id", "person", "kind", "days", "status"),
    "people": ("login", "name", "team", "boss"),
}
QUERY = re.compile(
    r"select (?P<what>.+?) from (?P<table>\w+)(?: where (?P<column>\w+) = '(?P<value>[^']*)')?"
    r"(?: order by (?P<by>\w+)(?P<down> desc)?)?(?: limit (?P<limit>\d+))?;?",
    re.IGNORECASE,
)


@dataclass(kw_only=True)
class Request:
    """Some days off."""

    number: str
    person: str
    kind: str
    first: date
    last: date
    days: float
    status: str
    by: str | None = None
    notes: list[str] = field(default_factory=list)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolError(f"'{text}' is not a date (use YYYY-MM-DD).") from None


def _n(days: float) -> str:
    return f"{days:g} day" + ("" if days == 1 else "s")


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *(f"| {' | '.join(str(c) for c in row)} |" for row in rows)])


class Leave(Backend):
    """Six people, two teams."""

    def __init__(self) -> None:
        self._requests: dict[str, Request] = {}
        self._next = 204
        self._given: dict[str, float] = {}
        self._deputies: dict[str, tuple[str, date]] = {}
        self._rules: dict[str, list[str]] = {
            "annual_days": ["25"],
            "carry_over_max": ["5", "4"],
            "auto_approve_up_to": ["1"],
            "notice_days": ["3", "5", "2"],
        }
        self.request_leave("h.olsen", "2026-06-08", "2026-06-12")
        self.request_leave("s.kim", "2026-05-18", "2026-05-18")
        self.request_leave("l.moreau", "2026-07-01", "2026-07-15")
        self.request_leave("p.adeyemi", "2026-05-28", "2026-05-29", kind="unpaid")

    @staticmethod
    def _fault(text: str) -> str:
        return f"❌ {text}"

    def _rule(self, name: str) -> float:
        return float(self._rules[name][-1])

    def _person(self, login: str) -> dict[str, Any]:
        refuse(login not in STAFF, f"Nobody has the login {login}.")
        return STAFF[login]

    def _request(self, number: str) -> Request:
        refuse(number not in self._requests, f"Request {number} not found.")
        return self._requests[number]

    def _accrued(self, login: str, day: date) -> float:
        since = max(date.fromisoformat(STAFF[login]["since"]), date(day.year, 1, 1))
        months = max(0, (day.year - since.year) * 12 + day.month - since.month + 1)
        return round(self._rule("annual_days") / 12 * months * 2) / 2

    def _taken(self, login: str) -> tuple[float, float]:
        mine = [r for r in self._requests.values() if r.person == login and r.kind == "annual"]
        approved = sum(r.days for r in mine if r.status == "approved")
        return USED[login] + approved, sum(r.days for r in mine if r.status == "pending")

    def _left(self, login: str, day: date) -> float:
        used, pending = self._taken(login)
        return self._accrued(login, day) + self._given.get(login, 0.0) - used - pending

    def _may_decide(self, login: str, person: str) -> None:
        boss = STAFF[person]["boss"]
        deputy = self._deputies.get(boss) if boss else None
        if login != boss and (deputy is None or deputy[0] != login or deputy[1] < TODAY):
            raise ToolError(f"{login} may not decide for {person}.")

    def _line(self, one: Request) -> str:
        return f"- **{one.number}** {one.person} {one.first} → {one.last} ({_n(one.days)}), {one.status}"

    def _shown(self, one: Request) -> str:
        lines = [
            f"### Request {one.number}",
            f"- Person: {STAFF[one.person]['name']} ({one.person})",
            f"- Kind: {one.kind}",
            f"- From: {one.first}",
            f"- To: {one.last}",
            f"- Working days: {one.days:g}",
            f"- Status: {one.status}" + (f" by {one.by}" if one.by else ""),
        ]
        if one.notes:
            lines += ["", "Notes:", *(f"{n}. {text}" for n, text in enumerate(one.notes, 1))]
        return "\n".join(lines)

    # looks

    def find_person(self, text: str) -> str:
        """By any part of a name, login or team."""
        found = [
            f"- {one['name']} (`{login}`), {one['team']}"
            for login, one in sorted(STAFF.items(), key=lambda pair: pair[1]["name"])
            if text.lower() in f"{one['name']} {login} {one['team']}".lower()
        ]
        return "\n".join([f"{len(found)} found", *found]) if found else f"No match for “{text}”."

    def balance(self, login: str, as_of: str = "2026-05-11") -> str:
        """What has accrued by a day, less what is taken and asked for."""
        person, day = self._person(login), _day(as_of)
        used, pending = self._taken(login)
        return (
            f"**{person['name']}** on {day}\n"
            f"accrued {self._accrued(login, day):.1f} · granted {self._given.get(login, 0.0):.1f} · "
            f"used {used:.1f} · pending {pending:.1f} · left {self._left(login, day):.1f}"
        )

    def show_request(self, request: str) -> str:
        """One with its notes."""
        return self._shown(self._request(request))

    def inbox(self, login: str) -> str:
        """What somebody has to decide."""
        self._person(login)
        waiting = []
        for one in self._requests.values():
            try:
                self._may_decide(login, one.person)
            except ToolError:
                continue
            if one.status == "pending":
                waiting.append(self._line(one))
        return "\n".join(waiting) or "Nothing to decide."

    def team_calendar(self, team: str, month: str) -> str:
        """Who is away."""
        refuse(team not in {one["team"] for one in STAFF.values()}, f"There is no team {team}.")
        rows = [
            (
                STAFF[r.person]["name"],
                r.first,
                r.last,
                "sure" if r.status == "approved" else "asked",
            )
            for r in sorted(self._requests.values(), key=lambda r: (r.first, r.number))
            if STAFF[r.person]["team"] == team
            and r.status in {"approved", "pending"}
            and month in {str(r.first)[:7], str(r.last)[:7]}
        ]
        return _table(("who", "from", "to", "how"), rows) if rows else f"Everybody is in ({month})."

    def rule(self, name: str, version: int | None = None) -> str:
        """A rule now, or as it once was."""
        refuse(name not in self._rules, f"No rule {name}. Known: {', '.join(sorted(self._rules))}")
        past = self._rules[name]
        if version is not None and not 1 <= version <= len(past):
            raise ToolError(f"{name} has no version {version}.")
        at = version or len(past)
        return f"{name} = {past[at - 1]} (v{at} of {len(past)})"

    def sql(self, statement: str) -> str:
        """A few kinds of SELECT."""
        found = QUERY.fullmatch(statement.strip())
        if not found:
            verb = statement.split(maxsplit=1)[0].upper() if statement.split() else ""
            refuse(verb in {"UPDATE", "DELETE", "INSERT", "DROP"}, f"permission denied: {verb}")
            raise ToolError(f'syntax error near "{statement[:12]}"')
        table = found["table"].lower()
        refuse(table not in COLUMNS, f'relation "{table}" does not exist')
        rows = self._rows(table)
        for column in filter(None, (found["column"], found["by"])):
            refuse(column not in COLUMNS[table], f'column "{column}" does not exist')
        if found["column"]:
            rows = [row for row in rows if str(row[found["column"]]) == found["value"]]
        if found["by"]:
            rows.sort(key=lambda row: row[found["by"]], reverse=bool(found["down"]))
        if found["what"].lower() == "count(*)":
            return _table(("count",), [(len(rows),)])
        what = COLUMNS[table] if found["what"] == "*" else tuple(found["what"].split(", "))
        unknown = [c for c in what if c not in COLUMNS[table]]
        if unknown:
            raise ToolError(f'column "{unknown[0]}" does not exist')
        rows = rows[: int(found["limit"])] if found["limit"] else rows
        return _table(what, [[row[c] for c in what] for row in rows]) + f"\n({len(rows)} rows)"

    def _rows(self, table: str) -> list[dict[str, Any]]:
        if table == "people":
            return [
                {"login": k, "name": p["name"], "team": p["team"], "boss": p["boss"] or "NULL"}
                for k, p in STAFF.items()
            ]
        return [
            {"id": r.number, "person": r.person, "kind": r.kind, "days": r.days, "status": r.status}
            for r in self._requests.values()
        ]

    # changes

    def request_leave(
        self, login: str, first: str, last: str, kind: str = "annual", *, half_day: bool = False
    ) -> str:
        """Working days only; a short one is approved at once."""
        self._person(login)
        start, end = _day(first), _day(last)
        refuse(end < start, "The last day is before the first.")
        if kind not in {"annual", "sick", "unpaid"}:
            raise ToolError(f"Unknown kind '{kind}'. Use annual, sick or unpaid.")
        if kind != "sick" and (start - TODAY).days < self._rule("notice_days"):
            raise ToolError(f"{self._rules['notice_days'][-1]} days' notice are needed.")
        span = [start + timedelta(days=n) for n in range((end - start).days + 1)]
        days = float(sum(d.weekday() < 5 and d.isoformat() not in HOLIDAYS for d in span))
        if half_day:
            days -= 0.5
        refuse(days <= 0, "There is no working day in this time.")
        for other in self._requests.values():
            live = other.status in {"pending", "approved"}
            if live and other.person == login and other.first <= end and start <= other.last:
                raise ToolError(f"Overlaps with {other.number} ({other.first} to {other.last}).")
        left = self._left(login, end)
        refuse(kind == "annual" and days > left, f"Not enough days: {days:g} asked, {left:g} left.")
        at_once = kind == "sick" or days <= self._rule("auto_approve_up_to")
        one = Request(
            number=f"LR-{self._next}",
            person=login,
            kind=kind,
            first=start,
            last=end,
            days=days,
            status="approved" if at_once else "pending",
            by="policy" if at_once else None,
        )
        self._next += 1
        self._requests[one.number] = one
        return f"✅ {one.number} filed for {_n(days)}: {one.status}."

    def decide(self, request: str, login: str, verdict: str, note: str = "") -> str:
        """By the boss or a deputy, who has to say why not."""
        one = self._request(request)
        self._may_decide(login, one.person)
        refuse(one.status != "pending", f"{request} is already {one.status}.")
        refuse(verdict not in {"approve", "reject"}, f"'{verdict}' is neither approve nor reject.")
        refuse(verdict == "reject" and not note, "Say why.")
        one.status, one.by = ("approved" if verdict == "approve" else "rejected"), login
        if note:
            one.notes.append(f"{login}: {note}")
        return self._shown(one)

    def withdraw(self, request: str) -> str:
        """As long as it has not begun."""
        one = self._request(request)
        refuse(one.status in {"withdrawn", "rejected"}, f"{request} is already {one.status}.")
        refuse(one.first <= TODAY, f"{request} has begun on {one.first}.")
        given_back = one.days if one.kind == "annual" else 0.0
        one.status, one.by = "withdrawn", None
        return f"✅ {request} withdrawn, {_n(given_back)} back on the account of {one.person}."

    def annotate(self, request: str, login: str, text: str) -> str:
        """A remark under a request."""
        one = self._request(request)
        self._person(login)
        one.notes.append(f"{login}: {text}")
        return f"✅ Note {len(one.notes)} on {request}."

    def appoint_deputy(self, boss: str, deputy: str, until: str) -> str:
        """Somebody who decides meanwhile; the one before no longer does."""
        self._person(boss)
        self._person(deputy)
        refuse(not any(one["boss"] == boss for one in STAFF.values()), f"{boss} leads nobody.")
        refuse(boss == deputy, "Nobody is their own deputy.")
        before = self._deputies.get(boss)
        self._deputies[boss] = (deputy, _day(until))
        return f"✅ {deputy} decides for {boss} until {until}" + (
            f" (instead of {before[0]})." if before else "."
        )

    def grant_days(self, login: str, days: float, why: str) -> str:
        """More, or fewer, than have accrued."""
        self._person(login)
        refuse(not -5 <= days <= 5 or not days, "Between -5 and 5 days, not 0.")
        self._given[login] = self._given.get(login, 0.0) + days
        return f"✅ {days:+g} for {login} ({why}); {self._left(login, TODAY):.1f} left today."

    def set_rule(self, name: str, value: int, if_version: int) -> str:
        """Only by who knows the newest version."""
        refuse(name not in self._rules, f"No rule {name}. Known: {', '.join(sorted(self._rules))}")
        now = len(self._rules[name])
        refuse(if_version != now, f"Conflict: {name} is at v{now}, you sent v{if_version}.")
        refuse(value < 0, "A rule is 0 or more.")
        self._rules[name].append(str(value))
        return f"✅ {self.rule(name)}"

    def roll_back_rule(self, name: str, to_version: int) -> str:
        """As a new version that says what an old one said."""
        self.rule(name, to_version)
        self._rules[name].append(self._rules[name][to_version - 1])
        return f"✅ {self.rule(name)}"

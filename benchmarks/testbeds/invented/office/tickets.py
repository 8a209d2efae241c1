"""A ticket queue behind a login: whole-number ids, nested JSON, errors raised, a list per person."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Call, Step, Style, ToolError, refuse
from benchmarks.testbeds.invented.scripts import Goals

PEOPLE = {"maria": "sun", "jonas": "moon", "aiko": "star"}
TITLES = ["Printer is on fire", "VPN drops", "New laptop", "Wrong invoice", "Door badge"]


class Tickets(Backend):
    """The queue: fourteen tickets, one session."""

    def __init__(self) -> None:
        owners = sorted(PEOPLE)
        self._tickets: dict[int, dict[str, Any]] = {
            n: {
                "id": n,
                "title": TITLES[n % 5],
                "priority": 1 + n % 4,
                "status": ["open", "open", "closed"][n % 3],
                "owner": owners[n % 3],
                "notes": [],
            }
            for n in range(1, 15)
        }
        self._user: str | None = None

    def _need_user(self) -> str:
        if self._user is None:
            raise ToolError("Not authenticated. Call ticket_login first.")
        return self._user

    def _ticket(self, ticket_id: int) -> dict[str, Any]:
        refuse(ticket_id not in self._tickets, f"Ticket with ID {ticket_id} not found.")
        return self._tickets[ticket_id]

    def ticket_login(self, username: str, password: str) -> dict[str, Any]:
        """Start a session."""
        if PEOPLE.get(username) != password:
            return {"success": False}
        self._user = username
        return {"success": True}

    def logout(self) -> dict[str, Any]:
        """End it."""
        done, self._user = self._user is not None, None
        return {"success": done}

    def get_login_status(self) -> dict[str, Any]:
        """Whether somebody is in."""
        return {"username": self._user}

    def create_ticket(self, title: str, description: str = "", priority: int = 1) -> dict[str, Any]:
        """The next number."""
        user = self._need_user()
        refuse(not 1 <= priority <= 5, "Priority must be between 1 and 5.")
        number = max(self._tickets) + 1
        self._tickets[number] = {
            "id": number,
            "title": title,
            "description": description,
            "priority": priority,
            "status": "open",
            "owner": user,
            "notes": [],
        }
        return self._tickets[number]

    def get_ticket(self, ticket_id: int) -> dict[str, Any]:
        """One ticket."""
        return {"ticket": self._ticket(ticket_id)}

    def close_ticket(self, ticket_id: int) -> dict[str, Any]:
        """Close it."""
        self._need_user()
        ticket = self._ticket(ticket_id)
        refuse(ticket["status"] == "closed", f"Ticket with ID {ticket_id} is already closed.")
        ticket["status"] = "closed"
        return {"status": f"Ticket {ticket_id} has been closed successfully."}

    def edit_ticket(self, ticket_id: int, updates: dict[str, Any]) -> dict[str, Any]:
        """Change fields."""
        self._need_user()
        ticket = self._ticket(ticket_id)
        bad = [name for name in updates if name not in {"title", "priority", "status"}]
        if bad:
            raise ToolError(f"Invalid field for ticket update: {bad[0]}")
        ticket.update(updates)
        return {"status": f"Ticket {ticket_id} has been updated successfully."}

    def add_note(self, ticket_id: int, note: str) -> dict[str, Any]:
        """Append a note."""
        ticket = self._ticket(ticket_id)
        ticket["notes"].append({"by": self._need_user(), "text": note})
        return {"notes": len(ticket["notes"])}

    def get_user_tickets(self, status: str | None = None) -> list[dict[str, Any]]:
        """Mine."""
        user = self._need_user()
        return [
            {"id": t["id"], "title": t["title"], "status": t["status"]}
            for t in self._tickets.values()
            if t["owner"] == user and status in {None, t["status"]}
        ]


def _created(answers: Sequence[str]) -> Call:
    for answer in reversed(answers):
        found = json.loads(answer) if answer[:1] == "{" else {}
        if "id" in found:
            return ("close_ticket", {"ticket_id": found["id"]})
    return ("get_user_tickets", {})


GOALS = Goals("""
    get_ticket $ticket_id; ticket_login *user; close_ticket $ticket_id; get_ticket $ticket_id
    ticket_login *user; get_user_tickets *?filters; get_ticket $ticket_id
    ticket_login *user; create_ticket title=?titles description=please priority=2; $close_it;
        get_user_tickets
    ticket_login *user; get_ticket $ticket_id; edit_ticket $ticket_id updates=?updates;
        get_ticket $ticket_id
    get_ticket $ticket_id; ticket_login *user; add_note $ticket_id note="called back";
        get_ticket $ticket_id
    ticket_login *user; get_login_status; logout; get_login_status
""")


def _script(rng: random.Random) -> list[Step]:
    user = rng.choice(sorted(PEOPLE))
    goals = GOALS.steps(
        rng,
        user={"username": user, "password": PEOPLE[user]},
        ticket_id=rng.randrange(1, 15),
        filters=[{}, {"status": "open"}],
        titles=TITLES,
        updates=[{"priority": priority} for priority in range(1, 5)],
        close_it=_created,
    )
    return rng.choice(goals) + rng.choice(goals)[rng.randrange(2) :]


TICKETS = Style(name="tickets", make=Tickets, script=_script)

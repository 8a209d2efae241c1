"""A phone company to learn from: the telecom tools of `tau2` over more customers, and what these ask for.

Needs what `tau2` needs. Comes in: dice. Comes out: a firm whose errands are drawn; its state is judged, not a package's task.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Call
from benchmarks.testbeds.published.errands import Errand, Firm
from benchmarks.testbeds.published.packages import outside
from benchmarks.testbeds.published.tau2 import _PHONE, _STORE, PACKAGE, Held, _phone

CUSTOMERS = 40
FIRST = ("Ann", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana")
LAST = ("Abt", "Bruce", "Costa", "Dorn", "Egger", "Falk", "Gomez", "Hale")
START = random.Random(11)  # noqa: S311 - dice
NEW_BILL = re.compile(r'"B[0-9a-f]{8}"')
Wanted = tuple[str, list[Call], str]


@cache
def _company() -> Held:
    """The package's company with more customers, each with up to three lines and two bills."""
    held = _phone(solo=False)
    db = _records(held)
    person, line, bill = db.customers[0], db.lines[0], db.bills[1]
    status, paid = type(line.status), type(bill.status)
    rng = START
    for number in range(CUSTOMERS):
        lines, bills = [], []
        for at in range(rng.randint(1, 3)):
            lines.append(f"L{2000 + 10 * number + at}")
            db.lines.append(
                line.model_copy(
                    update={
                        "line_id": lines[-1],
                        "phone_number": f"555-{rng.randrange(200, 999)}-{3000 + 10 * number + at}",
                        "status": rng.choice((status.ACTIVE, status.ACTIVE, status.SUSPENDED)),
                        "roaming_enabled": rng.random() < 0.5,
                        "data_used_gb": round(rng.uniform(0, 20), 1),
                    }
                )
            )
        for at in range(rng.randint(1, 2)):
            bills.append(f"B{2000 + 10 * number + at}")
            db.bills.append(
                bill.model_copy(
                    update={
                        "bill_id": bills[-1],
                        "customer_id": f"C{2000 + number}",
                        "total_due": round(rng.uniform(20, 300), 2),
                        "status": paid.OVERDUE if at == 0 else paid.PAID,
                    }
                )
            )
        db.customers.append(
            person.model_copy(
                update={
                    "customer_id": f"C{2000 + number}",
                    "full_name": f"{rng.choice(FIRST)} {rng.choice(LAST)}",
                    "phone_number": f"555-777-{4000 + number}",
                    "email": f"customer{number}@example.com",
                    "line_ids": lines,
                    "bill_ids": bills,
                }
            )
        )
    return held


def _records(held: Held) -> Any:  # noqa: ANN401 - the package's own
    _STORE.init_subtask_store(held.store)
    return _PHONE.get_environment().tools.db


class Desk:
    """One errand at a fresh company."""

    def __init__(self, errand: Errand | None) -> None:
        self._errand = errand
        self._held = deepcopy(_company())

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Make one call."""
        return self._held.call(name, arguments)

    def state(self) -> str:
        """Everything that the company holds; a new bill's id is drawn by the package, and is no part of it."""
        return NEW_BILL.sub('"B*"', _records(self._held).model_dump_json())

    def verdict(self, words: str, calls: Sequence[Call]) -> bool:
        """Whether it ended as the errand should, and the answer was given."""
        del calls
        errand = self._errand
        return errand is not None and self.state() == errand.end and errand.answer in words


@cache
def _people() -> tuple[tuple[Any, tuple[Any, ...], tuple[Any, ...]], ...]:
    db = _records(_company())
    lines, bills = {one.line_id: one for one in db.lines}, {one.bill_id: one for one in db.bills}
    return tuple(
        (c, tuple(lines[i] for i in c.line_ids), tuple(bills[i] for i in c.bill_ids))
        for c in db.customers[4:]
    )


def _looked_up(rng: random.Random) -> tuple[str, list[Call], Any, tuple[Any, ...], Any]:
    """A customer who says who they are, the looks that find their line, the line."""
    person, lines, bills = rng.choice(_people())
    line = rng.choice(lines)
    if rng.random() < 0.6:
        who = f"I am the customer {person.customer_id}."
        looks: list[Call] = [("get_customer_by_id", {"customer_id": person.customer_id})]
    else:
        who = f"The number of my account is {person.phone_number}."
        looks = [("get_customer_by_phone", {"phone_number": person.phone_number})]
    return who, looks, person, bills, line


def _line(rng: random.Random, what: str, tool: str, more: dict[str, Any]) -> Wanted:
    who, looks, person, _, line = _looked_up(rng)
    at = list(person.line_ids).index(line.line_id)
    looks += [("get_details_by_id", {"id": one}) for one in person.line_ids[: at + 1]]
    given = {"customer_id": person.customer_id, "line_id": line.line_id, **more}
    return f"{who} {what.format(number=line.phone_number)}", [*looks, (tool, given)], ""


def _roam(rng: random.Random) -> Wanted:
    words = rng.choice(
        ("Turn on roaming for {number}.", "I travel, please enable roaming on {number}.")
    )
    return _line(rng, words, "enable_roaming", {})


def _stay(rng: random.Random) -> Wanted:
    words = rng.choice(("Turn off roaming for {number}.", "No more roaming on {number}, please."))
    return _line(rng, words, "disable_roaming", {})


def _pause(rng: random.Random) -> Wanted:
    why = rng.choice(("lost phone", "long travel"))
    return _line(
        rng, f"Please suspend {{number}}, reason '{why}'.", "suspend_line", {"reason": why}
    )


def _resume(rng: random.Random) -> Wanted:
    return _line(rng, "Please activate {number} again.", "resume_line", {})


def _refuel(rng: random.Random) -> Wanted:
    much = rng.choice((1.0, 2.0, 3.5, 5.0))
    return _line(
        rng, f"I need {much} GB more data on {{number}}.", "refuel_data", {"gb_amount": much}
    )


def _used(rng: random.Random) -> Wanted:
    who, looks, person, _, line = _looked_up(rng)
    at = list(person.line_ids).index(line.line_id)
    looks += [("get_details_by_id", {"id": one}) for one in person.line_ids[: at + 1]]
    return f"{who} How much data has {line.phone_number} used?", looks, f"{line.data_used_gb}"


def _due(rng: random.Random) -> Wanted:
    who, looks, person, bills, _ = _looked_up(rng)
    looks.append(("get_bills_for_customer", {"customer_id": person.customer_id}))
    return f"{who} How much is my overdue bill?", looks, f"{bills[0].total_due}"


def _pay(rng: random.Random) -> Wanted:
    who, looks, person, bills, _ = _looked_up(rng)
    looks.append(("get_bills_for_customer", {"customer_id": person.customer_id}))
    given = {"customer_id": person.customer_id, "bill_id": bills[0].bill_id}
    return (
        f"{who} I want to pay my overdue bill, send me the request.",
        [*looks, ("send_payment_request", given)],
        "",
    )


KINDS: tuple[Callable[[random.Random], Wanted], ...] = (
    _roam, _stay, _pause, _resume, _refuel, _used, _due, _pay,
)  # fmt: skip


def phone(purpose: str, count: int) -> Firm:
    """A company with so many errands; another purpose draws others."""
    errands = {one.key: one for one in (_errand(purpose, number) for number in range(count))}
    defined = outside("inspect_ai.tool", PACKAGE).ToolDef
    tools = [defined(tool) for tool in _company().tools.values()]
    return Firm(
        name="trained-phone",
        tools=tuple(
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": json.loads(tool.parameters.model_dump_json(exclude_none=True)),
                },
            }
            for tool in tools
        ),
        errands=tuple(errands.values()),
        sit=lambda key: Desk(errands[key]),
    )


def _errand(purpose: str, number: int) -> Errand:
    """One that asks for an answer or changes something: what already is so, nobody asks for."""
    rng = random.Random(f"{purpose} {number}")  # noqa: S311 - dice
    while True:
        prompt, calls, answer = rng.choice(KINDS)(rng)
        desk, writes = _done(calls)
        if writes or answer:
            break
    return Errand(
        key=f"{purpose} {number}",
        prompt=prompt,
        calls=tuple(calls),
        writes=frozenset(writes),
        answer=answer,
        end=desk.state(),
    )


def _done(calls: Sequence[Call]) -> tuple[Desk, set[int]]:
    """A company after these calls, and which of them changed something."""
    desk, writes = Desk(None), set[int]()
    for place, (name, given) in enumerate(calls):
        before = desk.state()
        desk.call(name, given)
        if desk.state() != before:
            writes.add(place)
    return desk, writes

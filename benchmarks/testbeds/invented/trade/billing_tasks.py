"""What people ask of the billing desk.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`billing`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.testbeds.invented.backend import Call, Step, Style
from benchmarks.testbeds.invented.trade.billing import COUPONS, CUSTOMERS, PRICES, Billing

RUNNING = {"sub_611": "cus_4101", "sub_612": "cus_4102", "sub_613": "cus_4104"}
INVOICES = {"sub_611": "in_7001", "sub_612": "in_7002", "sub_613": "in_7003"}


def _script(rng: random.Random) -> list[Step]:
    customer = rng.choice(CUSTOMERS)[0]
    price = rng.choice(sorted(PRICES))
    quantity = rng.choice([1, 3, 5, 12, 25])
    order: dict[str, Any] = {"customer": customer, "price": price, "quantity": quantity}
    if rng.random() < 0.4:
        order["coupon"] = rng.choice(sorted(COUPONS))
    subscription = rng.choice(sorted(RUNNING))
    owner, invoice = RUNNING[subscription], INVOICES[subscription]
    key = f"{rng.randrange(16**8):08x}"
    refund = {"invoice": "in_7001", "amount": rng.choice([500, 2450]), "idempotency_key": key}
    fields: dict[str, Any] = rng.choice(
        [
            {"phone": "+49 30 5550"},
            {"phone": None},
            {"country": rng.choice(["DE", "US", "CH"])},
            {"metadata": {"tier": None, "crm": "A17"}},
            {"email": "billing@new.example"},
            {"name": None},
        ]
    )
    look: Step = ("get_customer", {"customer": customer})
    owned: Step = ("get_customer", {"customer": owner})
    running: Step = ("get_subscription", {"subscription": subscription})
    bill: Step = ("get_invoice", {"invoice": invoice})
    quote: Step = ("create_quote", order)
    seats = {"subscription": subscription, "quantity": rng.choice([2, 4, 6, 50])}
    query = rng.choice(
        ["status:open", "total>2000", f"customer:{owner}", "status:open AND total<=6000"]
    )
    search: Step = ("search_invoices", {"query": query})
    goals: list[list[Step]] = [
        [("list_customers", {}), _further, look],
        [("list_customers", {"country": rng.choice(["DE", "FR", "US"])}), look],
        [look, ("update_customer", {"customer": customer, "fields": fields}), look],
        [("preview_invoice", order), quote, _made("finalize_quote"), _made("accept_quote"), _bill],
        [quote, _made("finalize_quote"), _made("accept_quote"), _bill, _pay],
        [
            quote,
            ("update_customer", {"customer": customer, "fields": fields}),
            _made("finalize_quote"),
            _made("accept_quote"),
        ],
        [running, _seats(seats), running, owned],
        [("get_customer", {"customer": owner, "expand": "subscriptions"}), _seats(seats), bill],
        [
            running,
            (
                "cancel_subscription",
                {"subscription": subscription, "at_period_end": rng.random() < 0.5},
            ),
            running,
            bill,
        ],
        [bill, ("pay_invoice", {"invoice": invoice}), bill, owned],
        [bill, ("pay_invoice", {"invoice": invoice, "amount": rng.choice([200, 5000])}), bill],
        [("get_invoice", {"invoice": "in_7001"}), ("refund_invoice", refund)],
        [
            ("refund_invoice", refund),
            ("refund_invoice", refund),
            ("get_invoice", {"invoice": "in_7001"}),
        ],
        [search, ("pay_invoice", {"invoice": invoice}), search],
        [search, bill],
        [("preview_invoice", order), ("preview_invoice", {**order, "quantity": quantity + 10})],
        [("delete_customer", {"customer": customer}), look, ("list_customers", {})],
        [
            ("cancel_subscription", {"subscription": subscription}),
            ("delete_customer", {"customer": owner}),
            ("restore_customer", {"customer": owner}),
            owned,
        ],
        [
            ("delete_customer", {"customer": customer}),
            quote,
            ("restore_customer", {"customer": customer}),
            quote,
        ],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


def _last(answers: Sequence[str], name: str, start: str, otherwise: str) -> str:
    for answer in reversed(answers):
        found = json.loads(answer).get(name) if answer.startswith("{") else None
        if isinstance(found, str) and found.startswith(start):
            return found
    return otherwise


def _made(tool: str) -> Callable[[Sequence[str]], Call]:
    return lambda answers: (tool, {"quote": _last(answers, "id", "qt_", "qt_31")})


def _bill(answers: Sequence[str]) -> Call:
    return "get_invoice", {"invoice": _last(answers, "invoice", "in_", "in_7002")}


def _pay(answers: Sequence[str]) -> Call:
    return "pay_invoice", {"invoice": _last(answers, "id", "in_", "in_7003")}


def _seats(given: dict[str, Any]) -> Callable[[Sequence[str]], Call]:
    def call(answers: Sequence[str]) -> Call:
        version = 1
        for answer in answers:
            found = json.loads(answer) if answer.startswith("{") else {}
            if found.get("id") == given["subscription"]:
                version = found["version"]
        return "update_subscription", {**given, "if_version": version}

    return call


def _further(answers: Sequence[str]) -> Call:
    for answer in reversed(answers):
        found = json.loads(answer) if answer.startswith("{") else {}
        if found.get("has_more") and found.get("object") == "list":
            return "list_customers", {"starting_after": found["data"][-1]["id"]}
    return "list_customers", {"starting_after": "cus_4102"}


BILLING = Style(name="billing", make=Billing, script=_script)

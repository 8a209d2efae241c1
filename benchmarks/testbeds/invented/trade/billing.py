"""Subscription billing: quotes that go stale, versions, keys that count once, taxes by country, credit on account.

Answers are records as a payment company's API gives them, lists in pages behind a last id; refusals are records with
a type, a code and a parameter, unmarked. Not here: what people ask of it (`billing_tasks`).
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Backend, ToolError, refuse

TAX = {"DE": 1900, "FR": 2000, "CH": 810, "US": 0}
"""In hundredths of a percent."""
PRICES: dict[str, dict[str, Any]] = {
    "price_solo": {"unit_amount": 900, "minimum": 1},
    "price_team": {"unit_amount": 2450, "minimum": 3},
    "price_archive": {"unit_amount": 125, "minimum": 10},
}
COUPONS: dict[str, dict[str, Any]] = {
    "SPRING20": {"percent_off": 20, "valid": True},
    "FLAT5": {"amount_off": 500, "valid": True},
    "WELCOME": {"percent_off": 50, "valid": False},
}
CUSTOMERS = (
    ("cus_4101", "Nordlicht GmbH", "ap@nordlicht.example", "DE", 0),
    ("cus_4102", "Atelier Roche", "compta@roche.example", "FR", 1500),
    ("cus_4103", "Birch & Sons", "books@birch.example", "US", 0),
    ("cus_4104", "Seeblick AG", "rechnung@seeblick.example", "CH", 300),
    ("cus_4105", "Hafen Kontor", "post@hafen.example", "DE", 0),
)
PAGE = 2
TERM = re.compile(r"(?P<field>\w+)(?P<sign>:|>=|<=|>|<)(?P<value>\"[^\"]*\"|[\w.]+)")
COMPARED = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}
SHOWN = ("id", "customer", "total", "status")
SEARCHED = {"customer", "status", "total"}
PATCHED = {"name", "email", "phone", "country", "metadata"}
KEPT = {"name", "email", "country"}


def _refuse(kind: str, code: str, message: str, param: str | None = None) -> ToolError:
    return ToolError(
        json.dumps({"error": {"type": kind, "code": code, "message": message, "param": param}})
    )


def _missing(kind: str, number: str) -> ToolError:
    return _refuse("invalid_request", "resource_missing", f"No such {kind}: '{number}'", kind)


def _invalid(message: str, param: str) -> ToolError:
    return _refuse("invalid_request", "parameter_invalid", message, param)


def _conflict(code: str, message: str) -> ToolError:
    return _refuse("conflict", code, message)


def _share(amount: int, hundredths: int) -> int:
    """Half a cent goes up."""
    return (amount * hundredths + 5000) // 10000


class Billing(Backend):
    """Five customers, three prices."""

    def __init__(self) -> None:
        self._customers: dict[str, dict[str, Any]] = {
            number: {
                "id": number,
                "name": name,
                "email": email,
                "phone": None,
                "country": country,
                "balance": balance,
                "metadata": {"tier": "gold"} if balance else {},
                "deleted": False,
            }
            for number, name, email, country, balance in CUSTOMERS
        }
        self._quotes: dict[str, dict[str, Any]] = {}
        self._subscriptions: dict[str, dict[str, Any]] = {}
        self._invoices: dict[str, dict[str, Any]] = {}
        self._keys: dict[str, tuple[object, dict[str, Any]]] = {}
        self._changed: dict[str, int] = {}
        self._counters = {"qt": 30, "sub": 610, "in": 7000, "re": 90}
        for customer, price, quantity in (
            ("cus_4101", "price_team", 4),
            ("cus_4102", "price_solo", 2),
            ("cus_4104", "price_archive", 40),
        ):
            self._start(customer, price, quantity, None)
        self._invoices["in_7001"] |= {"status": "paid", "amount_paid": 11662}

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """A refusal is a record like any other."""
        return Answer(content=super().call(name, arguments).content, is_error=False)

    @staticmethod
    def _fault(text: str) -> str:
        return text

    def _new(self, kind: str) -> str:
        self._counters[kind] += 1
        return f"{kind}_{self._counters[kind]}"

    def _customer(self, number: str, *, live: bool = True) -> dict[str, Any]:
        found = self._customers.get(number)
        if found is None:
            raise _missing("customer", number)
        if live and found["deleted"]:
            raise _conflict("customer_deleted", f"Customer {number} has been deleted")
        return found

    def _one(self, shelf: dict[str, dict[str, Any]], kind: str, number: str) -> dict[str, Any]:
        refuse(number not in shelf, _missing(kind, number))
        return shelf[number]

    def _sums(self, customer: str, price: str, quantity: int, coupon: str | None) -> dict[str, Any]:
        refuse(price not in PRICES, _missing("price", price))
        least = PRICES[price]["minimum"]
        refuse(quantity < least, _invalid(f"{price} is sold from {least} on", "quantity"))
        subtotal = PRICES[price]["unit_amount"] * quantity
        off = 0
        if coupon is not None:
            refuse(coupon not in COUPONS, _missing("coupon", coupon))
            if not COUPONS[coupon]["valid"]:
                raise _conflict("coupon_expired", f"Coupon {coupon} has expired")
            percent = COUPONS[coupon].get("percent_off")
            off = _share(subtotal, percent * 100) if percent else COUPONS[coupon]["amount_off"]
            off = min(off, subtotal)
        rate = TAX[self._customers[customer]["country"]]
        tax = _share(subtotal - off, rate)
        total = subtotal - off + tax
        return {"subtotal": subtotal, "discount": off, "tax": tax, "total": total}

    def _start(
        self, customer: str, price: str, quantity: int, coupon: str | None
    ) -> dict[str, Any]:
        sums = self._sums(customer, price, quantity, coupon)
        subscription, invoice = self._new("sub"), self._new("in")
        self._subscriptions[subscription] = {
            "id": subscription,
            "customer": customer,
            "price": price,
            "quantity": quantity,
            "status": "active",
            "cancel_at_period_end": False,
            "version": 1,
            "latest_invoice": invoice,
        }
        self._invoices[invoice] = {
            "id": invoice,
            "customer": customer,
            "subscription": subscription,
            **sums,
            "amount_paid": 0,
            "amount_refunded": 0,
            "status": "open",
        }
        return {"subscription": subscription, "invoice": invoice}

    def _page(self, rows: Sequence[dict[str, Any]], after: str | None) -> dict[str, Any]:
        start = 0
        if after is not None:
            numbers = [row["id"] for row in rows]
            if after not in numbers:
                raise _invalid(f"'{after}' is not in this list", "starting_after")
            start = numbers.index(after) + 1
        return {
            "object": "list",
            "data": list(rows[start : start + PAGE]),
            "has_more": start + PAGE < len(rows),
        }

    def _once(self, key: str, asked: object, do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """One key counts once; with other parameters it is refused."""
        if key in self._keys:
            before, answer = self._keys[key]
            if before != asked:
                raise _conflict("key_reused", f"Key {key} was used with other parameters")
            return answer
        answer = do()
        self._keys[key] = (asked, answer)
        return answer

    # looks

    def get_customer(self, customer: str, expand: str | None = None) -> dict[str, Any]:
        """With subscriptions inside, if asked for."""
        found = self._customer(customer, live=False)
        if expand is None:
            return found
        if expand != "subscriptions":
            raise _invalid(f"This property cannot be expanded: {expand}", "expand")
        mine = [s for s in self._subscriptions.values() if s["customer"] == customer]
        return {**found, "subscriptions": mine}

    def list_customers(
        self, country: str | None = None, starting_after: str | None = None
    ) -> dict[str, Any]:
        """Those who are not deleted, in pages."""
        rows = [
            {"id": c["id"], "name": c["name"], "email": c["email"]}
            for c in self._customers.values()
            if not c["deleted"] and country in {None, c["country"]}
        ]
        return self._page(rows, starting_after)

    def get_subscription(self, subscription: str) -> dict[str, Any]:
        """One with its version."""
        return self._one(self._subscriptions, "subscription", subscription)

    def get_invoice(self, invoice: str) -> dict[str, Any]:
        """One, with what is still to be paid."""
        found = self._one(self._invoices, "invoice", invoice)
        return {**found, "amount_due": self._due(found)}

    @staticmethod
    def _due(invoice: dict[str, Any]) -> int:
        return invoice["total"] - invoice["amount_paid"] if invoice["status"] == "open" else 0

    def search_invoices(self, query: str) -> dict[str, Any]:
        """`status:open AND total>2000`, the newest first."""
        rows = list(reversed(self._invoices.values()))
        for part in query.split(" AND "):
            term = TERM.fullmatch(part.strip())
            if term is None or term["field"] not in SEARCHED:
                raise _invalid(f"We were unable to parse '{part}'", "query")
            name, value = term["field"], term["value"].strip('"')
            if term["sign"] == ":":
                rows = [row for row in rows if str(row[name]) == value]
            elif name != "total" or not value.isdigit():
                raise _invalid(f"'{term['sign']}' is not supported for {name}", "query")
            else:
                test = COMPARED[term["sign"]]
                rows = [row for row in rows if test(row["total"], int(value))]
        shown = [{key: row[key] for key in SHOWN} for row in rows]
        return {"object": "search_result", "data": shown[:4], "total_count": len(shown)}

    def preview_invoice(
        self, customer: str, price: str, quantity: int, coupon: str | None = None
    ) -> dict[str, Any]:
        """What a first invoice would come to."""
        self._customer(customer)
        return {"customer": customer, **self._sums(customer, price, quantity, coupon)}

    # changes

    def update_customer(self, customer: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Only what is given; null takes a value away, and keys of the metadata one by one."""
        found = self._customer(customer)
        for name, value in fields.items():
            refuse(name not in PATCHED, _invalid(f"Received unknown parameter: {name}", name))
            if value is None and name in KEPT:
                raise _invalid(f"{name} cannot be unset", name)
        if fields.get("country", "DE") not in TAX:
            raise _invalid(f"We do not sell in {fields['country']}", "country")
        merged = {**found["metadata"], **(fields.get("metadata") or {})}
        kept = {key: value for key, value in merged.items() if value is not None}
        found |= {**fields, "metadata": kept}
        self._changed[customer] = self._changed.get(customer, 0) + 1
        return found

    def delete_customer(self, customer: str) -> dict[str, Any]:
        """Softly, and only without a running subscription."""
        found = self._customer(customer)
        running = [
            s["id"]
            for s in self._subscriptions.values()
            if s["customer"] == customer and s["status"] == "active"
        ]
        if running:
            raise _conflict("active_subscription", f"Customer {customer} still has {running[0]}")
        found["deleted"] = True
        return {"id": customer, "object": "customer", "deleted": True}

    def restore_customer(self, customer: str) -> dict[str, Any]:
        """Back again."""
        found = self._customer(customer, live=False)
        if not found["deleted"]:
            raise _conflict("not_deleted", f"Customer {customer} is not deleted")
        found["deleted"] = False
        return found

    def create_quote(
        self, customer: str, price: str, quantity: int, coupon: str | None = None
    ) -> dict[str, Any]:
        """A draft that holds for the customer as they are now."""
        self._customer(customer)
        sums = self._sums(customer, price, quantity, coupon)
        number = self._new("qt")
        quote = {
            "id": number,
            "customer": customer,
            "line": {"price": price, "quantity": quantity, "coupon": coupon},
            "total": sums["total"],
            "status": "draft",
        }
        self._quotes[number] = {**quote, "_of": self._changed.get(customer, 0)}
        return quote

    def _shown(self, quote: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in quote.items() if key != "_of"}

    def finalize_quote(self, quote: str) -> dict[str, Any]:
        """From here on the customer may accept it."""
        found = self._one(self._quotes, "quote", quote)
        if found["status"] != "draft":
            raise _conflict("quote_not_draft", f"Quote {quote} is {found['status']}")
        found["status"] = "open"
        return self._shown(found)

    def accept_quote(self, quote: str) -> dict[str, Any]:
        """Starts a subscription; a quote of a customer who changed since has expired."""
        found = self._one(self._quotes, "quote", quote)
        if found["status"] != "open":
            raise _conflict("quote_not_open", f"Quote {quote} is {found['status']}")
        self._customer(found["customer"])
        if found["_of"] != self._changed.get(found["customer"], 0):
            found["status"] = "expired"
            raise _conflict("quote_expired", f"Quote {quote} has expired, make another one")
        found["status"] = "accepted"
        return {**self._shown(found), **self._start(found["customer"], **found["line"])}

    def update_subscription(
        self, subscription: str, if_version: int, quantity: int | None = None
    ) -> dict[str, Any]:
        """Seats are added or taken away; half of what the fewer seats cost goes to the balance."""
        found = self._one(self._subscriptions, "subscription", subscription)
        if found["version"] != if_version:
            raise _conflict("version_mismatch", f"{subscription} is at version {found['version']}")
        if found["status"] != "active":
            raise _conflict("subscription_canceled", f"{subscription} is {found['status']}")
        if quantity is not None:
            least = PRICES[found["price"]]["minimum"]
            if quantity < least:
                raise _invalid(f"{found['price']} is sold from {least} on", "quantity")
            less = (found["quantity"] - quantity) * PRICES[found["price"]]["unit_amount"]
            self._customers[found["customer"]]["balance"] += max(0, less) // 2
            found["quantity"] = quantity
        found["version"] += 1
        return found

    def cancel_subscription(
        self, subscription: str, *, at_period_end: bool = False
    ) -> dict[str, Any]:
        """At once, which voids an open invoice, or when the time is over."""
        found = self._one(self._subscriptions, "subscription", subscription)
        if found["status"] != "active":
            raise _conflict("subscription_canceled", f"{subscription} is {found['status']}")
        found["version"] += 1
        found["cancel_at_period_end"] = at_period_end
        if not at_period_end:
            found["status"] = "canceled"
            invoice = self._invoices[found["latest_invoice"]]
            if invoice["status"] == "open":
                invoice["status"] = "void"
        return found

    def pay_invoice(self, invoice: str, amount: int | None = None) -> dict[str, Any]:
        """Credit on account is used first; without an amount all that is due."""
        found = self._one(self._invoices, "invoice", invoice)
        if found["status"] != "open":
            raise _conflict("invoice_not_open", f"Invoice {invoice} is {found['status']}")
        customer = self._customer(found["customer"])
        due = self._due(found)
        credit = min(due, customer["balance"])
        charge = due - credit if amount is None else amount
        refuse(charge > due - credit, _invalid(f"At most {due - credit} can be paid", "amount"))
        customer["balance"] -= credit
        found["amount_paid"] += credit + charge
        if not self._due(found):
            found["status"] = "paid"
        paid = {"invoice": invoice, "from_balance": credit, "charged": charge}
        return {**paid, "status": found["status"]}

    def refund_invoice(self, invoice: str, amount: int, idempotency_key: str) -> dict[str, Any]:
        """Part of what was paid."""

        def refund() -> dict[str, Any]:
            found = self._one(self._invoices, "invoice", invoice)
            left = found["amount_paid"] - found["amount_refunded"]
            refuse(not 0 < amount <= left, _invalid(f"{left} is left to be refunded", "amount"))
            found["amount_refunded"] += amount
            return {"id": self._new("re"), "invoice": invoice, "amount": amount}

        return self._once(idempotency_key, (invoice, amount), refund)

"""The tools that change a delivered order: return, exchange, refund; and the hand-over to a person."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from examples.support_desk.backend.database import next_number
from examples.support_desk.backend.errors import ToolRefusalError
from examples.support_desk.backend.generator import stamp
from examples.support_desk.backend.records import cents, money, order_record, return_record
from examples.support_desk.backend.writes import (
    check_choice,
    check_status,
    get_row,
    method_of,
    pay,
)
from examples.support_desk.variant import Json, Variant

REFUND_REASONS = ("damaged", "late", "missing")
QUEUES = ("general", "billing", "complaints")


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """What numbers and dates a new record."""

    now: datetime
    variant: Variant

    def number(self, db: sqlite3.Connection, kind: str) -> str:
        """The next id of a kind of record."""
        return self.variant.make_id(kind, next_number(db, kind))


def return_items(
    db: sqlite3.Connection,
    order_id: str,
    item_ids: Sequence[str],
    payment_id: str,
    *,
    press: Press,
) -> Json:
    """Opens a return; its value goes to the original payment method or a gift card."""
    order = get_row(db, order_id)
    check_status(order, "delivered", "not_returnable")
    items = _kept_items(db, order_id, item_ids)
    _check_refund_target(db, order, payment_id)
    amount = sum(item["price"] for item in items)
    return_id = press.number(db, "return")
    db.execute(
        "INSERT INTO returns VALUES (?, ?, ?, ?, 'requested', ?)",
        (return_id, order_id, payment_id, amount, stamp(press.now)),
    )
    for item in items:
        db.execute("INSERT INTO return_items VALUES (?, ?)", (return_id, item["id"]))
        db.execute("UPDATE order_items SET state = 'return requested' WHERE id = ?", (item["id"],))
    pay(db, order_id, payment_id, -amount)
    kept = db.execute(
        "SELECT 1 FROM order_items WHERE order_id = ? AND state = 'kept'", (order_id,)
    ).fetchone()
    if kept is None:
        db.execute("UPDATE orders SET status = 'return requested' WHERE id = ?", (order_id,))
    return return_record(db, return_id)


def exchange_items(
    db: sqlite3.Connection,
    order_id: str,
    item_ids: Sequence[str],
    new_variant_ids: Sequence[str],
    payment_id: str,
) -> Json:
    """Swaps items for other versions of the same products; the difference is charged or refunded."""
    order = get_row(db, order_id)
    check_status(order, "delivered", "not_exchangeable")
    if len(item_ids) != len(new_variant_ids):
        raise ToolRefusalError("count_differs")
    items = _kept_items(db, order_id, item_ids)
    targets = [_target(db, i, v) for i, v in zip(items, new_variant_ids, strict=True)]
    method = method_of(db, payment_id, order["customer_id"])
    difference = sum(t["price"] for t in targets) - sum(i["price"] for i in items)
    if method["balance"] is not None and method["balance"] < difference:
        raise ToolRefusalError(
            "low_balance", left=f"{money(method['balance']):.2f}", needed=f"{money(difference):.2f}"
        )
    for item, target in zip(items, targets, strict=True):
        db.execute(
            "UPDATE order_items SET variant_id = ?, price = ?, state = 'exchanged' WHERE id = ?",
            (target["id"], target["price"], item["id"]),
        )
        db.execute("UPDATE variants SET stock = stock - 1 WHERE id = ?", (target["id"],))
    if difference:
        pay(db, order_id, payment_id, difference)
    db.execute("UPDATE orders SET status = 'exchange requested' WHERE id = ?", (order_id,))
    return order_record(db, order_id)


def refund(  # noqa: PLR0913 - the tool's own arguments
    db: sqlite3.Connection,
    order_id: str,
    payment_id: str,
    amount: float,
    reason: str,
    *,
    press: Press,
) -> Json:
    """Pays part of a delivered order back without taking anything back."""
    order = get_row(db, order_id)
    check_status(order, "delivered", "not_refundable")
    check_choice("reason", reason, REFUND_REASONS)
    _check_refund_target(db, order, payment_id)
    value, left = cents(amount), _refundable(db, order_id)
    if value <= 0:
        raise ToolRefusalError("bad_amount")
    if value > left:
        raise ToolRefusalError("too_much", left=f"{money(left):.2f}")
    refund_id = press.number(db, "refund")
    db.execute(
        "INSERT INTO refunds VALUES (?, ?, ?, ?, ?, ?)",
        (refund_id, order_id, payment_id, value, reason, stamp(press.now)),
    )
    pay(db, order_id, payment_id, -value)
    return {
        "refund_id": refund_id,
        "order_id": order_id,
        "payment_id": payment_id,
        "amount": money(value),
        "reason": reason,
        "refunded_total": money(_sum(db, order_id, "refund")),
        "created_at": stamp(press.now),
    }


def hand_over(db: sqlite3.Connection, queue: str, summary: str, *, press: Press) -> Json:
    """Passes the conversation to a person; the agent is done with it."""
    check_choice("queue", queue, QUEUES)
    ticket_id = press.number(db, "ticket")
    db.execute(
        "INSERT INTO tickets VALUES (?, ?, ?, ?)", (ticket_id, queue, summary, stamp(press.now))
    )
    return {"ticket_id": ticket_id, "queue": queue}


def _kept_items(
    db: sqlite3.Connection, order_id: str, item_ids: Sequence[str]
) -> list[sqlite3.Row]:
    if not item_ids:
        raise ToolRefusalError("no_items")
    found = []
    for position, item_id in enumerate(item_ids):
        if item_id in item_ids[:position]:
            raise ToolRefusalError("item_twice", id=item_id)
        row = db.execute(
            "SELECT * FROM order_items WHERE id = ? AND order_id = ?", (item_id, order_id)
        ).fetchone()
        if row is None:
            raise ToolRefusalError("not_in_order", id=item_id)
        if row["state"] != "kept":
            raise ToolRefusalError("already_returned", id=item_id)
        found.append(row)
    return found


def _target(db: sqlite3.Connection, item: sqlite3.Row, variant_id: str) -> sqlite3.Row:
    target: sqlite3.Row | None = db.execute(
        "SELECT * FROM variants WHERE id = ?", (variant_id,)
    ).fetchone()
    if target is None:
        raise ToolRefusalError("no_variant", id=variant_id)
    current = db.execute("SELECT * FROM variants WHERE id = ?", (item["variant_id"],)).fetchone()
    if target["product_id"] != current["product_id"]:
        raise ToolRefusalError("other_product", id=variant_id)
    if variant_id == item["variant_id"]:
        raise ToolRefusalError("same_variant", id=variant_id)
    if target["stock"] < 1:
        raise ToolRefusalError("out_of_stock", id=variant_id)
    return target


def _check_refund_target(db: sqlite3.Connection, order: sqlite3.Row, payment_id: str) -> None:
    method = method_of(db, payment_id, order["customer_id"])
    original = db.execute(
        "SELECT 1 FROM payments WHERE order_id = ? AND payment_id = ? AND kind = 'charge'",
        (order["id"], payment_id),
    ).fetchone()
    if original is None and method["kind"] != "gift_card":
        raise ToolRefusalError("refund_target")


def _refundable(db: sqlite3.Connection, order_id: str) -> int:
    return _sum(db, order_id, "charge") - _sum(db, order_id, "refund")


def _sum(db: sqlite3.Connection, order_id: str, entry: str) -> int:
    row = db.execute(
        "SELECT COALESCE(SUM(amount), 0) AS total FROM payments WHERE order_id = ? AND kind = ?",
        (order_id, entry),
    ).fetchone()
    return int(row["total"])

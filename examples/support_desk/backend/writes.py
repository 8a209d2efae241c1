"""The tools that change the shop. Every precondition is checked before anything is written; none looks at the clock.

Each takes the database, the moment and its arguments, and gives the plain record after the change.
"""

import sqlite3
from collections.abc import Sequence

from examples.support_desk.backend.errors import ToolRefusalError
from examples.support_desk.backend.names import COUNTRIES
from examples.support_desk.backend.records import customer_record, order_record
from examples.support_desk.variant import Json

CANCEL_REASONS = ("no longer needed", "ordered by mistake", "found cheaper")


def get_row(db: sqlite3.Connection, order_id: str) -> sqlite3.Row:
    """The order's row, or the refusal that it does not exist."""
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM orders WHERE id = ?", (order_id,)
    ).fetchone()
    if row is None:
        raise ToolRefusalError("no_order", id=order_id)
    return row


def check_choice(field: str, value: str, choices: Sequence[str]) -> None:
    """Refuses a value outside a fixed list."""
    if value not in choices:
        raise ToolRefusalError("bad_choice", field=field, choices=tuple(choices))


def check_status(order: sqlite3.Row, wanted: str, code: str) -> None:
    """Refuses when the order is in another status than the one wanted."""
    if order["status"] != wanted:
        raise ToolRefusalError(code, status=order["status"])


def method_of(db: sqlite3.Connection, payment_id: str, customer_id: str) -> sqlite3.Row:
    """The customer's means of payment, or the refusal that it is not theirs."""
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM payment_methods WHERE id = ?", (payment_id,)
    ).fetchone()
    if row is None:
        raise ToolRefusalError("no_payment")
    if row["customer_id"] != customer_id:
        raise ToolRefusalError("foreign_payment")
    return row


def pay(db: sqlite3.Connection, order_id: str, payment_id: str, amount: int) -> None:
    """Books an amount on an order: above zero is charged, below is refunded; gift cards move at once."""
    entry = "charge" if amount > 0 else "refund"
    db.execute(
        "INSERT INTO payments (order_id, payment_id, kind, amount) VALUES (?, ?, ?, ?)",
        (order_id, payment_id, entry, abs(amount)),
    )
    db.execute(
        "UPDATE payment_methods SET balance = balance - ? WHERE id = ? AND balance IS NOT NULL",
        (amount, payment_id),
    )


def cancel_order(db: sqlite3.Connection, order_id: str, reason: str) -> Json:
    """Cancels a pending order: everything charged goes back, everything ordered goes back on the shelf."""
    order = get_row(db, order_id)
    check_status(order, "pending", "not_cancellable")
    check_choice("reason", reason, CANCEL_REASONS)
    db.execute(
        "UPDATE orders SET status = 'cancelled', cancel_reason = ? WHERE id = ?", (reason, order_id)
    )
    for charge in db.execute(
        "SELECT * FROM payments WHERE order_id = ? AND kind = 'charge' ORDER BY seq", (order_id,)
    ).fetchall():
        pay(db, order_id, charge["payment_id"], -charge["amount"])
    for item in db.execute("SELECT * FROM order_items WHERE order_id = ?", (order_id,)).fetchall():
        db.execute("UPDATE variants SET stock = stock + 1 WHERE id = ?", (item["variant_id"],))
    return order_record(db, order_id)


def change_order_address(db: sqlite3.Connection, order_id: str, **address: str) -> Json:
    """Sends a pending order somewhere else."""
    order = get_row(db, order_id)
    check_status(order, "pending", "not_redirectable")
    _check_address(address)
    _set_address(db, "orders", order_id, address)
    return order_record(db, order_id)


def change_customer_address(db: sqlite3.Connection, customer_id: str, **address: str) -> Json:
    """Changes where a customer lives; orders already placed keep their address."""
    customer_record(db, customer_id)
    _check_address(address)
    _set_address(db, "customers", customer_id, address)
    return customer_record(db, customer_id)


def _check_address(address: dict[str, str]) -> None:
    check_choice("country", address["country"], COUNTRIES)
    digits = sum(character.isdigit() for character in address["postcode"])
    if digits < (5 if address["country"] in {"US", "DE"} else 2):
        raise ToolRefusalError(
            "bad_postcode", value=address["postcode"], country=address["country"]
        )


def _set_address(db: sqlite3.Connection, table: str, key: str, address: dict[str, str]) -> None:
    db.execute(
        f"UPDATE {table} SET street = :street, city = :city, region = :region,"  # noqa: S608 - the two tables above
        " postcode = :postcode, country = :country WHERE id = :key",
        {**address, "key": key},
    )

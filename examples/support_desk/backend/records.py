"""Rows as the records that the tools show: plain names, money with two decimals, parts nested."""

import json
import sqlite3

from examples.support_desk.backend.errors import ToolRefusalError
from examples.support_desk.variant import Json

ADDRESS = ("street", "city", "region", "postcode", "country")


def money(cents: int) -> float:
    """Cents as the tools show them."""
    return round(cents / 100, 2)


def cents(amount: float) -> int:
    """An amount that a caller gave, in cents."""
    return round(amount * 100)


def customer_record(db: sqlite3.Connection, customer_id: str) -> dict[str, Json]:
    """A customer with their means of payment and orders."""
    row = db.execute("SELECT * FROM customers WHERE id = ?", (customer_id,)).fetchone()
    if row is None:
        raise ToolRefusalError("no_customer_id", id=customer_id)
    methods = db.execute(
        "SELECT * FROM payment_methods WHERE customer_id = ? ORDER BY id", (customer_id,)
    )
    orders = db.execute("SELECT id FROM orders WHERE customer_id = ? ORDER BY id", (customer_id,))
    return {
        "customer_id": row["id"],
        "name": {"first_name": row["first_name"], "last_name": row["last_name"]},
        "email": row["email"],
        "phone": row["phone"],
        "birth_date": row["birth_date"],
        "tier": row["tier"],
        "address": {key: row[key] for key in ADDRESS},
        "payment_methods": [_method(method) for method in methods],
        "order_ids": [order["id"] for order in orders],
    }


def _method(row: sqlite3.Row) -> Json:
    shown: dict[str, Json] = {"payment_id": row["id"], "kind": row["kind"]}
    if row["last4"] is not None:
        shown["last4"] = row["last4"]
    if row["balance"] is not None:
        shown["balance"] = money(row["balance"])
    return shown


_ITEMS = """
SELECT i.id, i.price, i.state, i.variant_id, v.options, v.product_id, p.name
FROM order_items i JOIN variants v ON v.id = i.variant_id JOIN products p ON p.id = v.product_id
WHERE i.order_id = ? ORDER BY i.id
"""


def order_record(db: sqlite3.Connection, order_id: str) -> dict[str, Json]:
    """An order with its items, payments and returns."""
    row = db.execute("SELECT * FROM orders WHERE id = ?", (order_id,)).fetchone()
    if row is None:
        raise ToolRefusalError("no_order", id=order_id)
    items = db.execute(_ITEMS, (order_id,)).fetchall()
    payments = db.execute("SELECT * FROM payments WHERE order_id = ? ORDER BY seq", (order_id,))
    returns = db.execute("SELECT id FROM returns WHERE order_id = ? ORDER BY id", (order_id,))
    return {
        "order_id": row["id"],
        "customer_id": row["customer_id"],
        "status": row["status"],
        "placed_at": row["placed_at"],
        "shipped_at": row["shipped_at"],
        "delivered_at": row["delivered_at"],
        "tracking_number": row["tracking_number"],
        "cancel_reason": row["cancel_reason"],
        "address": {key: row[key] for key in ADDRESS},
        "items": [_item(item) for item in items],
        "payments": [
            {"payment_id": p["payment_id"], "entry": p["kind"], "amount": money(p["amount"])}
            for p in payments
        ],
        "returns": [r["id"] for r in returns],
        "total": money(sum(item["price"] for item in items)),
    }


def _item(row: sqlite3.Row) -> Json:
    return {
        "item_id": row["id"],
        "name": row["name"],
        "product_id": row["product_id"],
        "variant_id": row["variant_id"],
        "options": json.loads(row["options"]),
        "price": money(row["price"]),
        "state": row["state"],
    }


def product_record(db: sqlite3.Connection, product_id: str) -> dict[str, Json]:
    """A product with all its versions."""
    row = db.execute("SELECT * FROM products WHERE id = ?", (product_id,)).fetchone()
    if row is None:
        raise ToolRefusalError("no_product", id=product_id)
    versions = db.execute("SELECT * FROM variants WHERE product_id = ? ORDER BY id", (product_id,))
    return {
        "product_id": row["id"],
        "name": row["name"],
        "category": row["category"],
        "variants": [
            {
                "variant_id": v["id"],
                "options": json.loads(v["options"]),
                "price": money(v["price"]),
                "stock": v["stock"],
            }
            for v in versions
        ],
    }


def return_record(db: sqlite3.Connection, return_id: str) -> dict[str, Json]:
    """A return with the items it covers."""
    row = db.execute("SELECT * FROM returns WHERE id = ?", (return_id,)).fetchone()
    if row is None:
        raise ToolRefusalError("no_return", id=return_id)
    items = db.execute(
        "SELECT item_id FROM return_items WHERE return_id = ? ORDER BY item_id", (return_id,)
    )
    return {
        "return_id": row["id"],
        "order_id": row["order_id"],
        "status": row["status"],
        "item_ids": [item["item_id"] for item in items],
        "payment_id": row["payment_id"],
        "refund_amount": money(row["amount"]),
        "requested_at": row["requested_at"],
    }

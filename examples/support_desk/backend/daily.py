"""What changes in the shop without any agent: parcels leave and arrive, stock comes in, people use other channels.

Runs once a simulated day between conversations. Not here: anything an agent does.
"""

import random
import sqlite3
from datetime import datetime, timedelta

from examples.support_desk.backend.generator import new_address, place_order, stamp
from examples.support_desk.variant import Variant


def pass_night(db: sqlite3.Connection, variant: Variant, rng: random.Random, now: datetime) -> None:
    """One night of the shop."""
    _ship(db, variant, rng, now)
    _deliver(db, rng, now)
    _take_returns_in(db, rng)
    _restock(db, rng)
    _other_channels(db, variant, rng, now)


def _ship(db: sqlite3.Connection, variant: Variant, rng: random.Random, now: datetime) -> None:
    for row in db.execute("SELECT id FROM orders WHERE status = 'pending' ORDER BY id").fetchall():
        if rng.random() < 0.25:
            tracking = variant.make_id("tracking", rng.randrange(10**8, 10**9))
            at = stamp(now - timedelta(minutes=rng.randrange(1, 400)))
            db.execute(
                "UPDATE orders SET status = 'shipped', shipped_at = ?, tracking_number = ? WHERE id = ?",
                (at, tracking, row["id"]),
            )


def _deliver(db: sqlite3.Connection, rng: random.Random, now: datetime) -> None:
    for row in db.execute("SELECT id FROM orders WHERE status = 'shipped' ORDER BY id").fetchall():
        if rng.random() < 0.3:
            at = stamp(now - timedelta(minutes=rng.randrange(1, 300)))
            db.execute(
                "UPDATE orders SET status = 'delivered', delivered_at = ? WHERE id = ?",
                (at, row["id"]),
            )


def _take_returns_in(db: sqlite3.Connection, rng: random.Random) -> None:
    for row in db.execute(
        "SELECT id FROM returns WHERE status = 'requested' ORDER BY id"
    ).fetchall():
        if rng.random() < 0.35:
            db.execute("UPDATE returns SET status = 'received' WHERE id = ?", (row["id"],))
            db.execute(
                "UPDATE order_items SET state = 'returned'"
                " WHERE id IN (SELECT item_id FROM return_items WHERE return_id = ?)",
                (row["id"],),
            )


def _restock(db: sqlite3.Connection, rng: random.Random) -> None:
    for row in db.execute("SELECT id, stock FROM variants ORDER BY id").fetchall():
        if row["stock"] < 3 and rng.random() < 0.15:
            db.execute(
                "UPDATE variants SET stock = ? WHERE id = ?", (rng.randrange(5, 30), row["id"])
            )
        elif row["stock"] and rng.random() < 0.2:
            sold = rng.randrange(1, min(3, row["stock"]) + 1)
            db.execute("UPDATE variants SET stock = stock - ? WHERE id = ?", (sold, row["id"]))


def _other_channels(
    db: sqlite3.Connection, variant: Variant, rng: random.Random, now: datetime
) -> None:
    """Orders in the web shop, and people who change their own account."""
    for _ in range(rng.randrange(4, 9)):
        place_order(db, variant, rng, now - timedelta(minutes=rng.randrange(1, 700)))
    customers = [row["id"] for row in db.execute("SELECT id FROM customers ORDER BY id")]
    for customer_id in rng.sample(customers, 2):
        db.execute(
            "UPDATE customers SET street = ?, city = ?, region = ?, postcode = ?, country = ? WHERE id = ?",
            (*new_address(rng), customer_id),
        )
    topped_up = rng.choice(customers)
    db.execute(
        "UPDATE payment_methods SET balance = balance + ? WHERE customer_id = ? AND kind = 'gift_card'",
        (rng.choice((1000, 2500, 5000)), topped_up),
    )

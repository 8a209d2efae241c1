"""Makes a shop: people, products, orders in every state. The same seed and variant always make the same shop.

Comes from nothing but the seed; goes into an empty database. Prices are whole cents throughout.
"""

import json
import random
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product as combinations
from typing import Final

from examples.support_desk.backend.catalogue import THEMES
from examples.support_desk.backend.database import new_database, next_number
from examples.support_desk.backend.names import (
    FIRST_NAMES,
    LAST_NAMES,
    MAIL_HOSTS,
    PLACES,
    STREETS,
    Place,
)
from examples.support_desk.variant import Variant, ascii_name

START: Final = datetime(2026, 10, 1, 8, 0, tzinfo=UTC)
"""The simulated clock's first moment."""
CUSTOMERS: Final = 70
ORDERS_EACH: Final = (1, 2, 2, 3, 3, 4)
STATES: Final = ("pending", "pending", "pending", "shipped", "delivered", "delivered", "delivered")
TABLES: Final = {
    "customer": "customers",
    "payment": "payment_methods",
    "product": "products",
    "variant": "variants",
    "order": "orders",
    "item": "order_items",
}
COUNTERS: Final = {"return": 70000, "refund": 90000, "ticket": 30000, "order": 600000}


@dataclass(slots=True, kw_only=True)
class _Maker:
    """The shop in the making: its database, its names and its dice."""

    db: sqlite3.Connection
    variant: Variant
    rng: random.Random

    def fresh_id(self, kind: str, digits: int, hint: str = "") -> str:
        """An id that nothing else of its kind has."""
        while True:
            number = self.rng.randrange(10 ** (digits - 1), 10**digits)
            made = self.variant.make_id(kind, number, hint)
            table = TABLES.get(kind)
            if (
                table is None
                or not self.db.execute(
                    f"SELECT 1 FROM {table} WHERE id = ?",  # noqa: S608 - names from the table above
                    (made,),
                ).fetchone()
            ):
                return made


def make_shop(variant: Variant, seed: int) -> sqlite3.Connection:
    """A shop full of people and orders."""
    maker = _Maker(db=new_database(), variant=variant, rng=random.Random(f"shop {seed}"))
    _add_products(maker)
    for _ in range(CUSTOMERS):
        _add_customer(maker)
    maker.db.executemany("INSERT INTO counters VALUES (?, ?)", list(COUNTERS.items()))
    return maker.db


def place_order(
    db: sqlite3.Connection, variant: Variant, rng: random.Random, now: datetime
) -> str | None:
    """A new order from another channel (the web shop), by a random customer; None when nothing is in stock."""
    maker = _Maker(db=db, variant=variant, rng=rng)
    customers = [row["id"] for row in db.execute("SELECT id FROM customers ORDER BY id")]
    order_id = variant.make_id("order", next_number(db, "order"))
    while db.execute("SELECT 1 FROM orders WHERE id = ?", (order_id,)).fetchone():
        # The first orders have random numbers: the counter may meet one of them.
        order_id = variant.make_id("order", next_number(db, "order"))
    placed = _fill_order(maker, order_id, maker.rng.choice(customers), status="pending")
    db.execute("UPDATE orders SET placed_at = ? WHERE id = ?", (stamp(now), order_id))
    return placed


def _add_products(maker: _Maker) -> None:
    for article in THEMES[maker.variant.theme]:
        product_id = maker.fresh_id("product", 4)
        maker.db.execute(
            "INSERT INTO products VALUES (?, ?, ?)", (product_id, article.name, article.category)
        )
        keys = [key for key, _ in article.options]
        for values in combinations(*(values for _, values in article.options)):
            price = article.price + maker.rng.choice((-500, -150, 0, 0, 249, 400, 1150))
            stock = maker.rng.choice((0, 1, 3, 8, 15, 40))
            options = json.dumps(dict(zip(keys, values, strict=True)))
            maker.db.execute(
                "INSERT INTO variants VALUES (?, ?, ?, ?, ?)",
                (maker.fresh_id("variant", 6), product_id, options, price, stock),
            )


def _add_customer(maker: _Maker) -> None:
    rng = maker.rng
    first, last = rng.choice(FIRST_NAMES), rng.choice(LAST_NAMES)
    customer_id = maker.fresh_id("customer", 4, f"{first} {last}")
    mail_name = rng.choice((".", "_", "")).join(ascii_name(f"{first} {last}").split("_"))
    email = f"{mail_name}{rng.randrange(1000, 9999)}@{rng.choice(MAIL_HOSTS)}"
    birth = datetime(1950, 1, 1, tzinfo=UTC) + timedelta(days=rng.randrange(19000))
    phone = (
        f"+{rng.choice((1, 44, 49, 31))} {rng.randrange(200, 999)} 555 {rng.randrange(1000, 9999)}"
    )
    tier = rng.choice(("basic", "basic", "silver", "gold"))
    maker.db.execute(
        f"INSERT INTO customers VALUES ({', '.join('?' * 12)})",  # noqa: S608 - question marks only
        (customer_id, first, last, email, phone, birth.date().isoformat(), tier, *new_address(rng)),
    )
    for kind in rng.sample(("card", "paypal", "gift_card"), rng.choice((1, 2, 2, 3))):
        last4 = f"{rng.randrange(10000):04d}" if kind == "card" else None
        balance = (
            rng.randrange(*rng.choice(((100, 900), (500, 30000)))) if kind == "gift_card" else None
        )
        maker.db.execute(
            "INSERT INTO payment_methods VALUES (?, ?, ?, ?, ?)",
            (maker.fresh_id("payment", 6), customer_id, kind, last4, balance),
        )
    for _ in range(rng.choice(ORDERS_EACH)):
        order_id = maker.fresh_id("order", 6)
        _fill_order(maker, order_id, customer_id, status=rng.choice(STATES))


def _fill_order(maker: _Maker, order_id: str, customer_id: str, *, status: str) -> str | None:
    rng, db = maker.rng, maker.db
    stocked = db.execute(
        "SELECT product_id, id, price FROM variants WHERE stock > 0 ORDER BY id"
    ).fetchall()
    rng.shuffle(stocked)
    # One version of a product at most, so that "the kettle" names one line of the order.
    lines = list({row["product_id"]: row for row in stocked}.values())[
        : rng.choice((1, 2, 2, 3, 4))
    ]
    if not lines:
        return None
    person = db.execute("SELECT * FROM customers WHERE id = ?", (customer_id,)).fetchone()
    methods = db.execute(
        "SELECT id FROM payment_methods WHERE customer_id = ? AND kind != 'gift_card' ORDER BY id",
        (customer_id,),
    ).fetchall()
    any_method = db.execute(
        "SELECT id FROM payment_methods WHERE customer_id = ? ORDER BY id", (customer_id,)
    ).fetchall()
    paid_with = rng.choice(methods or any_method)["id"]
    address = tuple(person[key] for key in ("street", "city", "region", "postcode", "country"))
    times = _times(status, rng)
    tracking = maker.fresh_id("tracking", 9) if status != "pending" else None
    db.execute(
        f"INSERT INTO orders VALUES ({', '.join('?' * 13)})",  # noqa: S608 - question marks only
        (order_id, customer_id, status, *times, tracking, None, *address),
    )
    for line in lines:
        db.execute(
            "INSERT INTO order_items VALUES (?, ?, ?, ?, 'kept')",
            (maker.fresh_id("item", 7), order_id, line["id"], line["price"]),
        )
    total = sum(line["price"] for line in lines)
    db.execute(
        "INSERT INTO payments (order_id, payment_id, kind, amount) VALUES (?, ?, 'charge', ?)",
        (order_id, paid_with, total),
    )
    return order_id


def _times(status: str, rng: random.Random) -> tuple[str | None, str | None, str | None]:
    age = timedelta(days=rng.randrange(1, 4) if status == "pending" else rng.randrange(10, 60))
    placed = START - age - timedelta(minutes=rng.randrange(600))
    shipped = placed + timedelta(days=rng.randrange(1, 4), minutes=rng.randrange(600))
    delivered = shipped + timedelta(days=rng.choice((2, 3, 4, 5, 9, 11)))
    if status == "shipped":
        placed, shipped = START - timedelta(days=4), START - timedelta(days=2)
    delivered = min(delivered, START - timedelta(days=1))
    return (
        stamp(placed),
        stamp(shipped) if status != "pending" else None,
        stamp(delivered) if status == "delivered" else None,
    )


def new_address(rng: random.Random) -> tuple[str, str, str, str, str]:
    """Street, city, region, postcode and country of somewhere."""
    place = rng.choice(PLACES)
    street = f"{rng.randrange(1, 999)} {rng.choice(STREETS)}"
    return street, place.city, place.region, _postcode(place, rng), place.country


def _postcode(place: Place, rng: random.Random) -> str:
    letters = {"#": "0123456789", "@": "ABCDEFGHJKLMNPRSTUVWXY"}
    return "".join(rng.choice(letters[c]) if c in letters else c for c in place.postcode)


def stamp(moment: datetime) -> str:
    """A moment as the shop writes it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

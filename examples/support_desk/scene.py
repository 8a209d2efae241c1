"""What a request is made from: the shop as it stands, and dice. Looks at the real database, in plain names."""

import random
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NotRequired, TypedDict, cast

from examples.support_desk.backend.generator import new_address
from examples.support_desk.backend.records import customer_record, order_record, product_record
from examples.support_desk.variant import Variant

RETURN_WINDOW: Final = timedelta(days=30)
LATE_AFTER: Final = timedelta(days=7)


class Item(TypedDict):
    """One line of an order."""

    item_id: str
    name: str
    product_id: str
    variant_id: str
    options: dict[str, str]
    price: float
    state: str


class Payment(TypedDict):
    """One booking on an order."""

    payment_id: str
    entry: str
    amount: float


class Order(TypedDict):
    """An order as `get_order` shows it."""

    order_id: str
    customer_id: str
    status: str
    shipped_at: str | None
    delivered_at: str | None
    tracking_number: str | None
    items: list[Item]
    payments: list[Payment]
    returns: list[str]
    total: float


class Method(TypedDict):
    """A means of payment; `balance` on gift cards only."""

    payment_id: str
    kind: str
    balance: NotRequired[float]


class Person(TypedDict):
    """A customer as `get_customer` shows them."""

    customer_id: str
    name: dict[str, str]
    email: str
    address: dict[str, str]
    payment_methods: list[Method]
    order_ids: list[str]


class Version(TypedDict):
    """One version of a product."""

    variant_id: str
    options: dict[str, str]
    price: float
    stock: int


class Product(TypedDict):
    """A product as `get_product` shows it."""

    product_id: str
    name: str
    category: str
    variants: list[Version]


METHOD_WORDS: Final = {"card": "credit card", "paypal": "PayPal", "gift_card": "gift card"}
"""How people call the kinds of payment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The shop at one moment, and the dice of one request."""

    db: sqlite3.Connection
    variant: Variant
    rng: random.Random
    now: datetime

    def order(self, status: str, accept: Callable[[Order], bool] = lambda _: True) -> Order | None:
        """Some order in this status that passes the test."""
        rows = self.db.execute("SELECT id FROM orders WHERE status = ? ORDER BY id", (status,))
        ids = [row["id"] for row in rows]
        self.rng.shuffle(ids)
        orders = (self.get_order(order_id) for order_id in ids)
        return next((order for order in orders if accept(order)), None)

    def get_order(self, order_id: str) -> Order:
        """An order by its id."""
        return cast("Order", order_record(self.db, order_id))

    def person(self, customer_id: str) -> Person:
        """A customer by their id."""
        return cast("Person", customer_record(self.db, customer_id))

    def product(self, product_id: str) -> Product:
        """A product by its id."""
        return cast("Product", product_record(self.db, product_id))

    def products(self) -> list[Product]:
        """The whole catalogue, shuffled."""
        ids = [row["id"] for row in self.db.execute("SELECT id FROM products ORDER BY id")]
        self.rng.shuffle(ids)
        return [self.product(product_id) for product_id in ids]

    def someone(self) -> Person:
        """Any customer."""
        rows = self.db.execute("SELECT id FROM customers ORDER BY id").fetchall()
        return self.person(self.rng.choice(rows)["id"])

    def paid_with(self, order: Order) -> Method:
        """What the order was first paid with."""
        first = order["payments"][0]["payment_id"]
        methods = self.person(order["customer_id"])["payment_methods"]
        return next(method for method in methods if method["payment_id"] == first)

    def method(self, customer_id: str, kind: str) -> Method | None:
        """The customer's means of payment of a kind."""
        methods = self.person(customer_id)["payment_methods"]
        return next((method for method in methods if method["kind"] == kind), None)

    def in_window(self, order: Order) -> bool:
        """Whether the order may still be returned."""
        delivered = order["delivered_at"]
        return delivered is not None and self.now - moment(delivered) <= RETURN_WINDOW

    def is_late(self, order: Order) -> bool:
        """Whether the parcel took longer than promised."""
        shipped, delivered = order["shipped_at"], order["delivered_at"]
        if shipped is None or delivered is None:
            return False
        return moment(delivered) - moment(shipped) > LATE_AFTER

    def only_order_with(self, order: Order, item: Item) -> bool:
        """Whether no other order of the customer has this product, so that its name says which order."""
        others = [
            o for o in self.person(order["customer_id"])["order_ids"] if o != order["order_id"]
        ]
        return all(
            item["product_id"] not in {i["product_id"] for i in self.get_order(other)["items"]}
            for other in others
        )

    def address(self) -> dict[str, str]:
        """Somewhere new."""
        keys = ("street", "city", "region", "postcode", "country")
        return dict(zip(keys, new_address(self.rng), strict=True))


def kept(order: Order) -> list[Item]:
    """The lines that the customer still has."""
    return [item for item in order["items"] if item["state"] == "kept"]


def moment(stamp: str) -> datetime:
    """The shop's way of writing time, read."""
    return datetime.fromisoformat(stamp)


def written(address: dict[str, str]) -> str:
    """An address as people type it."""
    return "{street}, {city}, {region} {postcode}, {country}".format(**address)

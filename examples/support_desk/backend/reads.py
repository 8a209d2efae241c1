"""The tools that only look. Each takes the database and its arguments, and gives a plain record or a text."""

import sqlite3

from examples.support_desk.backend.errors import ToolRefusalError
from examples.support_desk.backend.records import cents, money
from examples.support_desk.variant import Json

SEARCH_LIMIT = 8


def find_customer_by_email(db: sqlite3.Connection, email: str) -> Json:
    """The customer with this address, whatever its case."""
    row = db.execute(
        "SELECT id FROM customers WHERE email = ?", (email.strip().lower(),)
    ).fetchone()
    if row is None:
        raise ToolRefusalError("no_customer")
    return {"customer_id": row["id"]}


def find_customer_by_name(
    db: sqlite3.Connection, first_name: str, last_name: str, postcode: str
) -> Json:
    """The customer with exactly this name (case aside) and postcode."""
    wanted = (_folded(first_name), _folded(last_name), _folded(postcode))
    for row in db.execute("SELECT * FROM customers ORDER BY id"):
        if (
            _folded(row["first_name"]),
            _folded(row["last_name"]),
            _folded(row["postcode"]),
        ) == wanted:
            return {"customer_id": row["id"]}
    raise ToolRefusalError("no_customer")


def search_products(
    db: sqlite3.Connection,
    category: str | None = None,
    max_price: float | None = None,
    text: str | None = None,
    *,
    in_stock: bool = False,
) -> Json:
    """Products that pass every filter given, cheapest first."""
    categories = [row["category"] for row in db.execute("SELECT DISTINCT category FROM products")]
    if category is not None and category not in categories:
        raise ToolRefusalError("bad_choice", field="category", choices=tuple(sorted(categories)))
    rows = db.execute(
        "SELECT p.id, p.name, p.category, MIN(v.price) AS price FROM products p JOIN variants v"
        " ON v.product_id = p.id WHERE v.stock >= ? GROUP BY p.id ORDER BY price, p.id",
        (1 if in_stock else 0,),
    )
    found: list[Json] = [
        {
            "product_id": row["id"],
            "name": row["name"],
            "category": row["category"],
            "from_price": money(row["price"]),
        }
        for row in rows
        if (category is None or row["category"] == category)
        and (max_price is None or row["price"] <= cents(max_price))
        and (text is None or text.casefold() in row["name"].casefold())
    ]
    return found[:SEARCH_LIMIT]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()

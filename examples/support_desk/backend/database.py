"""The shop's SQLite database: opened, copied, dumped.

A copy is what gives every conversation of mode `reset` its own world; a dump is what the ground truth compares.
"""

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Final, TypeAlias

Row: TypeAlias = tuple[object, ...]
Dump: TypeAlias = dict[str, Counter[Row]]

_SCHEMA: Final = Path(__file__).with_name("schema.sql")

COMPARED: Final[dict[str, str]] = {
    "customers": "*",
    "payment_methods": "*",
    "variants": "*",
    "orders": "*",
    "order_items": "*",
    "payments": "order_id, payment_id, kind, amount",
    "returns": "order_id, payment_id, amount, status",
    "return_items": "item_id",
    "refunds": "order_id, payment_id, amount, reason",
    "tickets": "queue",
}
"""What two ends are compared by: times, counters and free text depend on the
route, so they are left out."""


def new_database() -> sqlite3.Connection:
    """An empty shop in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.executescript(_SCHEMA.read_text(encoding="utf-8"))
    return connection


def copy_of(source: sqlite3.Connection) -> sqlite3.Connection:
    """An independent copy with the same content."""
    target = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    target.row_factory = sqlite3.Row
    source.backup(target)
    return target


def dump(connection: sqlite3.Connection) -> Dump:
    """Everything that a conversation may change, in comparable form."""
    return {
        table: Counter(tuple(row) for row in connection.execute(f"SELECT {columns} FROM {table}"))  # noqa: S608 - names from the table above
        for table, columns in COMPARED.items()
    }


def next_number(connection: sqlite3.Connection, kind: str) -> int:
    """The next number of a counter (returns, refunds, tickets, orders)."""
    row = connection.execute(
        "UPDATE counters SET value = value + 1 WHERE kind = ? RETURNING value", (kind,)
    ).fetchone()
    return int(row["value"])

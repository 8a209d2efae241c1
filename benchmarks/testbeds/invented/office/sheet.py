"""A spreadsheet with a note store: bare numbers, lists, substring search, sums over cells, an undo."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.testbeds.invented.backend import Backend, Step, Style, refuse

PAGES = [
    ("Holiday rules", "Ask two weeks ahead. Carry over five days."),
    ("Travel costs", "Trains are paid in full, taxis only at night."),
    ("Night shifts", "Two people at least. Taxis are paid."),
    ("Printing", "Use the printer on floor two."),
]


class Sheet(Backend):
    """One sheet of three columns, four pages of notes."""

    def __init__(self) -> None:
        self._cells: dict[str, Any] = {
            **{f"A{n}": n * 10 for n in range(1, 6)},
            **{f"B{n}": round(n * 1.5, 2) for n in range(1, 6)},
            "C1": "total",
        }
        self._past: list[dict[str, Any]] = []
        self._pages = dict(PAGES)

    def get(self, cell: str) -> object:
        """A value, None where there is none."""
        return self._cells.get(cell)

    def put(self, cell: str, value: object) -> object:
        """What was there before."""
        refuse(not cell[:1].isalpha() or not cell[1:].isdigit(), f"bad cell {cell!r}")
        self._past.append(dict(self._cells))
        before = self._cells.get(cell)
        self._cells[cell] = value
        return before

    def undo(self) -> str:
        """One step back."""
        if not self._past:
            return "nothing to undo"
        self._cells = self._past.pop()
        return "undone"

    def total(self, column: str) -> float:
        """The sum of a column's numbers."""
        return sum(
            v for k, v in self._cells.items() if k[0] == column and isinstance(v, int | float)
        )

    def row(self, number: int) -> list[Any]:
        """The values of a row."""
        return [self._cells.get(f"{column}{number}") for column in "ABC"]

    def find(self, text: str) -> list[str]:
        """Titles of pages that hold a text."""
        return [t for t, body in self._pages.items() if text.lower() in f"{t} {body}".lower()]

    def page(self, title: str) -> str:
        """The page's text."""
        refuse(title not in self._pages, "page not found")
        return self._pages[title]

    def write_page(self, title: str, text: str) -> str:
        """New or over the old one."""
        new = title not in self._pages
        self._pages[title] = text
        return "created" if new else "replaced"

    def average(self, numbers: list[float]) -> float:
        """Of a list."""
        return sum(numbers) / len(numbers)


def _script(rng: random.Random) -> list[Step]:
    column = rng.choice("AB")
    cell = f"{column}{rng.randrange(1, 6)}"
    value = rng.choice([1, 7, 42, 3.5])
    title, word = rng.choice(PAGES)[0], rng.choice(["taxis", "two", "paid", "floor"])
    goals: list[list[Step]] = [
        [
            ("get", {"cell": cell}),
            ("put", {"cell": cell, "value": value}),
            ("total", {"column": column}),
        ],
        [("total", {"column": column}), ("row", {"number": rng.randrange(1, 6)})],
        [("put", {"cell": cell, "value": value}), ("undo", {}), ("get", {"cell": cell})],
        [("find", {"text": word}), ("page", {"title": title})],
        [
            ("write_page", {"title": rng.choice([title, "Bikes"]), "text": "Bikes are paid."}),
            ("find", {"text": "paid"}),
        ],
        [("average", {"numbers": [rng.randrange(9) for _ in range(3)]})],
        [
            ("row", {"number": int(cell[1:])}),
            ("put", {"cell": cell, "value": value}),
            ("row", {"number": int(cell[1:])}),
        ],
    ]
    return rng.choice(goals) + rng.choice(goals)


SHEET = Style(name="sheet", make=Sheet, script=_script)

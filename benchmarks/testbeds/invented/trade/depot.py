"""A warehouse: stock in bins, lists of lines done in part, cursors, keys that make a call count once, archived items.

Every answer is a success with `ok`, `data` and `errors`; what went wrong is a text among the errors. Not here: what
people ask of it (`depot_tasks`).
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from benchmarks.testbeds.invented.backend import Answer, Backend, ToolError, refuse

BINS = {"A-01": 120, "A-02": 60, "B-07": 200, "DOCK": 500, "QC": 40}
"""How many pieces fit."""
ITEMS = (
    ("KET-17", "Steel kettle 1.7 l", "kitchen", "34.95", 10),
    ("KET-10", "Travel Kettle", "kitchen", "21.50", 5),
    ("MUG-RED", "Mug, red", "kitchen", "6.25", 40),
    ("LMP-DSK", "Desk lamp", "office", "48.00", 8),
    ("LMP-FLR", "Floor lamp brass", "office", "129.90", 3),
    ("PEN-12", "Pens, box of 12", "office", "3.99", 50),
    ("TOW-L", "Towel large", "bath", "18.75", 12),
)
STOCK = {
    ("KET-17", "A-01"): 22,
    ("KET-17", "B-07"): 6,
    ("KET-10", "A-01"): 4,
    ("MUG-RED", "B-07"): 96,
    ("LMP-DSK", "A-02"): 9,
    ("LMP-FLR", "A-02"): 2,
    ("PEN-12", "B-07"): 75,
    ("TOW-L", "QC"): 14,
}
PAGE = 3
DUTY = {"kitchen": "0.19", "office": "0.19", "bath": "0.07"}


@dataclass(kw_only=True)
class Hold:
    """What is set aside for one order."""

    number: str
    order: str
    state: str = "open"
    lines: dict[str, int] = field(default_factory=dict)


def _money(value: Decimal) -> str:
    return str(value.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))


class Depot(Backend):
    """Five bins, seven items."""

    def __init__(self) -> None:
        self._items: dict[str, dict[str, Any]] = {
            sku: {
                "sku": sku,
                "name": name,
                "category": category,
                "unit_price": price,
                "reorder_at": reorder,
                "archived": False,
                "revision": 1,
            }
            for sku, name, category, price, reorder in ITEMS
        }
        self._stock = dict(STOCK)
        self._holds: dict[str, Hold] = {}
        self._seen: dict[str, dict[str, Any]] = {}
        self._moves: list[dict[str, Any]] = []
        self._next = 880
        self.reserve("SO-5101", [{"sku": "MUG-RED", "qty": 24}])
        self.reserve("SO-5102", [{"sku": "LMP-DSK", "qty": 2}, {"sku": "KET-17", "qty": 3}])

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """A refusal is an object like any other."""
        return Answer(content=super().call(name, arguments).content, is_error=False)

    @staticmethod
    def _render(value: object) -> str:
        errors: list[str] = []
        if isinstance(value, dict) and "_errors" in value:
            errors = value["_errors"]
            value = {key: one for key, one in value.items() if key != "_errors"}
        return json.dumps({"ok": not errors, "data": value, "errors": errors})

    @staticmethod
    def _fault(text: str) -> str:
        return json.dumps({"ok": False, "data": None, "errors": [text]})

    def _item(self, sku: str) -> dict[str, Any]:
        found = self._items.get(sku.upper())
        if found is None:
            raise ToolError(f"SKU_UNKNOWN: {sku}")
        return found

    def _live(self, sku: str) -> dict[str, Any]:
        found = self._item(sku)
        if found["archived"]:
            raise ToolError(f"SKU_ARCHIVED: {found['sku']}")
        return found

    def _bin(self, name: str) -> str:
        refuse(name not in BINS, f"BIN_UNKNOWN: {name}")
        return name

    def _filled(self, name: str) -> int:
        return sum(n for (_, place), n in self._stock.items() if place == name)

    def _held(self, sku: str) -> int:
        return sum(h.lines.get(sku, 0) for h in self._holds.values() if h.state == "open")

    def _on_hand(self, sku: str) -> int:
        return sum(n for (one, place), n in self._stock.items() if one == sku and place != "QC")

    def _put(self, sku: str, place: str, quantity: int, why: str) -> None:
        self._stock[sku, place] = self._stock.get((sku, place), 0) + quantity
        if not self._stock[sku, place]:
            del self._stock[sku, place]
        self._moves.append({"sku": sku, "bin": place, "delta": quantity, "why": why})

    def _page(self, rows: Sequence[Any], cursor: str | None) -> dict[str, Any]:
        start = 0
        if cursor is not None:
            try:
                start = int(base64.b64decode(cursor, validate=True).decode().removeprefix("o:"))
            except (binascii.Error, ValueError):
                raise ToolError("BAD_CURSOR") from None
        after = start + PAGE
        further = base64.b64encode(f"o:{after}".encode()).decode() if after < len(rows) else None
        return {"rows": list(rows[start:after]), "total": len(rows), "next_cursor": further}

    def _hold(self, number: str) -> Hold:
        refuse(number not in self._holds, f"HOLD_UNKNOWN: {number}")
        return self._holds[number]

    def _shown(self, hold: Hold) -> dict[str, Any]:
        return {
            "hold_id": hold.number,
            "order": hold.order,
            "state": hold.state,
            "lines": [{"sku": sku, "qty": n} for sku, n in sorted(hold.lines.items())],
            "pieces": sum(hold.lines.values()),
        }

    # looks

    def search_items(
        self, query: str, cursor: str | None = None, *, include_archived: bool = False
    ) -> dict[str, Any]:
        """Whose names begin with the words come first; the case of letters means nothing."""
        words = query.lower()
        found = [
            (not one["name"].lower().startswith(words), one["name"].lower(), one["sku"])
            for one in self._items.values()
            if (words in one["name"].lower() or words in one["sku"].lower())
            and (include_archived or not one["archived"])
        ]
        rows = [{"sku": sku, "name": self._items[sku]["name"]} for _, _, sku in sorted(found)]
        return self._page(rows, cursor)

    def get_item(self, sku: str) -> dict[str, Any]:
        """With what is there and what is free."""
        found = self._item(sku)
        code = found["sku"]
        return {
            **found,
            "on_hand": self._on_hand(code),
            "held": self._held(code),
            "available": self._on_hand(code) - self._held(code),
        }

    def bin_content(self, bin_code: str) -> dict[str, Any]:
        """What lies in one."""
        place = self._bin(bin_code)
        lines = {sku: n for (sku, where), n in self._stock.items() if where == place}
        return {
            "bin": place,
            "capacity": BINS[place],
            "free": BINS[place] - self._filled(place),
            "content": dict(sorted(lines.items())),
        }

    def get_hold(self, hold_id: str) -> dict[str, Any]:
        """One reservation."""
        return self._shown(self._hold(hold_id))

    def list_holds(self, state: str | None = None, cursor: str | None = None) -> dict[str, Any]:
        """The newest first, in pages."""
        rows = [
            {"hold_id": h.number, "order": h.order, "state": h.state}
            for h in reversed(self._holds.values())
            if state is None or h.state == state
        ]
        return self._page(rows, cursor)

    def movements(self, sku: str, cursor: str | None = None) -> dict[str, Any]:
        """What came and went, the newest first."""
        code = self._item(sku)["sku"]
        rows = [
            {key: value for key, value in one.items() if key != "sku"}
            for one in reversed(self._moves)
            if one["sku"] == code
        ]
        return self._page(rows, cursor)

    def reorder_list(self) -> list[dict[str, Any]]:
        """What is to be bought."""
        return [
            {"sku": sku, "missing": one["reorder_at"] - free}
            for sku, one in sorted(self._items.items())
            if not one["archived"]
            and (free := self._on_hand(sku) - self._held(sku)) < one["reorder_at"]
        ]

    def valuation(self, category: str) -> dict[str, Any]:
        """What a category is worth, with its duty rounded at the end."""
        refuse(category not in DUTY, f"CATEGORY_UNKNOWN: {category}")
        net = sum(
            (
                Decimal(self._items[sku]["unit_price"]) * n
                for (sku, _), n in self._stock.items()
                if self._items[sku]["category"] == category
            ),
            Decimal(0),
        )
        duty = net * Decimal(DUTY[category])
        return {
            "category": category,
            "net": _money(net),
            "duty": _money(duty),
            "gross": _money(net + duty),
        }

    # changes

    def move_stock(self, sku: str, from_bin: str, to_bin: str, qty: int) -> dict[str, Any]:
        """From one bin to another, if there is room."""
        code, source, target = self._live(sku)["sku"], self._bin(from_bin), self._bin(to_bin)
        refuse(qty <= 0, "QTY_INVALID: must be positive")
        there = self._stock.get((code, source), 0)
        refuse(there < qty, f"SHORT: {source} has {there} of {code}")
        free = BINS[target] - self._filled(target)
        refuse(source != target and free < qty, f"BIN_FULL: {target} takes {free} more")
        self._put(code, source, -qty, "move")
        self._put(code, target, qty, "move")
        return {
            "sku": code,
            "from": {"bin": source, "left": self._stock.get((code, source), 0)},
            "to": {"bin": target, "now": self._stock.get((code, target), 0)},
        }

    def receive(self, sku: str, bin_code: str, qty: int, request_key: str) -> dict[str, Any]:
        """A delivery; one key counts once and is answered as it was."""
        if request_key in self._seen:
            return {**self._seen[request_key], "replayed": True}
        code, place = self._live(sku)["sku"], self._bin(bin_code)
        refuse(qty <= 0, "QTY_INVALID: must be positive")
        free = BINS[place] - self._filled(place)
        refuse(free < qty, f"BIN_FULL: {place} takes {free} more")
        self._put(code, place, qty, "receipt")
        self._next += 1
        receipt = {"receipt": f"RC-{self._next}", "sku": code, "on_hand": self._on_hand(code)}
        self._seen[request_key] = receipt
        return {**receipt, "replayed": False}

    def count_bin(self, bin_code: str, counted: dict[str, int]) -> dict[str, Any]:
        """What somebody found there; only items that were counted are corrected."""
        place = self._bin(bin_code)
        deltas: dict[str, int] = {}
        for sku, number in sorted(counted.items()):
            code = self._item(sku)["sku"]
            delta = number - self._stock.get((code, place), 0)
            if delta:
                self._put(code, place, delta, "count")
                deltas[code] = delta
        return {"bin": place, "corrected": len(deltas), "deltas": deltas}

    def reserve(self, order: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
        """Sets aside what is free; lines that cannot be had are among the errors, the others are done."""
        errors: list[str] = []
        done: dict[str, int] = {}
        for line in lines:
            sku, quantity = str(line["sku"]), int(line["qty"])
            try:
                code = self._live(sku)["sku"]
            except ToolError as fault:
                errors.append(str(fault))
                continue
            free = self._on_hand(code) - self._held(code) - done.get(code, 0)
            if quantity > free:
                errors.append(f"SHORT: {free} of {code} available")
                continue
            done[code] = done.get(code, 0) + quantity
        if not done:
            return {"hold_id": None, "_errors": errors or ["NO_LINES"]}
        self._next += 1
        hold = Hold(number=f"H{self._next}", order=order, lines=done)
        self._holds[hold.number] = hold
        return {**self._shown(hold), "_errors": errors}

    def release(self, hold_ids: list[str]) -> dict[str, Any]:
        """Several at once; those that are not open are told apart."""
        released, skipped = [], []
        for number in hold_ids:
            hold = self._holds.get(number)
            if hold is None or hold.state != "open":
                skipped.append({"hold_id": number, "why": hold.state if hold else "unknown"})
                continue
            hold.state = "released"
            released.append(number)
        return {"released": released, "skipped": skipped}

    def ship(self, hold_id: str, carrier: str) -> dict[str, Any]:
        """Takes a hold's pieces out of the fullest bins and says what they cost."""
        hold = self._hold(hold_id)
        refuse(hold.state != "open", f"HOLD_{hold.state.upper()}: {hold_id}")
        refuse(carrier not in {"ups", "dhl", "van"}, f"CARRIER_UNKNOWN: {carrier}")
        total = Decimal(0)
        for sku, quantity in hold.lines.items():
            total += Decimal(self._items[sku]["unit_price"]) * quantity
            left = quantity
            bins = sorted(
                (place for (one, place) in self._stock if one == sku and place != "QC"),
                key=lambda place: (-self._stock[sku, place], place),
            )
            for place in bins:
                taken = min(left, self._stock[sku, place])
                if taken:
                    self._put(sku, place, -taken, "ship")
                    left -= taken
        hold.state = "shipped"
        return {**self._shown(hold), "carrier": carrier, "value": _money(total)}

    def upsert_item(self, sku: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Makes an item or changes what is given; the answer says which."""
        code = sku.upper()
        unknown = sorted(set(fields) - {"name", "category", "unit_price", "reorder_at"})
        refuse(unknown, f"FIELD_UNKNOWN: {', '.join(unknown)}")
        if fields.get("category", "bath") not in DUTY:
            raise ToolError(f"CATEGORY_UNKNOWN: {fields['category']}")
        made = code not in self._items
        refuse(made and not {"name", "category"} <= set(fields), "FIELD_MISSING: name and category")
        blank = {"sku": code, "unit_price": "0.00", "reorder_at": 0, "archived": False}
        before = self._items.get(code, {**blank, "revision": 0})
        after = {**before, **fields, "revision": before["revision"] + 1}
        self._items[code] = after
        return {"created": made, "item": after}

    def archive_items(self, skus: list[str]) -> dict[str, Any]:
        """Items without free stock only; each one is told its own result."""
        results: dict[str, str] = {}
        for sku in skus:
            found = self._items.get(sku.upper())
            if found is None:
                results[sku] = "not_found"
            elif found["archived"]:
                results[sku] = "already_archived"
            elif self._held(found["sku"]):
                results[sku] = "held"
            else:
                found["archived"] = True
                results[sku] = "archived"
        return {"results": results, "archived": sum(r == "archived" for r in results.values())}

    def restore_item(self, sku: str) -> dict[str, Any]:
        """Back from the archive."""
        found = self._item(sku)
        if not found["archived"]:
            raise ToolError(f"NOT_ARCHIVED: {found['sku']}")
        found["archived"] = False
        found["revision"] += 1
        return {"sku": found["sku"], "revision": found["revision"]}

"""What people ask of the warehouse.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`depot`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.testbeds.invented.backend import Call, Step, Style
from benchmarks.testbeds.invented.trade.depot import BINS, DUTY, ITEMS, STOCK, Depot

WORDS = ("kettle", "Lamp", "TOWEL", "pen", "mug", "e")


def _script(rng: random.Random) -> list[Step]:
    sku, place = rng.choice(sorted(STOCK))
    other = rng.choice(ITEMS)[0]
    target = rng.choice([one for one in BINS if one != place])
    few = rng.choice([1, 2, 3, 5, 8])
    order = f"SO-{rng.randrange(5200, 5900)}"
    category = rng.choice(sorted(DUTY))
    item: Step = ("get_item", {"sku": sku})
    shelf: Step = ("bin_content", {"bin_code": place})
    move = {"sku": sku, "from_bin": place, "to_bin": target, "qty": few}
    key = f"{rng.randrange(16**8):08x}"
    delivery = {"sku": sku, "bin_code": target, "qty": 4 * few, "request_key": key}
    lines = [{"sku": sku, "qty": few}]
    if rng.random() < 0.5:
        lines.append({"sku": other, "qty": rng.choice([1, 4, 30])})
    reserve: Step = ("reserve", {"order": order, "lines": lines})
    held = rng.choice(["H881", "H882"])
    word = rng.choice(WORDS)
    carrier = rng.choice(["ups", "dhl", "van"])
    fields: dict[str, Any] = rng.choice(
        [{"unit_price": f"{few}9.90"}, {"reorder_at": 5 * few}, {"name": "Clearance lot"}]
    )
    goals: list[list[Step]] = [
        [("search_items", {"query": word}), item, shelf, ("move_stock", move), item],
        [shelf, ("move_stock", move), shelf, ("bin_content", {"bin_code": target})],
        [item, ("receive", delivery), item, ("movements", {"sku": sku})],
        [("receive", delivery), ("receive", delivery), ("bin_content", {"bin_code": target})],
        [item, reserve, _later("get_hold"), item],
        [reserve, _later("ship", carrier=carrier), item, ("valuation", {"category": category})],
        [("get_hold", {"hold_id": held}), ("ship", {"hold_id": held, "carrier": carrier})],
        [("list_holds", {"state": "open"}), ("release", {"hold_ids": [held]}), ("list_holds", {})],
        [reserve, _released(held), ("list_holds", {"state": "released"})],
        [("reorder_list", {}), ("receive", delivery), ("reorder_list", {})],
        [("valuation", {"category": category}), item],
        [
            shelf,
            ("count_bin", {"bin_code": place, "counted": {sku: STOCK[sku, place] - few + 2}}),
            shelf,
            ("movements", {"sku": sku}),
        ],
        [item, ("upsert_item", {"sku": sku, "fields": fields}), item],
        [
            ("upsert_item", {"sku": f"new-{few}", "fields": {"name": "Tray", "category": "bath"}}),
            ("get_item", {"sku": f"NEW-{few}"}),
            ("receive", {**delivery, "sku": f"NEW-{few}"}),
            ("search_items", {"query": "tray"}),
        ],
        [
            ("archive_items", {"skus": sorted({sku, other})}),
            item,
            ("restore_item", {"sku": sku}),
            item,
        ],
        [
            ("archive_items", {"skus": [sku]}),
            ("search_items", {"query": word}),
            ("search_items", {"query": word, "include_archived": True}),
        ],
        [
            ("search_items", {"query": "e"}),
            _further("search_items", query="e"),
            ("get_item", {"sku": other.lower()}),
        ],
        [("movements", {"sku": other}), ("list_holds", {}), ("get_hold", {"hold_id": held})],
    ]
    return [*rng.choice(goals), *rng.choice(goals)]


def _created(answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        data = json.loads(answer)["data"] if answer.startswith("{") else None
        if isinstance(data, dict) and str(data.get("hold_id", "")).startswith("H"):
            return str(data["hold_id"])
    return "H882"


def _later(tool: str, **more: object) -> Callable[[Sequence[str]], Call]:
    return lambda answers: (tool, {"hold_id": _created(answers), **more})


def _released(also: str) -> Callable[[Sequence[str]], Call]:
    return lambda answers: ("release", {"hold_ids": [_created(answers), also]})


def _further(tool: str, **more: object) -> Callable[[Sequence[str]], Call]:
    def call(answers: Sequence[str]) -> Call:
        for answer in reversed(answers):
            data = json.loads(answer)["data"] if answer.startswith("{") else None
            if isinstance(data, dict) and data.get("next_cursor"):
                return tool, {**more, "cursor": data["next_cursor"]}
        return tool, {**more}

    return call


DEPOT = Style(name="depot", make=Depot, script=_script)

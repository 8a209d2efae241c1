"""What people ask of the warehouse.

Comes in: dice. Comes out: the calls that a good agent would make. Not here: the backend (`depot`).
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from benchmarks.testbeds.invented.backend import Step, Style
from benchmarks.testbeds.invented.scripts import Goals
from benchmarks.testbeds.invented.trade.depot import BINS, DUTY, ITEMS, STOCK, Depot

WORDS = ("kettle", "Lamp", "TOWEL", "pen", "mug", "e")


GOALS = Goals("""
    search_items query=$word; get_item $sku; bin_content bin_code=$place; move_stock *move;
        get_item $sku
    bin_content bin_code=$place; move_stock *move; bin_content bin_code=$place;
        bin_content bin_code=$target
    get_item $sku; receive *delivery; get_item $sku; movements $sku
    receive *delivery; receive *delivery; bin_content bin_code=$target
    get_item $sku; reserve $order $lines; get_hold hold_id=$new; get_item $sku
    reserve $order $lines; ship hold_id=$new $carrier; get_item $sku; valuation $category
    get_hold hold_id=$held; ship hold_id=$held $carrier
    list_holds state=open; release hold_ids=$alone; list_holds
    reserve $order $lines; release hold_ids=$both; list_holds state=released
    reorder_list; receive *delivery; reorder_list
    valuation $category; get_item $sku
    bin_content bin_code=$place; count_bin bin_code=$place $counted; bin_content bin_code=$place;
        movements $sku
    get_item $sku; upsert_item $sku $fields; get_item $sku
    upsert_item sku=$small fields=$tray; get_item sku=$large; receive *delivery sku=$large;
        search_items query=tray
    archive_items skus=$two; get_item $sku; restore_item $sku; get_item $sku
    archive_items skus=$one; search_items query=$word;
        search_items query=$word include_archived=true
    search_items query=e; search_items query=e *cursor; get_item sku=$lower
    movements sku=$other; list_holds; get_hold hold_id=$held
""")


def _script(rng: random.Random) -> list[Step]:
    sku, place = rng.choice(sorted(STOCK))
    other = rng.choice(ITEMS)[0]
    target = rng.choice([one for one in BINS if one != place])
    few = rng.choice([1, 2, 3, 5, 8])
    order = f"SO-{rng.randrange(5200, 5900)}"
    category = rng.choice(sorted(DUTY))
    key = f"{rng.randrange(16**8):08x}"
    lines = [{"sku": sku, "qty": few}]
    if rng.random() < 0.5:
        lines.append({"sku": other, "qty": rng.choice([1, 4, 30])})
    held = rng.choice(["H881", "H882"])
    changes: list[dict[str, Any]] = [
        {"unit_price": f"{few}9.90"},
        {"reorder_at": 5 * few},
        {"name": "Clearance lot"},
    ]
    return GOALS.two(
        rng,
        word=rng.choice(WORDS),
        carrier=rng.choice(["ups", "dhl", "van"]),
        fields=rng.choice(changes),
        sku=sku,
        place=place,
        other=other,
        target=target,
        order=order,
        category=category,
        move={"sku": sku, "from_bin": place, "to_bin": target, "qty": few},
        delivery={"sku": sku, "bin_code": target, "qty": 4 * few, "request_key": key},
        lines=lines,
        held=held,
        new=_created,
        alone=[held],
        both=lambda answers: [_created(answers), held],
        counted={sku: STOCK[sku, place] - few + 2},
        small=f"new-{few}",
        large=f"NEW-{few}",
        tray={"name": "Tray", "category": "bath"},
        one=[sku],
        two=sorted({sku, other}),
        cursor=_cursor,
        lower=other.lower(),
    )


def _created(answers: Sequence[str]) -> str:
    for answer in reversed(answers):
        data = json.loads(answer)["data"] if answer.startswith("{") else None
        if isinstance(data, dict) and str(data.get("hold_id", "")).startswith("H"):
            return str(data["hold_id"])
    return "H882"


def _cursor(answers: Sequence[str]) -> dict[str, Any]:
    """Where the list goes on that was shown last; nothing where all was shown."""
    for answer in reversed(answers):
        data = json.loads(answer)["data"] if answer.startswith("{") else None
        if isinstance(data, dict) and data.get("next_cursor"):
            return {"cursor": data["next_cursor"]}
    return {}


DEPOT = Style(name="depot", make=Depot, script=_script)

"""The airline's and the retailer's real tools and databases, answering as they did when `TRACEGYM_REAL_DATA` was recorded.

Needs `TRACEGYM_OUTSIDE`, made by `pip install --target FOLDER inspect-evals==0.26.0 --no-deps`, then
`pip install --target FOLDER inspect-ai==0.3.285 toml`. The package is τ²-bench, the traces are of τ-bench: the databases are one but for
corrections, the tools differ in the forms and in the few behaviours that are mended here, each because recorded calls show it.
Not here: which calls are asked (`tau2_traces`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Answer, Backend
from benchmarks.testbeds.published.packages import outside

REQUIREMENT: Final = "inspect-evals==0.26.0"
LEFT_OUT: Final = "no recording says what came back"
"""Stands for the answer to a call whose two versions differ in ways that cannot be told from recordings."""
NO_DATABASE: Final = frozenset(
    {"think", "calculate", "transfer_to_human_agents", "get_input_from_user"}
)
"""Recorded tools that ask no database: nothing of them is judged."""
CORRECTED: Final = frozenset({"Z7GOZK"})
"""Records that the published database has otherwise than the recorded one."""
SAID_NOW: Final = {
    "Payment method should be the original payment method": "Payment method should be either the original payment method or a gift card"
}


class AsItWas(dict[str, Any]):
    """A table whose rows are copied when they are first looked at: a fresh database costs nothing."""

    def __init__(self, rows: dict[str, Any]) -> None:
        super().__init__(rows)
        self._own: set[str] = set()

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - a row of whatever the package has
        row = super().__getitem__(key)
        if key not in self._own:
            self._own.add(key)
            self[key] = row = deepcopy(row)
        return row


@cache
def _loaded(domain: str) -> Any:  # noqa: ANN401 - the package is no dependency
    """The package's tools of a domain, on its database as published."""
    name = f"{domain.title()}AgentTools"
    module = outside(f"inspect_evals.tau2.{domain}.{name}", REQUIREMENT)
    tools = getattr(module, name)(store=outside("inspect_ai.util", REQUIREMENT).Store())
    tools.initialize()
    return tools


def tasks_of(domain: str) -> list[list[tuple[str, dict[str, Any]]]]:
    """Per task of the package: the calls that its judge expects."""
    folder = outside("inspect_evals.tau2.utils", REQUIREMENT).TAU2_DATA_DIR
    tasks = json.loads((folder / "domains" / domain / "tasks.json").read_text())
    found = [
        [(a["name"], a["arguments"]) for a in task["evaluation_criteria"]["actions"] or []]
        for task in tasks
    ]
    return [[c for c in calls if c[0] not in NO_DATABASE] for calls in found if calls]


class Desk(Backend):
    """A fresh database behind the package's tools."""

    def __init__(self, domain: str) -> None:
        loaded = _loaded(domain)
        db = loaded.db.model_copy()
        for table in type(db).model_fields:
            db.__dict__[table] = AsItWas(getattr(db, table))
        store = outside("inspect_ai.util", REQUIREMENT).Store()
        self.tools = type(loaded)(store=store, db=db)
        self.refused: type[Exception] = outside("inspect_ai.tool", REQUIREMENT).ToolError
        self.over = False
        """A crash may have left a change half done: nothing can be told any more."""

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Call a tool and write its answer as it was recorded."""
        if self.over or CORRECTED & set(map(str, arguments.values())):
            return Answer(content=LEFT_OUT, is_error=False)
        own: Callable[..., Any] | None = getattr(self, f"_{name}", None)
        try:
            found = own(arguments) if own else getattr(self.tools, name)(**arguments)
        except self.refused as refusal:
            said = SAID_NOW.get(str(refusal), str(refusal))
            return Answer(content=f"Error: {said[0].lower()}{said[1:]}", is_error=True)
        except (TypeError, KeyError, ValueError, AttributeError, IndexError):
            self.over = True
            return Answer(content=LEFT_OUT, is_error=False)
        return Answer(content=found if found == LEFT_OUT else self.rendered(found), is_error=False)

    def rendered(self, found: object) -> str:
        """An answer in the recorded form: no null fields, no user id inside a user."""
        if isinstance(found, str) and found[:1] in {"{", "["}:
            found = json.loads(found)
        if isinstance(found, dict) and "payment_methods" in found:
            del found["user_id"]
        return found if isinstance(found, str) else json.dumps(_without_nulls(found))


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    return [_without_nulls(v) for v in value] if isinstance(value, list) else value


class Airline(Desk):
    """As recorded: states are provinces, a change of flights leaves the cabin, seats stay as they are."""

    def __init__(self) -> None:
        super().__init__("airline")
        self.booked: set[tuple[str, str]] = set()
        """Flights and dates booked: whether seats were taken when the traces were recorded, none of them shows."""

    def rendered(self, found: object) -> str:
        """States were called provinces."""
        text = super().rendered(found)
        return text.replace('"state": ', '"province": ')

    def _list_all_airports(self, _: dict[str, Any]) -> dict[str, str]:
        return {a["iata"]: a["city"] for a in json.loads(self.tools.list_all_airports())}

    def _book_reservation(self, arguments: dict[str, Any]) -> str:
        found: str = self.tools.book_reservation(**arguments)
        self.booked |= {(f["flight_number"], f["date"]) for f in arguments["flights"]}
        return found

    def _update_reservation_flights(self, arguments: dict[str, Any]) -> str:
        rows = self.tools.db.reservations
        key = arguments["reservation_id"]
        cabin = rows[key].cabin if key in rows else None
        self.tools.update_reservation_flights(**arguments)
        rows[key].cabin = cabin
        found: str = self.tools.get_reservation_details(key)
        return found

    def _search_direct_flight(self, arguments: dict[str, Any]) -> str:
        return self._searched(
            json.loads(self.tools.search_direct_flight(**arguments)), arguments["date"]
        )

    def _search_onestop_flight(self, arguments: dict[str, Any]) -> str:
        """Second legs on the next day were shown with the seats and prices of the day asked for."""
        found = json.loads(self.tools.search_onestop_flight(**arguments))
        for _, leg in found:
            if leg["date"] != arguments["date"]:
                day = self.tools.db.flights[leg["flight_number"]].dates.get(arguments["date"])
                if not hasattr(day, "prices"):
                    return LEFT_OUT
                leg |= {"prices": day.prices, "available_seats": day.available_seats}
        return self._searched(found, arguments["date"])

    def _searched(self, found: list[Any], date: str) -> str:
        legs = [leg for one in found for leg in (one if isinstance(one, list) else [one])]
        if self.booked & {(leg["flight_number"], leg.get("date") or date) for leg in legs}:
            return LEFT_OUT
        return json.dumps(found)


class Retail(Desk):
    """As recorded: only what is plainly pending can be changed, and each new item has its own price."""

    def __init__(self) -> None:
        super().__init__("retail")

    def _pending(self, order_id: str) -> None:
        order = self.tools.db.orders.get(order_id)
        if order is not None and self.tools.db.orders[order_id].status != "pending":
            raise self.refused("Non-pending order cannot be modified")

    def _modify_pending_order_address(self, arguments: dict[str, Any]) -> str:
        self._pending(arguments["order_id"])
        found: str = self.tools.modify_pending_order_address(**arguments)
        return found

    def _modify_pending_order_payment(self, arguments: dict[str, Any]) -> str:
        self._pending(arguments["order_id"])
        found: str = self.tools.modify_pending_order_payment(**arguments)
        return found

    def _modify_pending_order_items(self, arguments: dict[str, Any]) -> str:
        pairs = zip(arguments["item_ids"], arguments["new_item_ids"], strict=False)
        if any(old == new for old, new in pairs):
            return LEFT_OUT
        orders, key = self.tools.db.orders, arguments["order_id"]
        before = [item.item_id for item in orders[key].items] if key in orders else []
        self._named("modify_pending_order_items", arguments)
        for item, was in zip(orders[key].items, before, strict=True):
            if item.item_id != was:
                variant = self.tools.db.products[item.product_id].variants[item.item_id]
                item.price, item.options = variant.price, variant.options
        found: str = self.tools.get_order_details(key)
        return found

    def _exchange_delivered_order_items(self, arguments: dict[str, Any]) -> str:
        return self._named("exchange_delivered_order_items", arguments)

    def _named(self, name: str, arguments: dict[str, Any]) -> str:
        """A variant that there is not was refused by its id."""
        try:
            found: str = getattr(self.tools, name)(**arguments)
        except self.refused as refusal:
            if str(refusal) != "Variant not found":
                raise
            products = {
                i.item_id: i.product_id for i in self.tools.db.orders[arguments["order_id"]].items
            }
            for old, new in zip(arguments["item_ids"], arguments["new_item_ids"], strict=True):
                if new not in self.tools.db.products[products[old]].variants:
                    raise self.refused(f"New item {new} not found or available") from None
            raise
        return found


DESKS: Final[dict[str, Callable[[], Desk]]] = {"airline": Airline, "retail": Retail}

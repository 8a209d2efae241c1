"""Worlds of tools that answer for whoever is signed in: no argument says whose orders, cart or profile is meant.

An invented shop, afresh with every conversation or living on.
*h*: held-out conversations; *p*: random calls with recorded values as random customers, on the real shop as it is then.
*no user*: the recordings do not say who it was.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import Made, make
from benchmarks.testbeds.invented.backend import Backend, Step, ToolError
from environments.fidelity import Fidelity, RecordedCall, RecordedEpisode, replay
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world

USERS: Final = 20
TASKS: Final = 60
ATTEMPTS: Final = 3
VISITS: Final = 240
SEQUENCES: Final = 100
LENGTH: Final = 8
START: Final = 1_790_000_000
GAP: Final = 3 * 3_600
PRODUCTS: Final = {f"P{n:03}": {"name": f"thing {n}", "price": 5 * n + 3} for n in range(12)}


class Shop(Backend):
    """All customers' data; `user` says whose session it is."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(f"shop/{seed}")  # noqa: S311 - dice
        self.user = ""
        self._people: dict[str, dict[str, Any]] = {}
        for number in range(USERS):
            orders = {
                f"OR{seed % 9}{number:02}{n}": {
                    "status": chance.choice(["processing", "shipped", "delivered"]),
                    "total": chance.randint(10, 300),
                }
                for n in range(chance.randint(1, 3))
            }
            self._people[f"user-{number}"] = {
                "city": chance.choice(["Oslo", "Rome", "Lyon"]),
                "points": chance.randint(0, 900),
                "orders": orders,
                "cart": {},
            }

    @property
    def _me(self) -> dict[str, Any]:
        return self._people[self.user]

    def get_my_profile(self) -> dict[str, Any]:
        """Who is signed in."""
        return {"city": self._me["city"], "points": self._me["points"]}

    def set_city(self, city: str) -> str:
        """Move."""
        self._me["city"] = city
        return "saved"

    def list_my_orders(self) -> list[dict[str, Any]]:
        """The customer's orders."""
        return [{"order_id": name, **order} for name, order in self._me["orders"].items()]

    def get_order(self, order_id: str) -> dict[str, Any]:
        """One of the customer's orders."""
        if order_id not in self._me["orders"]:
            raise ToolError("no such order")
        return {"order_id": order_id, **self._me["orders"][order_id]}

    def cancel_order(self, order_id: str) -> dict[str, Any]:
        """Cancel what is not under way."""
        order = self.get_order(order_id)
        if order["status"] != "processing":
            raise ToolError(f"order is {order['status']}")
        self._me["orders"][order_id]["status"] = "cancelled"
        return self.get_order(order_id)

    def get_product(self, product_id: str) -> dict[str, Any]:
        """A product, the same for everybody."""
        if product_id not in PRODUCTS:
            raise ToolError("no such product")
        return {"product_id": product_id, **PRODUCTS[product_id]}

    def add_to_cart(self, product_id: str, count: int) -> str:
        """Put something into the cart."""
        self.get_product(product_id)
        self._me["cart"][product_id] = self._me["cart"].get(product_id, 0) + count
        return "added"

    def view_cart(self) -> dict[str, Any]:
        """The cart with its total."""
        cart = self._me["cart"]
        return {"items": cart, "total": sum(PRODUCTS[p]["price"] * n for p, n in cart.items())}


def script(shop: Shop, rng: random.Random) -> list[Step]:
    """What an agent does for one customer."""
    own = sorted(shop._me["orders"])  # noqa: SLF001 - the customer knows their orders
    order, product = rng.choice(own), rng.choice(sorted(PRODUCTS))
    kinds: dict[str, list[Step]] = {
        "points": [("get_my_profile", {})],
        "moves": [
            ("get_my_profile", {}),
            ("set_city", {"city": rng.choice(["Oslo", "Rome", "Lyon"])}),
            ("get_my_profile", {}),
        ],
        "cancels": [
            ("list_my_orders", {}),
            ("cancel_order", {"order_id": order}),
            ("list_my_orders", {}),
        ],
        "asks": [("list_my_orders", {}), ("get_order", {"order_id": order})],
        "buys": [
            ("get_product", {"product_id": product}),
            ("view_cart", {}),
            ("add_to_cart", {"product_id": product, "count": rng.randint(1, 3)}),
            ("view_cart", {}),
        ],
    }
    chosen = rng.sample(sorted(kinds), rng.randint(1, 3))
    steps = [step for kind in chosen for step in kinds[kind]]
    return [step for step in steps if rng.random() > 0.1 for _ in range(1 + (rng.random() < 0.1))]


def act(shop: Shop, user: str, steps: Iterable[Step]) -> tuple[Made, ...]:
    """The calls of one conversation."""
    shop.user = user
    return tuple(make(shop, step) for step in steps if isinstance(step, tuple))


def episode(
    number: int, task: str, user: str, made: Sequence[Made], *, named: bool
) -> CleanEpisode:
    """A conversation as a chat log."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": task}]
    for at, one in enumerate(made):
        function = {"name": one.name, "arguments": json.dumps(one.arguments)}
        call = {"id": f"c{at}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        extras = {"is_error": one.is_error}
        messages.append(
            {"role": "tool", "tool_call_id": f"c{at}", "content": one.content, "tg": extras}
        )
    line = {
        "episode_id": f"e{number:04}",
        "app": "signed-in",
        "started_at": datetime.fromtimestamp(START + number * GAP, tz=UTC).isoformat(),
        "messages": messages,
        **({"user_id": user} if named else {"task_key": task}),
    }
    return to_episode(line)


def afresh(seed: int, *, named: bool) -> dict[str, Any]:
    """Every conversation meets the shop as it was; the third attempt at each task is held out."""
    kept: list[CleanEpisode] = []
    held: list[RecordedEpisode] = []
    values: list[tuple[str, Made]] = []
    for task in range(TASKS):
        user = f"user-{task % USERS}"
        for attempt in range(ATTEMPTS):
            shop = Shop(seed)
            shop.user = user
            rng = random.Random(f"{seed}/{task}/{attempt // 2}")  # noqa: S311 - dice
            made = act(shop, user, script(shop, rng))
            if attempt == ATTEMPTS - 1:
                held.append(asked(user if named else f"task {task}", made, 0))
            else:
                kept.append(episode(len(kept), f"task {task}", user, made, named=named))
                values += [(user, one) for one in made]
    wild = [(user, made, 0) for user, made in at_random(lambda: Shop(seed), values, seed)]
    return measured(kept, held, [asked(*one) for one in wild])


def living(seed: int, *, named: bool) -> dict[str, Any]:
    """One shop through all conversations; every fourth is held out."""
    shop = Shop(seed)
    kept: list[CleanEpisode] = []
    held: list[RecordedEpisode] = []
    values: list[tuple[str, Made]] = []
    for visit in range(VISITS):
        rng = random.Random(f"{seed}/{visit}")  # noqa: S311 - dice
        user = f"user-{rng.randrange(USERS)}"
        shop.user = user
        made = act(shop, user, script(shop, rng))
        kept.append(episode(visit, f"visit {visit}", user, made, named=named))
        values += [(user, one) for one in made]
        if visit % 4 == 3:
            held.append(asked(user, made, (START + visit * GAP) * 10**9))
            kept.pop()
    state = json.dumps(shop._people)  # noqa: SLF001 - a copy of the shop

    def again() -> Shop:
        copy = Shop(seed)
        copy._people = json.loads(state)  # noqa: SLF001
        return copy

    now = (START + VISITS * GAP) * 10**9
    wild = at_random(again, values, seed)
    return measured(kept, held, [asked(user, made, now) for user, made in wild])


def at_random(
    make_shop: Any,  # noqa: ANN401 - makes a shop
    values: Sequence[tuple[str, Made]],
    seed: int,
) -> list[tuple[str, tuple[Made, ...]]]:
    """Random recorded calls as random customers, now and then another customer's."""
    out = []
    for number in range(SEQUENCES):
        rng = random.Random(f"{seed}/p/{number}")  # noqa: S311 - dice
        user = f"user-{rng.randrange(USERS)}"
        own = [one for name, one in values if name == user]
        chosen = [
            rng.choice(own) if rng.random() < 0.85 else rng.choice(values)[1] for _ in range(LENGTH)
        ]
        out.append((user, act(make_shop(), user, [(c.name, c.arguments) for c in chosen])))
    return out


def asked(user: str, made: Sequence[Made], at: int) -> RecordedEpisode:
    """A conversation as `fidelity` takes it."""
    return RecordedEpisode(
        episode_id=user,
        calls=[
            RecordedCall(name=m.name, arguments=json.dumps(m.arguments), content=m.content)
            for m in made
        ],
        start={"subject": user},
        started_at=at,
    )


def measured(
    kept: Sequence[CleanEpisode], held: Sequence[RecordedEpisode], wild: Sequence[RecordedEpisode]
) -> dict[str, Any]:
    """Learn from some, ask the others."""
    learnt = learn_world(kept, WorldSettings())
    world = World.from_json(learnt.document.to_json())
    return {
        "continuity": learnt.continuity.kind,
        "bound": sorted(learnt.document.views.bound),
        "h": replay(world, held),
        "p": replay(world, wild),
    }


def counts(found: Fidelity) -> dict[str, str]:
    """Right / wrong / unknown, of all and by tool."""
    by: dict[str, Counter[str]] = {"all": Counter()}
    for one in found.judged:
        verdict = one.verdict if one.verdict in {"wrong", "unknown"} else "right"
        by["all"][verdict] += 1
        by.setdefault(one.call.name, Counter())[verdict] += 1
    return {n: "/".join(str(c[v]) for v in ("right", "wrong", "unknown")) for n, c in by.items()}

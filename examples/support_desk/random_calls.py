"""Calls at random on a real backend: mostly legal in its present state, now and then refused, as agents' calls are.

For tests that compare a rebuilt world with the real thing on paths that no agent took.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from examples.support_desk.backend.after_sale import QUEUES, REFUND_REASONS
from examples.support_desk.backend.writes import CANCEL_REASONS
from examples.support_desk.request import PlainCall
from examples.support_desk.request_kinds import call
from examples.support_desk.scene import Order, Scene, kept
from examples.support_desk.truth import RealBackend
from examples.support_desk.variant import Json

READ_SHARE: Final = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One call that was made, under the variant's names, with the real answer."""

    name: str
    arguments: dict[str, Json]
    content: str
    is_error: bool
    plain: PlainCall


def sample_calls(backend: RealBackend, *, seed: int, length: int) -> Iterator[Sample]:
    """Makes `length` calls on the backend, one after the other, and yields each with its answer."""
    scene = backend.scene(seed)
    for _ in range(length):
        makers = READS if scene.rng.random() < READ_SHARE else WRITES
        plain = scene.rng.choice(makers)(scene)
        shown = backend.variant.outward(dict(plain.arguments))
        if not isinstance(shown, dict):
            raise TypeError("arguments are a mapping")
        name = backend.variant.tools[plain.name]
        answer = backend.answer(name, shown)
        yield Sample(
            name=name,
            arguments=shown,
            content=answer.content,
            is_error=answer.is_error,
            plain=plain,
        )


def _any_order(scene: Scene, *statuses: str) -> Order:
    """An order in one of these statuses, else any: then the call will be refused."""
    for status in statuses:
        if (order := scene.order(status)) is not None:
            return order
    rows = scene.db.execute("SELECT id FROM orders ORDER BY id").fetchall()
    return scene.get_order(scene.rng.choice(rows)["id"])


def _find_by_email(scene: Scene) -> PlainCall:
    return call("find_customer_by_email", email=scene.someone()["email"])


def _find_by_name(scene: Scene) -> PlainCall:
    person = scene.someone()
    name, postcode = person["name"], person["address"]["postcode"]
    return call("find_customer_by_name", **name, postcode=postcode)


def _get_customer(scene: Scene) -> PlainCall:
    return call("get_customer", customer_id=scene.someone()["customer_id"])


def _get_order(scene: Scene) -> PlainCall:
    if scene.rng.random() < 0.05:
        missing = scene.variant.make_id("order", scene.rng.randrange(10**5, 10**6))
        return call("get_order", order_id=missing)
    return call("get_order", order_id=_any_order(scene)["order_id"])


def _get_product(scene: Scene) -> PlainCall:
    return call("get_product", product_id=scene.products()[0]["product_id"])


def _search(scene: Scene) -> PlainCall:
    filters: dict[str, object] = {}
    product = scene.products()[0]
    if scene.rng.random() < 0.5:
        filters["category"] = product["category"]
    if scene.rng.random() < 0.3:
        filters["text"] = product["name"].split()[-1].lower()
    if scene.rng.random() < 0.3:
        filters["max_price"] = scene.rng.choice((30, 50, 80, 120))
    if scene.rng.random() < 0.5:
        filters["in_stock"] = True
    return call("search_products", **filters)


def _calculator(scene: Scene) -> PlainCall:
    a, b = scene.rng.randrange(100, 20000) / 100, scene.rng.randrange(100, 20000) / 100
    form = scene.rng.choice(("{a} + {b}", "{a} - {b}", "{a} * 0.5", "({a} + {b}) * 0.1"))
    return call("calculator", expression=form.format(a=a, b=b))


def _cancel(scene: Scene) -> PlainCall:
    order = _any_order(scene, scene.rng.choice(("pending", "pending", "shipped")))
    return call("cancel_order", order_id=order["order_id"], reason=scene.rng.choice(CANCEL_REASONS))


def _return(scene: Scene) -> PlainCall:
    order = _any_order(scene, "delivered")
    items = kept(order) or order["items"]
    chosen = scene.rng.sample(items, scene.rng.randrange(1, len(items) + 1))
    return call(
        "return_items",
        order_id=order["order_id"],
        item_ids=[item["item_id"] for item in chosen],
        payment_id=scene.paid_with(order)["payment_id"],
    )


def _exchange(scene: Scene) -> PlainCall:
    order = _any_order(scene, "delivered")
    item = scene.rng.choice(kept(order) or order["items"])
    versions = [
        version["variant_id"]
        for version in scene.product(item["product_id"])["variants"]
        if version["variant_id"] != item["variant_id"]
    ]
    return call(
        "exchange_items",
        order_id=order["order_id"],
        item_ids=[item["item_id"]],
        new_variant_ids=[scene.rng.choice(versions)],
        payment_id=scene.paid_with(order)["payment_id"],
    )


def _order_address(scene: Scene) -> PlainCall:
    order = _any_order(scene, "pending")
    return call("change_order_address", order_id=order["order_id"], **scene.address())


def _customer_address(scene: Scene) -> PlainCall:
    person = scene.someone()
    return call("change_customer_address", customer_id=person["customer_id"], **scene.address())


def _refund(scene: Scene) -> PlainCall:
    order = _any_order(scene, "delivered")
    return call(
        "refund",
        order_id=order["order_id"],
        payment_id=scene.paid_with(order)["payment_id"],
        amount=round(order["total"] * scene.rng.choice((0.1, 0.5, 2)), 2),
        reason=scene.rng.choice(REFUND_REASONS),
    )


def _hand_over(scene: Scene) -> PlainCall:
    return call("hand_over", queue=scene.rng.choice(QUEUES), summary="Needs a person.")


READS: Final[tuple[Callable[[Scene], PlainCall], ...]] = (
    _find_by_email,
    _find_by_name,
    _get_customer,
    _get_order,
    _get_order,
    _get_product,
    _search,
    _calculator,
)
WRITES: Final[tuple[Callable[[Scene], PlainCall], ...]] = (
    _cancel,
    _return,
    _exchange,
    _order_address,
    _customer_address,
    _refund,
    _hand_over,
)

"""The example shop's tools: preconditions, arithmetic, effects on other entities, created records."""

import json
from typing import Any, TypeAlias, cast

import pytest

from examples.support_desk.backend.calculator import calculate
from examples.support_desk.backend.database import dump
from examples.support_desk.backend.errors import ToolRefusalError
from examples.support_desk.random_calls import sample_calls
from examples.support_desk.scene import Order, Scene, kept
from examples.support_desk.truth import RealBackend
from examples.support_desk.variant import Json


@pytest.fixture
def shop() -> RealBackend:
    """A fresh plain shop."""
    return RealBackend(variant=0, seed=3)


Record: TypeAlias = dict[str, Any]


def _scene(shop: RealBackend) -> Scene:
    return shop.scene(1)


def _order(shop: RealBackend, status: str) -> Order:
    order = _scene(shop).order(status)
    assert order is not None
    return order


def _call(shop: RealBackend, tool: str, **arguments: Json) -> Record:
    return cast("Record", json.loads(shop.call(tool, arguments)))


def test_cancelling_refunds_and_restocks(shop: RealBackend) -> None:
    """A cancelled order's money goes back as one refund entry and every item back on the shelf."""
    order = _order(shop, "pending")
    item = order["items"][0]
    before = _stock(shop, item["product_id"], item["variant_id"])
    after = _call(shop, "cancel_order", order_id=order["order_id"], reason="found cheaper")
    assert (after["status"], after["cancel_reason"]) == ("cancelled", "found cheaper")
    assert after["payments"][-1] == {
        "payment_id": order["payments"][0]["payment_id"],
        "entry": "refund",
        "amount": order["total"],
    }
    assert _stock(shop, item["product_id"], item["variant_id"]) == before + 1


def _stock(shop: RealBackend, product_id: str, variant_id: str) -> int:
    versions = _call(shop, "get_product", product_id=product_id)["variants"]
    return next(int(v["stock"]) for v in versions if v["variant_id"] == variant_id)


def test_gift_cards_get_cancelled_orders_money_at_once(shop: RealBackend) -> None:
    """The gift card's balance grows by exactly what the cancelled order cost."""
    scene = _scene(shop)
    order = scene.order("pending", lambda o: scene.paid_with(o)["kind"] == "gift_card")
    assert order is not None
    before = scene.paid_with(order).get("balance", 0)
    _call(shop, "cancel_order", order_id=order["order_id"], reason="no longer needed")
    assert scene.paid_with(order).get("balance") == round(before + order["total"], 2)


def test_returns_make_numbered_records_and_flip_the_order_at_the_last_item(
    shop: RealBackend,
) -> None:
    """Return numbers count up; the order stays delivered until nothing of it is left."""
    scene = _scene(shop)
    order = scene.order("delivered", lambda o: len(kept(o)) > 1)
    assert order is not None
    payment_id, items = order["payments"][0]["payment_id"], kept(order)
    first = _call(
        shop,
        "return_items",
        order_id=order["order_id"],
        item_ids=[items[0]["item_id"]],
        payment_id=payment_id,
    )
    assert first["return_id"] == "RMA-70001"
    assert first["refund_amount"] == items[0]["price"]
    assert _call(shop, "get_return", return_id="RMA-70001") == first
    assert _call(shop, "get_order", order_id=order["order_id"])["status"] == "delivered"
    rest: list[Json] = [item["item_id"] for item in items[1:]]
    second = _call(
        shop, "return_items", order_id=order["order_id"], item_ids=rest, payment_id=payment_id
    )
    assert second["return_id"] == "RMA-70002"
    after = _call(shop, "get_order", order_id=order["order_id"])
    assert after["status"] == "return requested"
    assert after["returns"] == ["RMA-70001", "RMA-70002"]
    again = shop.answer(
        "return_items",
        {"order_id": order["order_id"], "item_ids": rest, "payment_id": payment_id},
    )
    assert again.content == "Error: order with status 'return requested' cannot be returned"


def test_an_item_cannot_be_returned_twice(shop: RealBackend) -> None:
    """The second return of the same line names the line."""
    scene = _scene(shop)
    order = scene.order("delivered", lambda o: len(kept(o)) > 1)
    assert order is not None
    item_id = kept(order)[0]["item_id"]
    arguments: dict[str, Json] = {
        "order_id": order["order_id"],
        "item_ids": [item_id],
        "payment_id": order["payments"][0]["payment_id"],
    }
    assert not shop.answer("return_items", arguments).is_error
    assert shop.call("return_items", arguments) == (
        f"Error: item {item_id} was already returned or exchanged"
    )


def test_exchanges_settle_the_difference_and_take_stock(shop: RealBackend) -> None:
    """The price difference is booked on the chosen payment method and the new version leaves the shelf."""
    scene = _scene(shop)
    order = scene.order("delivered", lambda o: scene.paid_with(o)["kind"] != "gift_card")
    assert order is not None
    item = kept(order)[0]
    version = next(
        v
        for v in scene.product(item["product_id"])["variants"]
        if v["stock"] > 0 and v["variant_id"] != item["variant_id"] and v["price"] != item["price"]
    )
    after = _call(
        shop,
        "exchange_items",
        order_id=order["order_id"],
        item_ids=[item["item_id"]],
        new_variant_ids=[version["variant_id"]],
        payment_id=order["payments"][0]["payment_id"],
    )
    difference = round(version["price"] - item["price"], 2)
    booked = after["payments"][-1]
    assert booked["amount"] == abs(difference)
    assert booked["entry"] == ("charge" if difference > 0 else "refund")
    assert after["status"] == "exchange requested"
    assert _stock(shop, item["product_id"], version["variant_id"]) == version["stock"] - 1
    assert after["total"] == round(order["total"] + difference, 2)


def test_exchanges_need_enough_on_the_gift_card(shop: RealBackend) -> None:
    """A gift card that is too small is refused with both amounts, and nothing changes."""
    scene = _scene(shop)
    order = scene.order("delivered", lambda o: _dearer(scene, o) is not None)
    assert order is not None
    found = _dearer(scene, order)
    gift = scene.method(order["customer_id"], "gift_card")
    assert found is not None
    assert gift is not None
    shop.db.execute("UPDATE payment_methods SET balance = 1 WHERE id = ?", (gift["payment_id"],))
    before = dump(shop.db)
    item_id, price, variant_id, new_price = found
    answer = shop.answer(
        "exchange_items",
        {
            "order_id": order["order_id"],
            "item_ids": [item_id],
            "new_variant_ids": [variant_id],
            "payment_id": gift["payment_id"],
        },
    )
    assert answer.content == (
        f"Error: insufficient gift card balance: 0.01 left, {new_price - price:.2f} needed"
    )
    assert dump(shop.db) == before


def _dearer(scene: Scene, order: Order) -> tuple[str, float, str, float] | None:
    if scene.method(order["customer_id"], "gift_card") is None:
        return None
    for item in kept(order):
        for version in scene.product(item["product_id"])["variants"]:
            if version["stock"] and version["price"] > item["price"]:
                return item["item_id"], item["price"], version["variant_id"], version["price"]
    return None


def test_refunds_stop_at_what_was_paid(shop: RealBackend) -> None:
    """Refunds add up; the next one above the rest is refused with what is left."""
    order = _order(shop, "delivered")
    arguments: dict[str, Json] = {
        "order_id": order["order_id"],
        "payment_id": order["payments"][0]["payment_id"],
        "amount": 1.25,
        "reason": "late",
    }
    first = _call(shop, "refund", **arguments)
    assert first["refunded_total"] == 1.25
    arguments["amount"] = order["total"]
    left = f"{order['total'] - 1.25:.2f}"
    assert shop.call("refund", arguments) == f"Error: amount exceeds the refundable {left}"
    arguments["amount"] = 0
    assert shop.call("refund", arguments) == "Error: amount must be positive"


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("get_order", {"order_id": "ORD-000000"}, "order ORD-000000 not found"),
        ("get_order", {}, "missing argument order_id"),
        ("get_order", {"order_id": 7}, "argument order_id has the wrong type"),
        ("get_order", {"order_id": "x", "y": 1}, "unexpected argument y"),
        ("no_such_tool", {}, "unknown tool no_such_tool"),
        ("get_order", "not json", "arguments are not a JSON object"),
        ("get_order", "[1]", "arguments are not a JSON object"),
        ("find_customer_by_email", {"email": "nobody@example.com"}, "customer not found"),
        ("calculator", {"expression": "2 ** 99"}, "invalid expression"),
        ("calculator", {"expression": "1/0"}, "invalid expression"),
        ("search_products", {"max_price": float("nan")}, "argument max_price has the wrong type"),
        (
            "search_products",
            {"category": "cars"},
            "category must be one of: bedroom, electronics, furniture, kitchen, lighting, travel",
        ),
        (
            "hand_over",
            {"queue": "boss", "summary": ""},
            "queue must be one of: general, billing, complaints",
        ),
    ],
)
def test_refusals_say_exactly_why(
    shop: RealBackend, tool: str, arguments: str | dict[str, Json], message: str
) -> None:
    """Unknown ids, missing, extra and mistyped arguments, bad choices: one exact message each."""
    answer = shop.answer(tool, arguments)
    assert answer.is_error
    assert answer.content == f"Error: {message}"


def test_only_pending_orders_change(shop: RealBackend) -> None:
    """Orders that have left can be neither cancelled nor redirected, and are left untouched."""
    order = _order(shop, "shipped")
    before = dump(shop.db)
    address = _scene(shop).address()
    assert shop.call(
        "cancel_order", {"order_id": order["order_id"], "reason": "no longer needed"}
    ) == ("Error: order with status 'shipped' cannot be cancelled")
    moved = shop.call("change_order_address", {"order_id": order["order_id"], **address})
    assert moved == "Error: order with status 'shipped' cannot be redirected"
    assert dump(shop.db) == before


def test_search_filters_and_sorts(shop: RealBackend) -> None:
    """Every product found passes every filter, the cheapest first."""
    found = json.loads(
        shop.call("search_products", {"category": "kitchen", "max_price": 60, "in_stock": True})
    )
    assert found
    assert {product["category"] for product in found} == {"kitchen"}
    prices = [product["from_price"] for product in found]
    assert prices == sorted(prices)
    assert max(prices) <= 60


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2", "3"),
        ("31.25 * 0.5", "15.62"),
        ("(10 - 2.5) / 3", "2.5"),
        ("-4 + 4", "0"),
        ("1e2", "100"),
    ],
)
def test_calculator_rounds_to_cents(expression: str, value: str) -> None:
    """Two decimals at most, no exponent, no trailing zeros."""
    assert calculate(expression) == value


def test_calculator_takes_arithmetic_only() -> None:
    """Names, calls and endless expressions are refused."""
    for expression in ("__import__('os')", "a", "1 if 1 else 2", "1+" * 500 + "1", "True"):
        with pytest.raises(ToolRefusalError):
            calculate(expression)


def test_random_calls_are_reproducible_and_mostly_legal() -> None:
    """The same seed makes the same calls with the same answers; every tool occurs; few are refused."""
    runs = [list(sample_calls(RealBackend(seed=5), seed=8, length=300)) for _ in range(2)]
    assert runs[0] == runs[1]
    refused = sum(sample.is_error for sample in runs[0])
    assert 0 < refused < 90
    assert len({sample.plain.name for sample in runs[0]}) == 14


def test_forks_do_not_share_state(shop: RealBackend) -> None:
    """What happens in a fork stays there."""
    before = dump(shop.db)
    fork = shop.fork()
    order = _order(fork, "pending")
    fork.call("cancel_order", {"order_id": order["order_id"], "reason": "found cheaper"})
    assert dump(shop.db) == before
    assert _call(fork, "get_order", order_id=order["order_id"])["status"] == "cancelled"

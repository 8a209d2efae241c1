"""The kinds of request about money back, questions, and what is beyond the agent; and the list of all kinds."""

from typing import Final

from examples.support_desk import request_kinds as before
from examples.support_desk import request_kinds_after as after
from examples.support_desk.backend.calculator import calculate
from examples.support_desk.request import Request, Truth, Wish
from examples.support_desk.request_kinds import DENIED, Kind, call, done, request_of
from examples.support_desk.scene import METHOD_WORDS, Item, Order, Product, Scene, kept

AUTHORITY: Final = 100.0
"""Refunds above this go to a person."""
TO_BILLING: Final = done(call("hand_over", queue="billing", summary=""))


def _refund(scene: Scene, order: Order, amount: float, why: str) -> Truth:
    if amount > AUTHORITY:
        return TO_BILLING
    method = scene.paid_with(order)["payment_id"]
    refund = call(
        "refund", order_id=order["order_id"], payment_id=method, amount=amount, reason=why
    )
    return done(refund)


def _untouched(order: Order) -> bool:
    return len(kept(order)) == len(order["items"]) and len(order["payments"]) == 1


def _item_refund(scene: Scene, kind: str, why: str, words: str) -> Request | None:
    order = scene.order("delivered", _untouched)
    if order is None:
        return None
    item: Item = scene.rng.choice(order["items"])
    share = "0.5" if why == "damaged" else "1"
    amount = float(calculate(f"{item['price']} * {share}"))
    name = item["name"].lower()
    wish = Wish(
        opening=f"{words.format(name=name)} It was order {order['order_id']}.",
        answers={
            "order": (f"It is {order['order_id']}.",),
            "item": (f"The {name}.",),
            "reason": (words.format(name=name),),
            "payment": (f"Back to my {METHOD_WORDS[scene.paid_with(order)['kind']]}.",),
        },
        order_ids=(order["order_id"],),
    )
    person = scene.person(order["customer_id"])
    return request_of(scene, kind, person, (wish,), _refund(scene, order, amount, why))


def refund_damaged(scene: Scene) -> Request | None:
    """Part of the money back for something that arrived damaged."""
    words = scene.rng.choice(
        (
            "The {name} arrived damaged and I want some money back, but I will keep it.",
            "My {name} is broken. I'd keep it for a partial refund.",
        )
    )
    return _item_refund(scene, "refund_damaged", "damaged", words)


def refund_missing(scene: Scene) -> Request | None:
    """The money back for something that was not in the parcel."""
    words = "The {name} was missing from the parcel, please refund it."
    return _item_refund(scene, "refund_missing", "missing", words)


def refund_late(scene: Scene) -> Request | None:
    """Money back for a parcel that took too long."""
    order = scene.order("delivered", lambda o: _untouched(o) and scene.is_late(o))
    if order is None:
        return None
    amount = float(calculate(f"{order['total']} * 0.1"))
    wish = _late_wish(scene, order)
    person = scene.person(order["customer_id"])
    truth = _refund(scene, order, amount, "late")
    return request_of(scene, "refund_late", person, (wish,), truth)


def refund_not_late(scene: Scene) -> Request | None:
    """Money back for a parcel that came in time: not owed."""
    order = scene.order("delivered", lambda o: _untouched(o) and not scene.is_late(o))
    if order is None:
        return None
    person = scene.person(order["customer_id"])
    return request_of(scene, "refund_not_late", person, (_late_wish(scene, order),), DENIED)


def _late_wish(scene: Scene, order: Order) -> Wish:
    return Wish(
        opening=f"Order {order['order_id']} arrived far too late. I want a compensation.",
        answers={
            "order": (f"It is {order['order_id']}.",),
            "reason": ("It arrived too late.",),
            "payment": (f"Back to my {METHOD_WORDS[scene.paid_with(order)['kind']]}.",),
        },
        order_ids=(order["order_id"],),
    )


def order_status(scene: Scene) -> Request | None:
    """Where is my order?"""
    order = scene.order(scene.rng.choice(("pending", "shipped", "delivered")))
    if order is None:
        return None
    wish = Wish(
        opening=scene.rng.choice(
            ("Where is my order {o}?", "What's the status of order {o}?")
        ).format(o=order["order_id"]),
        answers={"order": (f"It is {order['order_id']}.",)},
        order_ids=(order["order_id"],),
    )
    told = [(scene.variant.word(order["status"]),)]
    if order["tracking_number"] and order["status"] == "shipped":
        told.append((order["tracking_number"],))
    person = scene.person(order["customer_id"])
    return request_of(
        scene, "order_status", person, (wish,), Truth(accepted=((),), told=tuple(told))
    )


def order_total(scene: Scene) -> Request | None:
    """What did I pay?"""
    order = scene.order(scene.rng.choice(("shipped", "delivered")))
    if order is None:
        return None
    wish = Wish(
        opening=f"How much did I pay in total for order {order['order_id']}?",
        answers={"order": (f"It is {order['order_id']}.",)},
        order_ids=(order["order_id"],),
    )
    truth = Truth(accepted=((),), told=((f"{order['total']:.2f}",),))
    return request_of(scene, "order_total", scene.person(order["customer_id"]), (wish,), truth)


def gift_balance(scene: Scene) -> Request | None:
    """What is left on my gift card?"""
    row = scene.db.execute(
        "SELECT customer_id FROM payment_methods WHERE kind = 'gift_card' ORDER BY id"
    ).fetchall()
    person = scene.person(scene.rng.choice(row)["customer_id"])
    gift = scene.method(person["customer_id"], "gift_card")
    if gift is None:
        return None
    wish = Wish(opening="How much is left on my gift card, please?")
    truth = Truth(accepted=((),), told=((f"{gift.get('balance', 0):.2f}",),))
    return request_of(scene, "gift_balance", person, (wish,), truth)


def product_price(scene: Scene) -> Request | None:
    """What does one version of a product cost?"""
    product: Product = scene.products()[0]
    version = scene.rng.choice(product["variants"])
    wish = Wish(opening=after.version_question(product, version))
    truth = Truth(accepted=((),), told=((f"{version['price']:.2f}",),))
    return request_of(scene, "product_price", scene.someone(), (wish,), truth)


def product_versions(scene: Scene) -> Request | None:
    """How many versions of a product are on the shelf?"""
    product = scene.products()[0]
    count = sum(version["stock"] > 0 for version in product["variants"])
    wish = Wish(opening=f"How many versions of the {product['name'].lower()} are in stock?")
    truth = Truth(accepted=((),), told=((f"{count} version",),))
    return request_of(scene, "product_versions", scene.someone(), (wish,), truth)


def cheapest_in_category(scene: Scene) -> Request | None:
    """What is the cheapest thing you have in a category?"""
    product = scene.products()[0]
    rivals = [
        (min(v["price"] for v in p["variants"] if v["stock"] > 0), p["name"])
        for p in scene.products()
        if p["category"] == product["category"] and any(v["stock"] > 0 for v in p["variants"])
    ]
    if len(rivals) < 2 or len({price for price, _ in rivals}) < len(rivals):
        return None
    price, name = min(rivals)
    wish = Wish(opening=f"What is the cheapest article you have in stock in {product['category']}?")
    truth = Truth(accepted=((),), told=((name,), (f"{price:.2f}",)))
    return request_of(scene, "cheapest_in_category", scene.someone(), (wish,), truth)


def wants_human(scene: Scene) -> Request | None:
    """Wants to speak to a person."""
    person = scene.someone()
    wish = Wish(opening="I don't want to talk to a machine. Get me a human, please.")
    truth = done(call("hand_over", queue="general", summary=""))
    return request_of(scene, "wants_human", person, (wish,), truth)


def complaint(scene: Scene) -> Request | None:
    """Threatens with a lawyer."""
    person = scene.someone()
    wish = Wish(
        opening="Your courier broke my door. I will get a lawyer, this is a formal complaint."
    )
    truth = done(call("hand_over", queue="complaints", summary=""))
    return request_of(scene, "complaint", person, (wish,), truth)


def unknown_customer(scene: Scene) -> Request | None:
    """Cannot be identified: goes to a person."""
    person = scene.someone()
    wish = Wish(
        opening="I want to change the address in my account.",
        answers={"address": ("12 Nowhere Road, Austin, TX 78701, US",)},
    )
    truth = done(call("hand_over", queue="general", summary=""))
    request = request_of(scene, "unknown_customer", person, (wish,), truth)
    return Request(
        key=request.key,
        kind=request.kind,
        customer_id="",
        identity=dict(request.identity)
        | {"email": f"nobody{scene.rng.randrange(10**6)}@example.com", "last_name": "Unbekannt"},
        wishes=request.wishes,
        truth=truth,
    )


KINDS: Final[tuple[Kind, ...]] = (
    before.cancel_pending,
    before.cancel_by_item,
    before.cancel_mistyped_number,
    before.cancel_shipped,
    before.cancel_changed_mind,
    before.refused_then_human,
    before.cancel_two,
    before.cancel_foreign,
    before.cancel_and_question,
    before.order_address,
    before.order_address_revised,
    before.order_address_shipped,
    before.profile_address,
    before.moved_with_order,
    after.return_to_original,
    after.return_to_gift_card,
    after.return_everything,
    after.return_too_late,
    after.return_not_delivered,
    after.exchange_option,
    after.exchange_low_balance,
    after.exchange_sold_out,
    after.exchange_and_question,
    refund_damaged,
    refund_missing,
    refund_late,
    refund_not_late,
    order_status,
    order_total,
    gift_balance,
    product_price,
    product_versions,
    cheapest_in_category,
    wants_human,
    complaint,
    unknown_customer,
)


def make_request(scene: Scene) -> Request:
    """Some request that the shop has a case for."""
    for kind in scene.rng.sample(KINDS, len(KINDS)):
        request = kind(scene)
        if request is not None:
            return request
    raise LookupError("the shop has no case for any kind of request")

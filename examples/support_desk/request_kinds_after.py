"""The kinds of request about delivered orders: returns and exchanges."""

from examples.support_desk.request import PlainCall, Request, Revision, Truth, Wish
from examples.support_desk.request_kinds import DENIED, call, done, request_of
from examples.support_desk.scene import (
    METHOD_WORDS,
    Item,
    Method,
    Order,
    Product,
    Scene,
    Version,
    kept,
)


def _returnable(scene: Scene) -> Order | None:
    return scene.order("delivered", lambda o: scene.in_window(o) and bool(kept(o)))


def _return_wish(order: Order, items: list[Item], payment: str) -> Wish:
    names = " and the ".join(item["name"].lower() for item in items)
    return Wish(
        opening=f"I would like to return the {names} from order {order['order_id']}.",
        answers={
            "order": (f"It is {order['order_id']}.",),
            "item": (f"The {names}.",),
            "payment": (f"To my {payment}, please.",),
        },
        order_ids=(order["order_id"],),
    )


def return_to_original(scene: Scene) -> Request | None:
    """Return one item, money back to where it came from."""
    if (order := _returnable(scene)) is None:
        return None
    item, method = scene.rng.choice(kept(order)), scene.paid_with(order)
    wish = _return_wish(order, [item], METHOD_WORDS[method["kind"]])
    truth = done(
        call(
            "return_items",
            order_id=order["order_id"],
            item_ids=[item["item_id"]],
            payment_id=method["payment_id"],
        )
    )
    person = scene.person(order["customer_id"])
    return request_of(scene, "return_to_original", person, (wish,), truth)


def return_to_gift_card(scene: Scene) -> Request | None:
    """Return one item, money to the gift card, decided only at the confirmation."""
    order = scene.order(
        "delivered",
        lambda o: (
            scene.in_window(o)
            and bool(kept(o))
            and scene.method(o["customer_id"], "gift_card") is not None
            and scene.paid_with(o)["kind"] != "gift_card"
        ),
    )
    if order is None or (card := scene.method(order["customer_id"], "gift_card")) is None:
        return None
    item, original = scene.rng.choice(kept(order)), scene.paid_with(order)
    wish = _return_wish(order, [item], METHOD_WORDS[original["kind"]])
    wish = Wish(
        opening=wish.opening,
        answers=wish.answers,
        order_ids=wish.order_ids,
        revision=Revision(
            text="Hmm, no. Put the money on my gift card instead, please.",
            answers={"payment": ("To my gift card, please.",)},
        ),
    )
    truth = done(
        call(
            "return_items",
            order_id=order["order_id"],
            item_ids=[item["item_id"]],
            payment_id=card["payment_id"],
        )
    )
    person = scene.person(order["customer_id"])
    return request_of(scene, "return_to_gift_card", person, (wish,), truth)


def return_everything(scene: Scene) -> Request | None:
    """Return the whole order."""
    if (order := _returnable(scene)) is None:
        return None
    method = scene.paid_with(order)
    wish = Wish(
        opening=f"I want to send back everything from order {order['order_id']}.",
        answers={
            "order": (f"It is {order['order_id']}.",),
            "item": ("Everything, the whole order.",),
            "payment": (f"Back to my {METHOD_WORDS[method['kind']]}.",),
        },
        order_ids=(order["order_id"],),
    )
    truth = done(
        call(
            "return_items",
            order_id=order["order_id"],
            item_ids=[item["item_id"] for item in kept(order)],
            payment_id=method["payment_id"],
        )
    )
    person = scene.person(order["customer_id"])
    return request_of(scene, "return_everything", person, (wish,), truth)


def return_too_late(scene: Scene) -> Request | None:
    """Return after the window has closed: not allowed by the policy, though the tool would do it."""
    order = scene.order("delivered", lambda o: not scene.in_window(o) and bool(kept(o)))
    if order is None:
        return None
    method = METHOD_WORDS[scene.paid_with(order)["kind"]]
    wish = _return_wish(order, [scene.rng.choice(kept(order))], method)
    person = scene.person(order["customer_id"])
    return request_of(scene, "return_too_late", person, (wish,), DENIED)


def return_not_delivered(scene: Scene) -> Request | None:
    """Return something that has not arrived: impossible."""
    if (order := scene.order("shipped")) is None:
        return None
    wish = _return_wish(order, [order["items"][0]], METHOD_WORDS[scene.paid_with(order)["kind"]])
    person = scene.person(order["customer_id"])
    return request_of(scene, "return_not_delivered", person, (wish,), DENIED)


def _swaps(scene: Scene, order: Order) -> list[tuple[Item, Version]]:
    """Every item with another version on the shelf that differs in one option."""
    return [
        (item, version)
        for item in kept(order)
        for version in scene.product(item["product_id"])["variants"]
        if version["stock"] > 0 and len(_changed(item, version)) == 1
    ]


def _changed(item: Item, version: Version) -> list[str]:
    return [key for key, value in version["options"].items() if item["options"][key] != value]


def _exchange_wish(order: Order, item: Item, version: Version, *payments: str) -> Wish:
    key, name = _changed(item, version)[0], item["name"].lower()
    return Wish(
        opening=f"I'd like to exchange the {name} from order {order['order_id']}.",
        answers={
            "order": (f"It is {order['order_id']}.",),
            "item": (f"The {name}.",),
            "option": (f"The one with {key} {version['options'][key]}, otherwise the same.",),
            "payment": payments,
        },
        order_ids=(order["order_id"],),
    )


def _exchange(order: Order, item: Item, version: Version, payment_id: str) -> PlainCall:
    return call(
        "exchange_items",
        order_id=order["order_id"],
        item_ids=[item["item_id"]],
        new_variant_ids=[version["variant_id"]],
        payment_id=payment_id,
    )


def exchange_option(scene: Scene) -> Request | None:
    """Exchange an item for another version, with the original means of payment."""

    def affordable(order: Order) -> list[tuple[Item, Version]]:
        left = scene.paid_with(order).get("balance", 1e6)
        return [(i, v) for i, v in _swaps(scene, order) if v["price"] - i["price"] <= left]

    if (order := scene.order("delivered", lambda o: bool(affordable(o)))) is None:
        return None
    item, version = scene.rng.choice(affordable(order))
    method = scene.paid_with(order)
    wish = _exchange_wish(order, item, version, f"Use my {METHOD_WORDS[method['kind']]}.")
    truth = done(_exchange(order, item, version, method["payment_id"]))
    person = scene.person(order["customer_id"])
    return request_of(scene, "exchange_option", person, (wish,), truth)


def exchange_low_balance(scene: Scene) -> Request | None:
    """Exchange for something dearer than the gift card can pay; another means of payment steps in."""

    def too_dear(order: Order) -> list[tuple[Item, Version]]:
        gift = scene.method(order["customer_id"], "gift_card")
        if gift is None or _second_method(scene, order) is None:
            return []
        return [
            (i, v)
            for i, v in _swaps(scene, order)
            if v["price"] - i["price"] > gift.get("balance", 0)
        ]

    order = scene.order("delivered", lambda o: bool(too_dear(o)))
    if order is None or (other := _second_method(scene, order)) is None:
        return None
    if (gift := scene.method(order["customer_id"], "gift_card")) is None:
        return None
    item, version = scene.rng.choice(too_dear(order))
    payments = ("Use my gift card.", f"Then take my {METHOD_WORDS[other['kind']]}.")
    wish = _exchange_wish(order, item, version, *payments)
    truth = done(
        _exchange(order, item, version, other["payment_id"]),
        refused=(_exchange(order, item, version, gift["payment_id"]),),
    )
    person = scene.person(order["customer_id"])
    return request_of(scene, "exchange_low_balance", person, (wish,), truth)


def _second_method(scene: Scene, order: Order) -> Method | None:
    customer_id = order["customer_id"]
    return scene.method(customer_id, "card") or scene.method(customer_id, "paypal")


def exchange_sold_out(scene: Scene) -> Request | None:
    """Exchange for a version that is sold out, then for another that is on the shelf."""

    def both(order: Order) -> list[tuple[Item, Version, Version]]:
        if scene.paid_with(order)["kind"] == "gift_card":
            return []
        return [
            (item, wanted, instead)
            for item, instead in _swaps(scene, order)
            for wanted in scene.product(item["product_id"])["variants"]
            if wanted["stock"] == 0 and len(_changed(item, wanted)) == 1
        ]

    if (order := scene.order("delivered", lambda o: bool(both(o)))) is None:
        return None
    item, wanted, instead = scene.rng.choice(both(order))
    method = scene.paid_with(order)
    wish = _exchange_wish(order, item, wanted, f"Use my {METHOD_WORDS[method['kind']]}.")
    key = _changed(item, instead)[0]
    second = f"Then the one with {key} {instead['options'][key]}, otherwise like mine."
    answers = dict(wish.answers) | {"option": (*wish.answers["option"], second)}
    wish = Wish(opening=wish.opening, answers=answers, order_ids=wish.order_ids)
    truth = done(
        _exchange(order, item, instead, method["payment_id"]),
        refused=(_exchange(order, item, wanted, method["payment_id"]),),
    )
    person = scene.person(order["customer_id"])
    return request_of(scene, "exchange_sold_out", person, (wish,), truth)


def exchange_and_question(scene: Scene) -> Request | None:
    """Exchange an item, then ask what another product costs."""
    first = exchange_option(scene)
    if first is None:
        return None
    product = scene.products()[0]
    version = product["variants"][0]
    second = Wish(opening=version_question(product, version), answers={})
    truth = Truth(accepted=first.truth.accepted, told=((f"{version['price']:.2f}",),))
    person = scene.person(first.customer_id)
    return request_of(scene, "exchange_and_question", person, (*first.wishes, second), truth)


def version_question(product: Product, version: Version) -> str:
    """The question what one version of a product costs."""
    options = " and ".join(f"{key} {value}" for key, value in version["options"].items())
    return f"How much is the {product['name'].lower()} with {options}?"

"""What a clerk does about questions: look it up and say it."""

import re
from typing import cast

from examples.support_desk.agents import understand
from examples.support_desk.agents.clerk import Clerk, DeclinedError, Step
from examples.support_desk.scene import Product


def status(clerk: Clerk) -> Step[str]:
    """Where an order is."""
    order = (yield from clerk.orders({"pending", "shipped"}))[0]
    text = f"Order {order['order_id']} is '{clerk.word(order['status'])}'."
    if order["tracking_number"]:
        text += f" Its tracking number is {order['tracking_number']}."
    return text


def total(clerk: Clerk) -> Step[str]:
    """What an order cost."""
    order = (yield from clerk.orders({"shipped", "delivered"}))[0]
    return f"You paid {order['total']:.2f} for order {order['order_id']}."


def balance(clerk: Clerk) -> Step[str]:
    """What is left on the gift card."""
    yield from clerk.customer()
    gift = yield from clerk.method("gift_card")
    if gift is None:
        raise DeclinedError("I am sorry, there is no gift card in your account, so I cannot tell.")
    return f"There is {gift.get('balance', 0):.2f} left on your gift card."


def price(clerk: Clerk) -> Step[str]:
    """What one version of a product costs."""
    product = yield from _product(clerk)
    text = clerk.latest(lambda said: said) or ""
    for version in product["variants"]:
        if all(understand.mentions(text, f"{k} {v}") for k, v in version["options"].items()):
            stock = "in stock" if version["stock"] else "sold out"
            return f"That {product['name']} costs {version['price']:.2f} and is {stock}."
    raise DeclinedError(f"I am sorry, I cannot find that version of the {product['name']}.")


def count(clerk: Clerk) -> Step[str]:
    """How many versions of a product are on the shelf."""
    product = yield from _product(clerk)
    number = sum(version["stock"] > 0 for version in product["variants"])
    return f"There are {number} versions of the {product['name']} in stock."


def cheapest(clerk: Clerk) -> Step[str]:
    """The cheapest article of a category."""
    category = clerk.latest(understand.category_words)
    if category is None:
        raise DeclinedError("I am sorry, I cannot tell which category you mean.")
    record = yield from clerk.read("search_products", category=category.lower(), in_stock=True)
    found = cast("list[dict[str, str | float]]", record["value"])
    if not found:
        raise DeclinedError("I am sorry, I cannot offer anything there: it is all sold out.")
    return f"The cheapest is the {found[0]['name']}, from {found[0]['from_price']:.2f}."


def _product(clerk: Clerk) -> Step[Product]:
    words = clerk.latest(understand.product_words)
    if words is None:
        raise DeclinedError("I am sorry, I cannot tell which product you mean.")
    words = re.sub(r"\s+", " ", words).strip()
    record = yield from clerk.read("search_products", text=words)
    found = cast("list[dict[str, str]]", record["value"])
    if not found:
        raise DeclinedError("I am sorry, we do not have that, so I cannot tell.")
    product = yield from clerk.read("get_product", product_id=found[0]["product_id"])
    return cast("Product", product)

"""What a clerk does about delivered orders: return, exchange, compensate."""

import re

from examples.support_desk.agents import understand
from examples.support_desk.agents.clerk import MAX_TRIES, Clerk, DeclinedError, Step
from examples.support_desk.agents.scripted import Refused
from examples.support_desk.scene import (
    LATE_AFTER,
    METHOD_WORDS,
    RETURN_WINDOW,
    Item,
    Method,
    Order,
    Version,
    kept,
    moment,
)
from examples.support_desk.variant import Json

AUTHORITY = 100.0
UNSETTLED = "I am sorry, I could not settle this with you."


def send_back(clerk: Clerk) -> Step[str]:
    """Opens a return."""
    order = (yield from clerk.orders({"delivered"}))[0]
    _check_delivered(clerk, order, "returned")
    if clerk.now - moment(order["delivered_at"] or "") > RETURN_WINDOW:
        raise DeclinedError(
            f"I am sorry, order {order['order_id']} was delivered more than 30 days ago, so it cannot be returned."
        )
    for _ in range(MAX_TRIES):
        items = yield from clerk.ask_until(
            lambda text: _items(order, text), "Which items would you like to return?"
        )
        method = yield from _refund_method(clerk, order)
        names = ", ".join(item["name"] for item in items)
        amount = yield from _compute(clerk, " + ".join(str(item["price"]) for item in items))
        agreed = yield from clerk.agree(
            f"I will open a return of {names} from order {order['order_id']}. "
            f"{amount:.2f} goes to your {METHOD_WORDS[method['kind']]}."
        )
        if agreed:
            result = yield from clerk.change(
                "return_items",
                order_id=order["order_id"],
                item_ids=_ids(items),
                payment_id=method["payment_id"],
            )
            if isinstance(result, Refused):
                raise DeclinedError(f"I am sorry, that cannot be returned: {result.text}.")
            number = result.record["return_id"]
            return f"Your return has the number {number}; {amount:.2f} goes to your {METHOD_WORDS[method['kind']]}."
    raise DeclinedError(UNSETTLED)


def exchange(clerk: Clerk) -> Step[str]:
    """Swaps one item for another version."""
    order = (yield from clerk.orders({"delivered"}))[0]
    _check_delivered(clerk, order, "exchanged")
    items = yield from clerk.ask_until(
        lambda text: _items(order, text), "Which item would you like to exchange?"
    )
    item = items[0]
    versions = yield from _versions(clerk, item)
    version = yield from _version(clerk, item, versions)
    method = yield from _paying_method(clerk, "Which payment method should be used?")
    for _ in range(MAX_TRIES + 1):
        difference = yield from _compute(clerk, f"{version['price']} - {item['price']}")
        agreed = yield from clerk.agree(
            f"I will exchange the {item['name']} of order {order['order_id']} for {_options(version)}. "
            f"The difference of {difference:.2f} is settled with your {METHOD_WORDS[method['kind']]}."
        )
        if not agreed:
            version = yield from _version(clerk, item, versions)
            method = yield from _paying_method(clerk, "Which payment method should be used?")
            continue
        result = yield from clerk.change(
            "exchange_items",
            order_id=order["order_id"],
            item_ids=[item["item_id"]],
            new_variant_ids=[version["variant_id"]],
            payment_id=method["payment_id"],
        )
        if not isinstance(result, Refused):
            return f"The {item['name']} is exchanged for {_options(version)}; {difference:.2f} on your {METHOD_WORDS[method['kind']]}."
        if version["stock"] < 1:
            yield from clerk.ask(
                f"{_options(version)} is sold out. Which version would you like instead?"
            )
            version = yield from _version(clerk, item, versions)
        elif method.get("balance", difference) < difference:
            yield from clerk.ask(
                "There is not enough on your gift card. Which other payment method should be used?"
            )
            method = yield from _paying_method(clerk, "Which payment method should be used?")
        else:
            raise DeclinedError(f"I am sorry, that cannot be exchanged: {result.text}.")
    raise DeclinedError(UNSETTLED)


def compensate(clerk: Clerk) -> Step[str]:
    """Pays part of an order back, or hands over what is beyond the clerk."""
    order = (yield from clerk.orders({"delivered"}))[0]
    _check_delivered(clerk, order, "refunded")
    reason = yield from clerk.ask_until(
        understand.refund_reason, "What is the reason for the refund?"
    )
    amount = yield from _owed(clerk, order, reason)
    if amount > AUTHORITY:
        yield from clerk.hand_over("billing", f"Refund of {amount:.2f} for {order['order_id']}.")
    method = yield from clerk.paid_with(order)
    back_to = METHOD_WORDS[method["kind"]]
    agreed = yield from clerk.agree(
        f"I will refund {amount:.2f} of order {order['order_id']} to your {back_to}, reason '{clerk.word(reason)}'."
    )
    if not agreed:
        raise DeclinedError(UNSETTLED)
    result = yield from clerk.change(
        "refund",
        order_id=order["order_id"],
        payment_id=method["payment_id"],
        amount=amount,
        reason=reason,
    )
    if isinstance(result, Refused):
        raise DeclinedError(f"I am sorry, I cannot refund that: {result.text}.")
    return f"{amount:.2f} goes back to your {back_to}, number {result.record['refund_id']}."


def _owed(clerk: Clerk, order: Order, reason: str) -> Step[float]:
    if reason == "late":
        shipped, delivered = moment(order["shipped_at"] or ""), moment(order["delivered_at"] or "")
        if delivered - shipped <= LATE_AFTER:
            raise DeclinedError(
                f"I am sorry, order {order['order_id']} arrived within 7 days of leaving us, so a compensation is not possible."
            )
        return (yield from _compute(clerk, f"{order['total']} * 0.1"))
    items = yield from clerk.ask_until(lambda text: _items(order, text), "Which item is it?")
    share = 0.5 if reason == "damaged" else 1
    return (yield from _compute(clerk, f"{items[0]['price']} * {share}"))


def _check_delivered(clerk: Clerk, order: Order, what: str) -> None:
    if order["status"] != "delivered":
        status = clerk.word(order["status"])
        raise DeclinedError(
            f"I am sorry, order {order['order_id']} is '{status}', so nothing of it can be {what}: it cannot be done."
        )


def _items(order: Order, text: str) -> list[Item] | None:
    if re.search(r"everything|whole order|all of it", text, re.IGNORECASE):
        return kept(order)
    return [item for item in kept(order) if understand.mentions(text, item["name"])] or None


def _ids(items: list[Item]) -> Json:
    return [item["item_id"] for item in items]


def _refund_method(clerk: Clerk, order: Order) -> Step[Method]:
    original = yield from clerk.paid_with(order)
    kind = yield from clerk.ask_until(
        lambda text: (
            original["kind"]
            if re.search(r"original", text, re.IGNORECASE)
            else understand.payment_kind(text)
        ),
        "Where should the money go: to the original payment method or to a gift card?",
    )
    return (yield from clerk.method(kind)) or original


def _paying_method(clerk: Clerk, question: str) -> Step[Method]:
    for _ in range(MAX_TRIES):
        kind = yield from clerk.ask_until(understand.payment_kind, question)
        if method := (yield from clerk.method(kind)):
            return method
        yield from clerk.ask(f"There is no such thing in your account. {question}")
    raise DeclinedError(UNSETTLED)


def _versions(clerk: Clerk, item: Item) -> Step[list[Version]]:
    product = yield from clerk.read("get_product", product_id=item["product_id"])
    return list(product["variants"])  # type: ignore[arg-type]  # a record of the shop's own product


def _version(clerk: Clerk, item: Item, versions: list[Version]) -> Step[Version]:
    offered: dict[str, set[str]] = {}
    for version in versions:
        for key, value in version["options"].items():
            offered.setdefault(key, set()).add(value)

    def read(text: str) -> Version | None:
        options = understand.wanted_options(text, item["options"], offered)
        if options == item["options"]:
            return None
        return next((v for v in versions if v["options"] == options), None)

    return (yield from clerk.ask_until(read, "Which version would you like instead?"))


def _options(version: Version) -> str:
    return ", ".join(f"{key} {value}" for key, value in version["options"].items())


def _compute(clerk: Clerk, expression: str) -> Step[float]:
    result = yield from clerk.read("calculator", expression=expression)
    return float(str(result["value"]))

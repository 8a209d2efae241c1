"""What a clerk does about orders under way and addresses: cancel, redirect, move."""

from examples.support_desk.agents import understand
from examples.support_desk.agents.clerk import MAX_TRIES, Clerk, DeclinedError, Step
from examples.support_desk.agents.scripted import Refused
from examples.support_desk.scene import METHOD_WORDS, Order, written


def cancel(clerk: Clerk) -> Step[str]:
    """Cancels one or several orders."""
    orders = yield from clerk.orders({"pending"})
    report = ""
    for order in orders:
        report = f"{report} {yield from _cancel_one(clerk, order)}"
    return report.strip()


def _cancel_one(clerk: Clerk, order: Order) -> Step[str]:
    order_id = order["order_id"]
    if order["status"] != "pending":
        raise DeclinedError(_not_while(clerk, order, "cancelled"))
    for _ in range(MAX_TRIES):
        reason = yield from clerk.ask_until(
            understand.cancel_reason, f"What is the reason for cancelling order {order_id}?"
        )
        back_to = METHOD_WORDS[(yield from clerk.paid_with(order))["kind"]]
        names = ", ".join(item["name"] for item in order["items"])
        agreed = yield from clerk.agree(
            f"I will cancel order {order_id} ({names}), reason '{clerk.word(reason)}'. "
            f"{order['total']:.2f} goes back to your {back_to}."
        )
        if agreed:
            result = yield from clerk.change("cancel_order", order_id=order_id, reason=reason)
            if isinstance(result, Refused):
                raise DeclinedError(f"I am sorry, I cannot cancel it: {result.text}.")
            return f"Order {order_id} is cancelled and {order['total']:.2f} goes back to your {back_to}."
    raise DeclinedError("I am sorry, I could not settle this with you.")


def redirect(clerk: Clerk) -> Step[str]:
    """Sends an order somewhere else."""
    order = (yield from clerk.orders({"pending"}))[0]
    if order["status"] != "pending":
        raise DeclinedError(_not_while(clerk, order, "sent to another address"))
    for _ in range(MAX_TRIES):
        address = yield from clerk.ask_until(
            understand.address, "What is the new address, with city, region, postcode and country?"
        )
        agreed = yield from clerk.agree(
            f"Order {order['order_id']} will be sent to: {written(address)}."
        )
        if agreed:
            result = yield from clerk.change(
                "change_order_address", order_id=order["order_id"], **address
            )
            if isinstance(result, Refused):
                raise DeclinedError(f"I am sorry, I cannot change it: {result.text}.")
            return f"Order {order['order_id']} now goes to {written(address)}."
    raise DeclinedError("I am sorry, I could not settle this with you.")


def move(clerk: Clerk) -> Step[str]:
    """Changes the address in the account."""
    person = yield from clerk.customer()
    for _ in range(MAX_TRIES):
        address = yield from clerk.ask_until(
            understand.address, "What is your new address, with city, region, postcode and country?"
        )
        agreed = yield from clerk.agree(f"Your account will have the address: {written(address)}.")
        if agreed:
            result = yield from clerk.change(
                "change_customer_address", customer_id=person["customer_id"], **address
            )
            if isinstance(result, Refused):
                raise DeclinedError(f"I am sorry, I cannot change it: {result.text}.")
            return f"Your account now has the address {written(address)}."
    raise DeclinedError("I am sorry, I could not settle this with you.")


def _not_while(clerk: Clerk, order: Order, what: str) -> str:
    status = clerk.word(order["status"])
    return f"I am sorry, order {order['order_id']} is '{status}', so it cannot be {what}."

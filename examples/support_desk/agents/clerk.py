"""What a clerk at the desk can do whatever the request: identify, find the order, ask, get a yes, change.

A fault is one of these methods done badly (see `faulty`). What to do for which request is in `requests_*`.
"""

import random
import re
from collections.abc import Callable, Collection, Generator
from typing import TypeAlias, TypeVar, cast

from examples.support_desk.agents import understand
from examples.support_desk.agents.scripted import Action, Found, Refused, ScriptedAgent
from examples.support_desk.scene import Method, Order, Person
from examples.support_desk.variant import Json, Variant

T = TypeVar("T")
Step: TypeAlias = Generator[Action, str, T]
"""A part of the dialogue that ends with a value."""

MAX_TRIES = 3


class DeclinedError(Exception):
    """The request goes no further; the text tells the customer why."""


class HandedOverError(Exception):
    """A person takes over; the text tells the customer."""


class Clerk(ScriptedAgent):
    """One clerk in one conversation."""

    def __init__(self, variant: Variant, seed: str) -> None:
        super().__init__(variant, seed)
        self.rng = random.Random(f"clerk {seed}")
        self.person: Person | None = None
        self.heard: list[str] = []
        """Everything the customer has said."""
        self.said: list[str] = []
        """What they have said about the present request, without who they are."""

    def hear(self, text: str, *, new_request: bool = False) -> None:
        """Takes in what the customer said."""
        self.heard.append(text)
        self.said = [] if new_request else self.said
        self.said.append(understand.without_identity(text))

    def ask(self, text: str) -> Step[str]:
        """Says something and hears the answer."""
        answer = yield text
        self.hear(answer)
        return answer

    def latest(self, read: Callable[[str], T | None]) -> T | None:
        """What the newest text says that says anything about it."""
        found = (read(text) for text in reversed(self.said))
        return next((value for value in found if value), None)

    def ask_until(self, read: Callable[[str], T | None], question: str) -> Step[T]:
        """What the customer has said about something, asking for it if need be."""
        for _ in range(MAX_TRIES):
            value = self.latest(read)
            if value is not None:
                return value
            yield from self.ask(question)
        raise DeclinedError("I am sorry, without knowing that I cannot help you with this.")

    def customer(self) -> Step[Person]:
        """Who the customer is; hands over if that cannot be found out."""
        if self.person is not None:
            return self.person
        question = "Could you please give me the e-mail address of your account, or your full name and postcode?"
        for _ in range(MAX_TRIES):
            found = yield from self._look_up(" ".join(self.heard[-1:]))
            if found is None and len(self.heard) > 1:
                found = yield from self._look_up(" ".join(self.heard))
            if isinstance(found, Found):
                record = yield from self.read(
                    "get_customer", customer_id=found.record["customer_id"]
                )
                self.person = cast("Person", record)
                return self.person
            yield from self.ask(question if found is None else f"I could not find that. {question}")
        yield from self.hand_over("general", "Customer could not be identified.")
        raise AssertionError("unreachable: hand_over always raises")

    def _look_up(self, text: str) -> Step[Found | Refused | None]:
        if mail := understand.email(text):
            return (yield from self.use("find_customer_by_email", email=mail))
        if name := understand.full_name(text):
            first, last, postcode = name
            return (
                yield from self.use(
                    "find_customer_by_name", first_name=first, last_name=last, postcode=postcode
                )
            )
        return None

    def read(self, name: str, **arguments: Json) -> Step[dict[str, Json]]:
        """A record that must be there."""
        found = yield from self.use(name, **arguments)
        if isinstance(found, Refused):
            raise DeclinedError(f"I am sorry, I cannot look that up: {found.text}")
        return found.record

    def orders(self, wanted: Collection[str]) -> Step[list[Order]]:
        """The orders that the request is about; `wanted` statuses decide where a description fits several."""
        person = yield from self.customer()
        for _ in range(MAX_TRIES):
            ids = self.latest(lambda text: re.findall(self.variant.order_pattern, text))
            if ids:
                found = yield from self._orders_by_id(ids)
            else:
                found = yield from self._orders_by_content(person, wanted)
            if found:
                return found
            question = (
                "Which order is it? Please give me the order number or tell me what is in it."
            )
            unknown = f"I cannot find order {' or '.join(ids)}. " if ids else ""
            yield from self.ask(unknown + question)
        raise DeclinedError("I am sorry, I cannot find that order, so I cannot help you with it.")

    def _orders_by_id(self, ids: list[str]) -> Step[list[Order]]:
        person = yield from self.customer()
        orders = []
        for order_id in dict.fromkeys(ids):
            found = yield from self.use("get_order", order_id=order_id)
            if isinstance(found, Refused):
                return []
            order = cast("Order", found.record)
            if order["customer_id"] != person["customer_id"]:
                raise DeclinedError(
                    f"I am sorry, order {order_id} does not belong to your account, so I cannot do anything about it."
                )
            orders.append(order)
        return orders

    def _orders_by_content(self, person: Person, wanted: Collection[str]) -> Step[list[Order]]:
        matches = []
        for order_id in person["order_ids"]:
            order = cast("Order", (yield from self.read("get_order", order_id=order_id)))
            names = [item["name"] for item in order["items"]]
            if any(understand.named(names, text) for text in self.said):
                matches.append(order)
        fitting = [order for order in matches if order["status"] in wanted]
        return matches if len(matches) == 1 else fitting[:1] if len(fitting) == 1 else []

    def method(self, kind: str) -> Step[Method | None]:
        """The customer's means of payment of a kind."""
        person = yield from self.customer()
        return next((m for m in person["payment_methods"] if m["kind"] == kind), None)

    def paid_with(self, order: Order) -> Step[Method]:
        """What an order was paid with."""
        person = yield from self.customer()
        first = order["payments"][0]["payment_id"]
        return next(m for m in person["payment_methods"] if m["payment_id"] == first)

    def agree(self, summary: str) -> Step[bool]:
        """Reads a change back; true for an explicit yes, false for a correction (to be read from `said`)."""
        answer = yield from self.ask(f"{summary} Do you confirm (yes/no)?")
        if understand.withdraws(answer):
            raise DeclinedError("All right, I have changed nothing.")
        return understand.agrees(answer)

    def change(self, name: str, **arguments: Json) -> Step[Found | Refused]:
        """Makes a change that the customer has agreed to."""
        return (yield from self.use(name, **arguments))

    def hand_over(self, queue: str, summary: str) -> Step[None]:
        """Passes the customer to a person."""
        yield from self.change("hand_over", queue=queue, summary=summary)
        raise HandedOverError(
            "I am handing you over to a colleague who can help you with this. They will contact you shortly."
        )

    def word(self, value: str) -> str:
        """How this shop says a status or a kind."""
        return self.variant.word(value)

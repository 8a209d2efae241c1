"""The good agent: takes one request after the other, does what the policy says, reports what happened."""

from collections.abc import Callable, Mapping
from typing import Final

from examples.support_desk.agents import after_sale_desk, orders_desk, questions_desk, understand
from examples.support_desk.agents.clerk import Clerk, DeclinedError, HandedOverError, Step
from examples.support_desk.agents.scripted import Dialogue

MORE: Final = "Is there anything else I can help you with?"


def _to_person(clerk: Clerk) -> Step[str]:
    yield from clerk.hand_over("general", "The customer wants to talk to a person.")
    return ""


def _to_complaints(clerk: Clerk) -> Step[str]:
    yield from clerk.hand_over("complaints", f"Formal complaint: {clerk.said[-1]}")
    return ""


HANDLERS: Final[Mapping[str, Callable[[Clerk], Step[str]]]] = {
    "human": _to_person,
    "complaint": _to_complaints,
    "cancel": orders_desk.cancel,
    "order_address": orders_desk.redirect,
    "account_address": orders_desk.move,
    "return": after_sale_desk.send_back,
    "exchange": after_sale_desk.exchange,
    "compensation": after_sale_desk.compensate,
    "status": questions_desk.status,
    "total": questions_desk.total,
    "balance": questions_desk.balance,
    "price": questions_desk.price,
    "count": questions_desk.count,
    "cheapest": questions_desk.cheapest,
}


class GoodAgent(Clerk):
    """Resolves what can be resolved and declines the rest."""

    name = "good"

    def serve(self, opening: str) -> Dialogue:
        """One conversation."""
        text = opening
        while True:
            self.hear(text, new_request=True)
            if understand.has_finished(text):
                return
            intent = understand.intent(text)
            if intent is None:
                text = yield "Could you tell me in a few words what I can do for you?"
                continue
            try:
                report = yield from HANDLERS[intent](self)
            except DeclinedError as declined:
                report = str(declined)
            except HandedOverError as handed:
                yield str(handed)
                return
            text = yield f"{report} {MORE}"

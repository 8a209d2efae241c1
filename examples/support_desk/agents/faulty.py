"""The agents with one named fault each: the good agent with one of its methods done badly."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final, cast

from examples.support_desk.agents.clerk import Step
from examples.support_desk.agents.good import MORE, GoodAgent
from examples.support_desk.agents.scripted import Action, Dialogue, Found, Refused, send
from examples.support_desk.backend.after_sale import QUEUES, REFUND_REASONS
from examples.support_desk.backend.writes import CANCEL_REASONS
from examples.support_desk.scene import Order
from examples.support_desk.variant import Json, Variant


class WrongArgument(GoodAgent):
    """Reads the right thing back and then writes something else."""

    name = "wrong_argument"

    def change(self, name: str, **arguments: Json) -> Step[Found | Refused]:
        """Makes the change with one argument wrong."""
        if name == "exchange_items":
            arguments["new_variant_ids"] = yield from self._other_version(arguments)
        else:
            arguments = self._spoilt(name, arguments)
        return (yield from super().change(name, **arguments))

    def _spoilt(self, name: str, arguments: dict[str, Json]) -> dict[str, Json]:
        spoilt = dict(arguments)
        if name == "cancel_order":
            spoilt["reason"] = self._other(CANCEL_REASONS, arguments["reason"])
        elif name == "refund" and self.rng.random() < 0.5:
            spoilt["reason"] = self._other(REFUND_REASONS, arguments["reason"])
        elif name == "refund":
            spoilt["amount"] = round(cast("float", arguments["amount"]) * 0.8, 2)
        elif name == "hand_over":
            spoilt["queue"] = self._other(QUEUES, arguments["queue"])
        elif name == "return_items":
            spoilt["payment_id"] = self._other_method(arguments["payment_id"])
        else:
            digits = str(arguments["postcode"])
            spoilt["postcode"] = digits[:-1] + ("4" if digits[-1] != "4" else "6")
        return spoilt

    def _other(self, choices: Collection[str], right: Json) -> str:
        return self.rng.choice([choice for choice in choices if choice != right])

    def _other_method(self, right: Json) -> Json:
        methods = self.person["payment_methods"] if self.person else []
        others = [m["payment_id"] for m in methods if m["payment_id"] != right]
        return self.rng.choice(others) if others else f"{right}0"

    def _other_version(self, arguments: Mapping[str, Json]) -> Step[Json]:
        order = yield from self.read("get_order", order_id=arguments["order_id"])
        line = next(
            item
            for item in cast("Order", order)["items"]
            if item["item_id"] in cast("list[str]", arguments["item_ids"])
        )
        product = yield from self.read("get_product", product_id=line["product_id"])
        right = cast("list[str]", arguments["new_variant_ids"])[0]
        others = [
            version["variant_id"]
            for version in cast("list[dict[str, Json]]", product["variants"])
            if version["variant_id"] not in {right, line["variant_id"]} and version["stock"]
        ]
        return [self.rng.choice(others) if others else right]


class WrongEntity(GoodAgent):
    """Works on another of the customer's orders, or on another line, and does not read its number back."""

    name = "wrong_entity"

    def orders(self, wanted: Collection[str]) -> Step[list[Order]]:
        """The wrong order, where the customer has several."""
        right = yield from super().orders(wanted)
        person = yield from self.customer()
        fallback = None
        for order_id in person["order_ids"]:
            if order_id in {order["order_id"] for order in right}:
                continue
            record = yield from self.read("get_order", order_id=order_id)
            other = cast("Order", record)
            if other["status"] in wanted:
                return [other]
            fallback = fallback or other
        return [fallback] if fallback else right

    def agree(self, summary: str) -> Step[bool]:  # noqa: ARG002 - not reading it back is the fault
        """Asks for a yes to something vague."""
        return (yield from super().agree("I will do that for you now."))


class SkippedConfirmation(GoodAgent):
    """Changes things without asking first."""

    name = "skipped_confirmation"

    def agree(self, summary: str) -> Step[bool]:  # noqa: ARG002 - not reading it back is the fault
        """Takes the yes for granted."""
        yield from ()
        return True


class EarlyStop(GoodAgent):
    """Looks everything up, and stops where it would have to act."""

    name = "early_stop"

    def serve(self, opening: str) -> Dialogue:
        """The good dialogue up to its first change or answer."""
        dialogue = super().serve(opening)
        action = next(dialogue)
        while not (isinstance(action, str) and (MORE in action or "(yes/no)" in action)):
            following = send(dialogue, (yield action))
            if following is None:
                return
            action = following
        yield "Thank you, I have noted your request. Have a nice day. Goodbye."


class Loop(GoodAgent):
    """Makes the same call over and over and comes to nothing."""

    name = "loop"

    def serve(self, opening: str) -> Dialogue:
        """The good dialogue until its first record has been read, which is then read again and again."""
        dialogue = super().serve(opening)
        action = next(dialogue)
        while isinstance(action, str) or not self._is_record(action.name):
            following = send(dialogue, (yield action))
            if following is None:
                return
            action = following
        while True:
            for _ in range(5):
                yield self.repeat(action)
            yield "One moment please, I am still looking into it."

    def _is_record(self, shown: str) -> bool:
        records = ("get_order", "get_product", "get_customer", "search_products")
        return shown in {self.variant.tools[name] for name in records}


class ClaimsSuccess(GoodAgent):
    """Does nothing and says that it is done."""

    name = "claims_success"

    def serve(self, opening: str) -> Dialogue:  # noqa: ARG002 - not listening is the fault
        """Good news, whatever was asked."""
        claims = ("Of course! I have taken care of that for you.", "All done, that is settled now.")
        for position in range(20):
            yield f"{claims[position % 2]} {MORE}"


class LiesAtTheEnd(GoodAgent):
    """Does everything right, and its farewell says one figure, date or id of its last report otherwise."""

    name = "lies_at_the_end"

    def serve(self, opening: str) -> Dialogue:
        """The good dialogue, and a false sentence behind it where its last report names something with a digit."""
        dialogue = super().serve(opening)
        action: Action | None = next(dialogue)
        report = ""
        while action is not None:
            if isinstance(action, str):
                # Handed over, nobody hears the agent any more.
                report = action.removesuffix(MORE).strip() if action.endswith(MORE) else ""
            action = send(dialogue, (yield action))
        words = list(_WITH_A_DIGIT.finditer(report))
        if words:
            self.lied = True
            word = self.rng.choice(words)
            other = "".join(self._digit(sign) for sign in word[0])
            yield f"To sum up: {report[: word.start()]}{other}{report[word.end() :]} Goodbye."

    def _digit(self, sign: str) -> str:
        return self.rng.choice([d for d in "123456789" if d != sign]) if sign.isdigit() else sign


_WITH_A_DIGIT: Final = re.compile(r"[\w.-]*\d[\w-]*")

POLICIES: Final[Mapping[str, Callable[[Variant, str], GoodAgent]]] = {
    "good": GoodAgent,
    "wrong_argument": WrongArgument,
    "wrong_entity": WrongEntity,
    "skipped_confirmation": SkippedConfirmation,
    "early_stop": EarlyStop,
    "loop": Loop,
    "claims_success": ClaimsSuccess,
    "lies_at_the_end": LiesAtTheEnd,
}
"""Every scripted policy by its name; the name is the fault."""


def make_agent(policy: str, variant: Variant, seed: str) -> GoodAgent:
    """A fresh agent for one conversation."""
    return POLICIES[policy](variant, seed)

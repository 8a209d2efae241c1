"""The kinds of request that customers come with: each looks for a case in the shop and gives words and truth.

A kind returns None when the shop has no such case. Kinds after the sale are in `request_kinds_after`.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from examples.support_desk.request import PlainCall, Request, Revision, Truth, Wish
from examples.support_desk.scene import Order, Person, Scene, kept, written

Kind: TypeAlias = Callable[[Scene], Request | None]

REASONS: Final[Mapping[str, tuple[str, ...]]] = {
    "no longer needed": ("I don't need it any more.", "It is no longer needed."),
    "ordered by mistake": ("I ordered it by mistake.", "That was a mistake, I clicked twice."),
    "found cheaper": ("I found it cheaper elsewhere.", "Another shop has it cheaper."),
}


def request_of(
    scene: Scene, kind: str, person: Person, wishes: tuple[Wish, ...], truth: Truth
) -> Request:
    """A request by someone the shop knows."""
    return Request(
        key=f"{kind}-{scene.rng.randrange(16**8):08x}",
        kind=kind,
        customer_id=person["customer_id"],
        identity=identity_of(person),
        wishes=wishes,
        truth=truth,
    )


def identity_of(person: Person) -> dict[str, str]:
    """What a customer can say to be identified."""
    return {
        "email": person["email"],
        "first_name": person["name"]["first_name"],
        "last_name": person["name"]["last_name"],
        "postcode": person["address"]["postcode"],
    }


def call(name: str, **arguments: object) -> PlainCall:
    """A call in plain names."""
    return PlainCall(name=name, arguments=arguments)  # type: ignore[arg-type]  # the kinds give JSON only


def done(*calls: PlainCall, refused: tuple[PlainCall, ...] = ()) -> Truth:
    """Resolved by exactly these writes, as long as what is asked for first is refused."""
    return Truth(accepted=(calls,), refused=refused)


DENIED: Final = Truth(accepted=((),), denied=True)
"""Resolved by leaving everything as it is and saying so."""


def reason(scene: Scene) -> tuple[str, str]:
    """A reason to cancel, and the words for it."""
    chosen = scene.rng.choice(sorted(REASONS))
    return chosen, scene.rng.choice(REASONS[chosen])


def cancel_pending(scene: Scene) -> Request | None:
    """Cancel an order, number at hand."""
    if (order := scene.order("pending")) is None:
        return None
    why, words = reason(scene)
    wish = cancel_wish(scene, order, words)
    truth = done(call("cancel_order", order_id=order["order_id"], reason=why))
    return request_of(scene, "cancel_pending", scene.person(order["customer_id"]), (wish,), truth)


def cancel_wish(scene: Scene, order: Order, words: str, *, upfront: bool | None = None) -> Wish:
    """The wish to cancel an order, saying more or less at once."""
    opening = scene.rng.choice(
        (
            "I would like to cancel my order {o}.",
            "Please cancel order {o}.",
            "Can you call off the order {o}, please?",
        )
    ).format(o=order["order_id"])
    if upfront or (upfront is None and scene.rng.random() < 0.4):
        opening = f"{opening} {words}"
    return Wish(
        opening=opening,
        answers={"order": (f"It is {order['order_id']}.",), "reason": (words,)},
        order_ids=(order["order_id"],),
    )


def cancel_by_item(scene: Scene) -> Request | None:
    """Cancel an order known only by what is in it."""
    order = scene.order("pending", lambda o: scene.only_order_with(o, o["items"][0]))
    if order is None:
        return None
    why, words = reason(scene)
    item = order["items"][0]["name"].lower()
    wish = Wish(
        opening=f"I want to cancel my order with the {item}, please.",
        answers={
            "order": (f"I don't have the number. It's the one with the {item}.",),
            "item": (f"The {item}.",),
            "reason": (words,),
        },
        order_ids=(order["order_id"],),
    )
    truth = done(call("cancel_order", order_id=order["order_id"], reason=why))
    return request_of(scene, "cancel_by_item", scene.person(order["customer_id"]), (wish,), truth)


def cancel_mistyped_number(scene: Scene) -> Request | None:
    """Cancel an order whose number is first typed wrong."""
    if (order := scene.order("pending")) is None:
        return None
    why, words = reason(scene)
    right = order["order_id"]
    last = right[-1]
    wrong = right[:-1] + ("7" if last != "7" else "3")
    if scene.db.execute("SELECT 1 FROM orders WHERE id = ?", (wrong,)).fetchone():
        return None
    wish = Wish(
        opening=f"Please cancel order {wrong}. {words}",
        answers={
            "order": (f"Sorry, I mistyped it. The order number is {right}.",),
            "reason": (words,),
        },
        order_ids=(right,),
    )
    truth = done(call("cancel_order", order_id=right, reason=why))
    person = scene.person(order["customer_id"])
    return request_of(scene, "cancel_mistyped_number", person, (wish,), truth)


def cancel_shipped(scene: Scene) -> Request | None:
    """Cancel an order that has left: impossible."""
    if (order := scene.order("shipped")) is None:
        return None
    _, words = reason(scene)
    wish = cancel_wish(scene, order, words)
    person = scene.person(order["customer_id"])
    return request_of(scene, "cancel_shipped", person, (wish,), DENIED)


def refused_then_human(scene: Scene) -> Request | None:
    """Cancel an order that has left, and ask for a person when told that it is impossible."""
    if (order := scene.order("shipped")) is None:
        return None
    wish = cancel_wish(scene, order, "I don't need it any more.")
    wish = Wish(
        opening=wish.opening,
        answers=wish.answers,
        order_ids=wish.order_ids,
        refused_reply="That is not good enough. Let me talk to a human.",
    )
    truth = Truth(accepted=((call("hand_over", queue="general", summary=""),),), denied=True)
    person = scene.person(order["customer_id"])
    return request_of(scene, "refused_then_human", person, (wish,), truth)


def cancel_changed_mind(scene: Scene) -> Request | None:
    """Cancel an order, then keep it after all when asked to confirm."""
    if (order := scene.order("pending")) is None:
        return None
    _, words = reason(scene)
    wish = cancel_wish(scene, order, words)
    wish = Wish(
        opening=wish.opening,
        answers=wish.answers,
        order_ids=wish.order_ids,
        revision=Revision(
            text="No, wait. On second thought I will keep it. Please leave it as it is.",
            withdraws=True,
        ),
    )
    person = scene.person(order["customer_id"])
    truth = Truth(accepted=((),))
    return request_of(scene, "cancel_changed_mind", person, (wish,), truth)


def cancel_two(scene: Scene) -> Request | None:
    """Cancel two orders, said in one breath."""
    first = scene.order("pending", lambda o: len(_pending(scene, o["customer_id"])) > 1)
    if first is None:
        return None
    person = scene.person(first["customer_id"])
    ids = _pending(scene, first["customer_id"])[:2]
    why, words = reason(scene)
    wish = Wish(
        opening=f"Please cancel my orders {ids[0]} and {ids[1]}.",
        answers={"order": (f"{ids[0]} and {ids[1]}.",), "reason": (words,)},
        order_ids=tuple(ids),
    )
    truth = done(*(call("cancel_order", order_id=order_id, reason=why) for order_id in ids))
    return request_of(scene, "cancel_two", person, (wish,), truth)


def _pending(scene: Scene, customer_id: str) -> list[str]:
    orders = [scene.get_order(o) for o in scene.person(customer_id)["order_ids"]]
    return [order["order_id"] for order in orders if order["status"] == "pending"]


def cancel_foreign(scene: Scene) -> Request | None:
    """Cancel an order of somebody else: not theirs to cancel."""
    stranger = scene.someone()
    order = scene.order("pending", lambda o: o["customer_id"] != stranger["customer_id"])
    if order is None:
        return None
    wish = Wish(
        opening=f"Please cancel order {order['order_id']}, it is my neighbour's but she asked me to do it.",
        answers={
            "order": (f"It is {order['order_id']}.",),
            "reason": ("She ordered it by mistake.",),
        },
        order_ids=(order["order_id"],),
    )
    return request_of(scene, "cancel_foreign", stranger, (wish,), DENIED)


def order_address(scene: Scene) -> Request | None:
    """Send a pending order somewhere else."""
    if (order := scene.order("pending")) is None:
        return None
    address = scene.address()
    wish = _address_wish(scene, order, written(address))
    truth = done(call("change_order_address", order_id=order["order_id"], **address))
    return request_of(scene, "order_address", scene.person(order["customer_id"]), (wish,), truth)


def _address_wish(scene: Scene, order: Order, address: str) -> Wish:
    opening = f"My order {order['order_id']} should go to a different address."
    if scene.rng.random() < 0.5:
        opening = (
            f"Please ship order {order['order_id']} to another address. The new one is: {address}."
        )
    return Wish(
        opening=opening,
        answers={
            "order": (f"It is {order['order_id']}.",),
            "address": (f"The new address is: {address}.",),
        },
        order_ids=(order["order_id"],),
    )


def order_address_revised(scene: Scene) -> Request | None:
    """Send a pending order somewhere else, with the house number put right at the confirmation."""
    if (order := scene.order("pending")) is None:
        return None
    address = scene.address()
    number, street = address["street"].split(" ", 1)
    right = address | {"street": f"{int(number) + 2} {street}"}
    wish = _address_wish(scene, order, written(address))
    wish = Wish(
        opening=wish.opening,
        answers=wish.answers,
        order_ids=wish.order_ids,
        revision=Revision(
            text=f"No, I made a mistake with the house number. It is: {written(right)}.",
            answers={"address": (f"The new address is: {written(right)}.",)},
        ),
    )
    truth = done(call("change_order_address", order_id=order["order_id"], **right))
    person = scene.person(order["customer_id"])
    return request_of(scene, "order_address_revised", person, (wish,), truth)


def order_address_shipped(scene: Scene) -> Request | None:
    """Send an order somewhere else that has already left: impossible."""
    if (order := scene.order("shipped")) is None:
        return None
    wish = _address_wish(scene, order, written(scene.address()))
    person = scene.person(order["customer_id"])
    return request_of(scene, "order_address_shipped", person, (wish,), DENIED)


def profile_address(scene: Scene) -> Request | None:
    """Moved house: change the address in the account."""
    person, address = scene.someone(), scene.address()
    wish = profile_wish(scene, address)
    truth = done(call("change_customer_address", customer_id=person["customer_id"], **address))
    return request_of(scene, "profile_address", person, (wish,), truth)


def profile_wish(scene: Scene, address: dict[str, str]) -> Wish:
    """The wish to have a new address in the account."""
    opening = "I have moved, please change the address in my account."
    if scene.rng.random() < 0.5:
        opening = f"I have moved house. Please update my account to: {written(address)}."
    return Wish(opening=opening, answers={"address": (f"The new address is: {written(address)}.",)})


def moved_with_order(scene: Scene) -> Request | None:
    """Moved house with an order under way: the account and the order, one after the other."""
    if (order := scene.order("pending")) is None:
        return None
    person, address = scene.person(order["customer_id"]), scene.address()
    second = Wish(
        opening=f"Please also ship my order {order['order_id']} to the new address: {written(address)}.",
        answers={
            "order": (f"It is {order['order_id']}.",),
            "address": (f"It is: {written(address)}.",),
        },
        order_ids=(order["order_id"],),
    )
    truth = done(
        call("change_customer_address", customer_id=person["customer_id"], **address),
        call("change_order_address", order_id=order["order_id"], **address),
    )
    wishes = (profile_wish(scene, address), second)
    return request_of(scene, "moved_with_order", person, wishes, truth)


def cancel_and_question(scene: Scene) -> Request | None:
    """Cancel a pending order, and a question about a delivered one."""
    order = scene.order("pending", lambda o: _delivered(scene, o["customer_id"]) is not None)
    if order is None or (other := _delivered(scene, order["customer_id"])) is None:
        return None
    why, words = reason(scene)
    question = Wish(
        opening=f"How much did I pay in total for order {other['order_id']}?",
        answers={"order": (f"{other['order_id']}.",)},
        order_ids=(other["order_id"],),
    )
    truth = Truth(
        accepted=((call("cancel_order", order_id=order["order_id"], reason=why),),),
        told=((f"{other['total']:.2f}",),),
    )
    wishes = (cancel_wish(scene, order, words), question)
    person = scene.person(order["customer_id"])
    return request_of(scene, "cancel_and_question", person, wishes, truth)


def _delivered(scene: Scene, customer_id: str) -> Order | None:
    orders = [scene.get_order(o) for o in scene.person(customer_id)["order_ids"]]
    return next((o for o in orders if o["status"] == "delivered" and kept(o)), None)

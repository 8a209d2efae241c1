"""A request: what one customer comes for, in their words, and the truth about what resolves it.

Made by `request_kinds`; spoken by `customers`; judged by `truth`. The agent never sees any of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from examples.support_desk.variant import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainCall:
    """One tool call in plain names."""

    name: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What the customer says instead of "yes" the first time they are asked to confirm."""

    text: str
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What they answer from then on."""
    withdraws: bool = False
    """They do not want it any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One thing the customer wants."""

    opening: str
    """How they bring it up."""
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What they say when asked for `order`, `item`, `option`, `reason`, `payment` or `address`: one answer a time, the last one again and again."""
    order_ids: tuple[str, ...] = ()
    """The orders it is about; the customer notices when another one is read back to them."""
    revision: Revision | None = None
    refused_reply: str | None = None
    """What they say when told that it cannot be done; None: they accept it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What resolves the request."""

    accepted: tuple[tuple[PlainCall, ...], ...]
    """Sequences of writes; the request is resolved in the end state that any one of them leads to."""
    told: tuple[tuple[str, ...], ...] = ()
    """Facts the customer must have been told, each in one of several forms."""
    denied: bool = False
    """It cannot be done, and the customer must have been told so."""
    refused: tuple[PlainCall, ...] = ()
    """What they ask for first and cannot have; where they could, that would be the right end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One customer's whole business with the desk."""

    key: str
    """The same key is the same request, whoever attempts it."""
    kind: str
    customer_id: str
    """The customer, or `""` for somebody the shop does not know."""
    identity: Mapping[str, str]
    """What they know about themselves: `email`, `first_name`, `last_name`, `postcode`."""
    wishes: tuple[Wish, ...]
    truth: Truth

"""The ground truth, for tests and measurements: the real backend, legal calls at random, and the judgement of an end.

The product never sees any of it. Everything is exact: the judge compares two states of the real database.
"""

import random
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from examples.support_desk.backend.database import Dump, copy_of, dump
from examples.support_desk.backend.desk import Answer, Desk
from examples.support_desk.backend.generator import START, make_shop
from examples.support_desk.conversation import Conversation
from examples.support_desk.customers import is_denial
from examples.support_desk.request import PlainCall, Request
from examples.support_desk.scene import Scene
from examples.support_desk.variant import Json, Variant, make_variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether a conversation gave the customer what resolves their request, and if not, what was wrong."""

    resolved: bool
    end_state: bool
    """The database ended in a state that resolves the request."""
    told: bool
    """Everything the customer had to be told, they were told, and nothing that the agent knew to be false."""
    confirmed: bool
    """Nothing was changed without their explicit yes."""


class RealBackend:
    """A fresh shop that answers calls, as `reset` conversations meet it."""

    def __init__(self, variant: int = 0, seed: int = 0, *, now: datetime = START) -> None:
        self.variant: Variant = make_variant(variant)
        self.now = now
        self.db: sqlite3.Connection = make_shop(self.variant, seed)
        self._desk = Desk(variant=self.variant, db=self.db, now=lambda: self.now)

    @classmethod
    def at(cls, variant: int, db: sqlite3.Connection, now: datetime) -> "RealBackend":
        """The backend over a shop that already exists, at a moment: what a living season left."""
        made = object.__new__(cls)
        made.variant, made.now, made.db = make_variant(variant), now, db
        made._desk = Desk(variant=made.variant, db=db, now=lambda: made.now)
        return made

    def call(self, name: str, arguments: str | Mapping[str, Json]) -> str:
        """The tool's text, under this variant's names."""
        return self.answer(name, arguments).content

    def answer(self, name: str, arguments: str | Mapping[str, Json]) -> Answer:
        """The tool's text, and whether it is a refusal."""
        return self._desk.call(name, arguments)

    def scene(self, seed: int) -> Scene:
        """A look behind the tools, with dice: finds orders, people and products."""
        return Scene(db=self.db, variant=self.variant, rng=random.Random(seed), now=self.now)

    def fork(self) -> "RealBackend":
        """An independent copy in the same state."""
        return RealBackend.at(self.variant.number, copy_of(self.db), self.now)


def accepted_ends(
    request: Request, start: sqlite3.Connection, variant: Variant, now: datetime
) -> list[Dump]:
    """The end states that resolve a request which begins in this state."""
    ends = []
    for calls in request.truth.accepted:
        copy = copy_of(start)
        for call in calls:
            _apply(Desk(variant=variant, db=copy, now=lambda: now), call)
        ends.append(dump(copy))
    return ends


def refuses(
    start: sqlite3.Connection, variant: Variant, now: datetime, calls: Sequence[PlainCall]
) -> bool:
    """Whether the shop in this state refuses each of these calls."""
    return all(
        _called(Desk(variant=variant, db=copy_of(start), now=lambda: now), call).is_error
        for call in calls
    )


def judge(
    talk: Conversation, request: Request, *, ends: list[Dump], end: Dump, lied: bool = False
) -> Judgement:
    """Compares what happened with what resolves the request; `lied`: the agent knows that it said something false."""
    texts = [
        str(message["content"]).casefold()
        for message in talk.messages
        if message["role"] == "assistant" and message.get("content")
    ]
    end_state = end in ends
    told = (
        not lied
        and all(
            any(form.casefold() in text for form in forms for text in texts)
            for forms in request.truth.told
        )
        and (not request.truth.denied or any(is_denial(text) for text in texts))
    )
    confirmed = talk.unconfirmed_writes == 0
    return Judgement(
        resolved=end_state and told and confirmed,
        end_state=end_state,
        told=told,
        confirmed=confirmed,
    )


def _called(desk: Desk, call: PlainCall) -> Answer:
    shown = desk.variant.outward(dict(call.arguments))
    if not isinstance(shown, dict):
        raise TypeError("arguments are a mapping")
    return desk.call(desk.variant.tools[call.name], shown)


def _apply(desk: Desk, call: PlainCall) -> None:
    answer = _called(desk, call)
    if answer.is_error:
        raise ValueError(f"the truth of a request cannot be done: {call.name}: {answer.content}")

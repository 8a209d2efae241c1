"""The support desk as an app to learn from: what its production writes down, and requests at its real backend.

In: mode, variant and seed. Out: a chat log, and sittings: one customer each, who meets a fresh copy of the shop as it was then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from sqlite3 import Connection

from environments.runtime.play.message import requests_of
from examples.support_desk.agents.agent import Message as Written
from examples.support_desk.agents.agent import Reply, ToolCall
from examples.support_desk.backend.database import copy_of
from examples.support_desk.backend.generator import START, make_shop
from examples.support_desk.living import living_season
from examples.support_desk.request import Request
from examples.support_desk.request_kinds_other import make_request
from examples.support_desk.scene import Scene
from examples.support_desk.season import Plan, Visit, hold_one
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.variant import Json, make_variant
from examples.train_small.practice import Act


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One support desk."""

    mode: str = "reset"
    variant: int = 0
    seed: int = 0
    conversations: int = 600
    attempts: int = 4

    @property
    def name(self) -> str:
        """The app's name."""
        return f"desk-{self.mode}-{self.variant}"

    def arguments(self) -> list[str]:
        """Production, as the app's command line has it."""
        return [
            "--app", self.name, "--mode", self.mode, "--variant", str(self.variant),
            "--seed", str(self.seed), "--conversations", str(self.conversations),
            "--task-keys", str(self.plan().attempts),
        ]  # fmt: skip

    def plan(self) -> Plan:
        """The season that production held."""
        living = self.mode == "living"
        return Plan(
            app=self.name,
            variant=make_variant(self.variant),
            seed=self.seed,
            conversations=self.conversations,
            mode=self.mode,
            attempts=1 if living else self.attempts,
        )

    def production(self, count: int) -> "list[Customer]":
        """Requests that production had."""
        return self._customers("request", count)

    def unseen(self, count: int) -> "list[Customer]":
        """Requests that it never had."""
        return self._customers("unseen request", count)

    def _customers(self, purpose: str, count: int) -> "list[Customer]":
        plan = self.plan()
        made = []
        for position, (shop, now) in enumerate(self._shops(plan, count)):
            dice = plan.dice(purpose, position)
            request = make_request(Scene(db=shop, variant=plan.variant, rng=dice, now=now))
            made.append(Customer(plan, request, shop, now, f"{purpose} {position}"))
        return made

    def _shops(self, plan: Plan, count: int) -> Sequence[tuple[Connection, datetime]]:
        """The shop as each request finds it."""
        if self.mode == "reset":
            shop = make_shop(plan.variant, plan.seed)
            return [(shop, START)] * count
        found: list[Connection] = []
        held = living_season(plan, Telemetry(), watch=lambda shop: found.append(copy_of(shop)))
        times = []
        for one in held:
            times.append(one.started)
            if len(times) >= count:
                break
        return list(zip(found, times, strict=False))


@dataclass(frozen=True, slots=True)
class Customer:
    """One request at the real desk."""

    plan: Plan
    request: Request
    shop: Connection
    now: datetime
    key: str

    @property
    def task_key(self) -> str | None:
        """What the chat log calls the request, where it has several attempts."""
        return self.request.key if self.plan.attempts > 1 else None

    def play(self, act: Act) -> bool:
        """Let an agent serve it; whether the database and the customer got what resolves it."""
        plan = Plan(
            app=self.plan.app,
            variant=self.plan.variant,
            seed=self.plan.seed,
            conversations=1,
            mode=self.plan.mode,
            make_agent=lambda _policy, _variant, _seed: _Agent(act),
        )
        position = Random(self.key).randrange(1 << 30)
        visit = Visit(request=self.request, policy="", position=position, started=self.now)
        frozen = self.now if self.plan.mode == "reset" else None
        held = hold_one(plan, visit, db=copy_of(self.shop), frozen=frozen, telemetry=Telemetry())
        return held.judgement.resolved


@dataclass(slots=True)
class _Agent:
    """A policy as the desk's agent."""

    act_on: Act
    name: str = "policy"
    model: str = "policy"
    acted: int = 0

    def act(self, messages: Sequence[Written], tools: Sequence[Mapping[str, Json]]) -> Reply:
        """The next message."""
        self.acted += 1
        message = self.act_on(messages, tools)
        calls = tuple(
            ToolCall(call_id=f"call_{self.acted}_{at}", name=request.name, arguments=request.text)
            for at, request in enumerate(requests_of(message, first=0))
        )
        return Reply(content=str(message.get("content") or ""), tool_calls=calls)

"""A season of conversations: who comes when, to which agent, and in which state of the shop.

`reset`: every conversation starts from one and the same shop, as on a test bench, where it is always the same moment.
`living` (in `living`): one shop over thirty days.
"""

import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from examples.support_desk.agents.agent import Agent
from examples.support_desk.agents.faulty import make_agent
from examples.support_desk.agents.scripted import ScriptedAgent
from examples.support_desk.backend.database import copy_of, dump
from examples.support_desk.backend.desk import Desk
from examples.support_desk.backend.generator import START, make_shop
from examples.support_desk.clock import Clock
from examples.support_desk.conversation import Room, hold
from examples.support_desk.customers import make_customer
from examples.support_desk.feedback import give_feedback
from examples.support_desk.records import Held
from examples.support_desk.request import Request
from examples.support_desk.request_kinds_other import make_request
from examples.support_desk.scene import Scene
from examples.support_desk.telemetry import Session, Telemetry
from examples.support_desk.truth import accepted_ends, judge
from examples.support_desk.variant import Variant

MakeAgent: TypeAlias = Callable[[str, Variant, str], Agent]

MIX: Final[Mapping[str, int]] = {
    "good": 6,
    "wrong_argument": 1,
    "wrong_entity": 1,
    "skipped_confirmation": 1,
    "early_stop": 1,
    "loop": 1,
    "claims_success": 1,
}
"""How often which policy is on duty; the others are on duty only where they are asked for."""
PAUSE: Final = timedelta(minutes=12)
"""Between two conversations of a test bench, which runs day and night."""
DAYS: Final = 30
"""How long a living season lasts."""
AGENT: Final = "support-agent"
"""The agent's name in the telemetry: which policy is on duty is the truth, and stays out of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run."""

    app: str
    variant: Variant
    seed: int
    conversations: int
    mode: str = "reset"
    noise: float = 0.0
    attempts: int = 1
    """How many conversations have the same request (reset only); above one they carry its key."""
    policies: tuple[str, ...] = ()
    """Which policies are on duty, equally often; none: `MIX`."""
    make_agent: MakeAgent = make_agent

    def dice(self, *names: object) -> random.Random:
        """Dice of their own for every purpose, so that one purpose never shifts another."""
        return random.Random(" ".join(str(name) for name in (self.seed, *names)))

    def policy(self, rng: random.Random) -> str:
        """Who is on duty."""
        if self.policies:
            return rng.choice(self.policies)
        return rng.choices(list(MIX), weights=list(MIX.values()))[0]

    def id_of(self, position: int) -> str:
        """The id of a conversation, as a chat widget makes one."""
        return f"conv_{self.dice('id', self.app, position).getrandbits(80):020x}"


def reset_season(plan: Plan, telemetry: Telemetry) -> Iterator[Held]:
    """Conversations that each start from the same shop."""
    shop = make_shop(plan.variant, plan.seed)
    for position in range(plan.conversations):
        key, attempt = divmod(position, plan.attempts)
        scene = Scene(db=shop, variant=plan.variant, rng=plan.dice("request", key), now=START)
        request = make_request(scene)
        policy = _policy_of_attempt(plan, key, attempt)
        started = START + PAUSE * position
        visit = Visit(request=request, policy=policy, position=position, started=started)
        yield hold_one(plan, visit, db=copy_of(shop), frozen=START, telemetry=telemetry)


def _policy_of_attempt(plan: Plan, key: int, attempt: int) -> str:
    if plan.attempts == 1 or plan.policies:
        return plan.policy(plan.dice("policy", key, attempt))
    # Attempts at one request differ in policy: mostly one good among several faulty ones.
    faulty = [policy for policy in MIX if policy != "good"]
    rng = plan.dice("policies", key)
    order = rng.sample(faulty, len(faulty))
    if rng.random() < 0.85:
        order.insert(rng.randrange(min(plan.attempts, len(order))), "good")
    if plan.attempts > 2 and rng.random() < 0.5:
        order.insert(rng.randrange(plan.attempts), "good")
    return order[attempt % len(order)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One customer who comes to the desk."""

    request: Request
    policy: str
    position: int
    started: datetime


def hold_one(
    plan: Plan,
    visit: Visit,
    *,
    db: sqlite3.Connection,
    frozen: datetime | None,
    telemetry: Telemetry,
) -> Held:
    """Holds one conversation on a database, judges it, and collects what is said about it."""
    rng = plan.dice("conversation", visit.position)
    clock = Clock(now=visit.started, rng=rng)
    desk = Desk(variant=plan.variant, db=db, now=lambda: frozen or clock.now)
    # The ends are computed first: the conversation changes the database.
    ends = accepted_ends(visit.request, db, plan.variant, desk.now())
    agent = plan.make_agent(visit.policy, plan.variant, f"{plan.seed} {visit.position}")
    conversation_id = plan.id_of(visit.position)
    session = Session(
        conversation_id=conversation_id,
        user_id=visit.request.customer_id or f"guest-{conversation_id[-6:]}",
        agent=AGENT,
        model=agent.model,
        task_key=visit.request.key if plan.attempts > 1 else None,
    )
    customer = make_customer(visit.request, rng, order_pattern=plan.variant.order_pattern)
    talk = hold(agent, customer, session, Room(desk=desk, clock=clock, telemetry=telemetry))
    lied = isinstance(agent, ScriptedAgent) and agent.lied
    judgement = judge(talk, visit.request, ends=ends, end=dump(db), lied=lied)
    feedback = give_feedback(
        resolved=judgement.resolved,
        ended=clock.now,
        rng=plan.dice("feedback", visit.position),
        noise=plan.noise,
    )
    for given in feedback:
        if given.by == "end_user":
            telemetry.feedback(session, given.name, given.value, given.at)
    return Held(
        app=plan.app,
        mode=plan.mode,
        variant=plan.variant.number,
        seed=plan.seed,
        started=visit.started,
        talk=talk,
        policy=agent.name,
        request=visit.request,
        judgement=judgement,
        feedback=feedback,
    )

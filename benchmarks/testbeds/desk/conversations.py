"""Conversations of the example support desk with the truth about each, as the measurements of rubrics need them.

In: a variant, a seed, a number of conversations. Out: clean episodes (fictional data, nothing to redact) and what its
real database says of each of them; and fresh conversations about a known request, held by any scripted policy. The
product never sees any of the truth.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from sqlite3 import Connection, connect
from typing import Any, Final

from benchmarks.testbeds.chat_logs import to_episode
from examples.support_desk.agents.faulty import POLICIES
from examples.support_desk.app import season
from examples.support_desk.backend.database import copy_of
from examples.support_desk.backend.generator import START, make_shop
from examples.support_desk.living import living_season
from examples.support_desk.records import Held, chat_log_line, truth_line
from examples.support_desk.request import Request
from examples.support_desk.season import Plan, Visit, hold_one, reset_season
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.variant import make_variant
from redact.records.clean_episode import CleanEpisode

FRESH: Final = 10**6
"""Positions from here on belong to conversations that are held for a measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation and the truth about it."""

    episode: CleanEpisode
    policy: str
    request: Request
    resolved: bool
    truth: Mapping[str, Any]
    feedback: tuple[Mapping[str, Any], ...]
    started: datetime

    @property
    def denied(self) -> bool:
        """Whether the request cannot be granted: its right end is to say so."""
        return self.request.truth.denied


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """One season of the desk."""

    plan: Plan
    db: Connection
    """The shop at the start; every conversation gets a copy."""
    talks: tuple[Talk, ...]
    found: Mapping[str, bytes] = field(default_factory=dict)
    """The shop as each conversation of a living season found it, serialised."""

    def fresh(self, talk: Talk, policy: str, number: int, *, at: Talk | None = None) -> Talk:
        """A new conversation about a request, held by a policy at the real database as that one (or `at`) found it."""
        start = at or talk
        kept = self.found.get(start.episode.episode_id)
        db = copy_of(self.db) if kept is None else opened(kept)
        visit = Visit(
            request=talk.request,
            policy=policy,
            position=FRESH + number,
            started=START if kept is None else start.started,
        )
        frozen = START if kept is None else None
        held = hold_one(self.plan, visit, db=db, frozen=frozen, telemetry=Telemetry())
        return _talk(held)


def desk_season(count: int, variant: int, *, mode: str) -> list[CleanEpisode]:
    """Conversations of one desk that lives on or is reset, in order of time, without their truth."""
    named = make_variant(variant)
    plan = Plan(app="desk", variant=named, seed=0, conversations=count, mode=mode)
    return [to_episode(chat_log_line(one, [])) for one in season(plan, Telemetry())]


def opened(kept: bytes) -> Connection:
    """A database from its bytes."""
    source = connect(":memory:")
    source.deserialize(kept)
    return copy_of(source)


def hold_living(*, variant: int, seed: int, conversations: int) -> Shop:
    """A season of one shop over thirty days; customers who were not helped may come back."""
    plan = Plan(
        app=f"support-desk-v{variant}",
        variant=make_variant(variant),
        seed=seed,
        conversations=conversations,
        mode="living",
    )
    kept: list[bytes] = []
    held = living_season(plan, Telemetry(), watch=lambda shop: kept.append(shop.serialize()))
    talks = tuple(map(_talk, held))
    found = {t.episode.episode_id: data for t, data in zip(talks, kept, strict=True)}
    return Shop(plan=plan, db=make_shop(plan.variant, seed), talks=talks, found=found)


def hold_season(
    *, variant: int, seed: int, conversations: int, attempts: int, noise: float = 0.0
) -> Shop:
    """A season on a test bench; with several attempts a request, they carry its key."""
    plan = Plan(
        app=f"support-desk-v{variant}",
        variant=make_variant(variant),
        seed=seed,
        conversations=conversations,
        attempts=attempts,
        noise=noise,
    )
    db = make_shop(plan.variant, plan.seed)
    return Shop(plan=plan, db=db, talks=tuple(_talk(h) for h in reset_season(plan, Telemetry())))


def policies() -> tuple[str, ...]:
    """The good agent and the seven with a fault each."""
    return tuple(POLICIES)


def _talk(held: Held) -> Talk:
    line: Any = json.loads(json.dumps(chat_log_line(held, held.feedback)))
    return Talk(
        episode=to_episode(line),
        policy=held.policy,
        request=held.request,
        resolved=held.judgement.resolved,
        truth=truth_line(held),
        feedback=tuple(line.get("outcomes", ())),
        started=held.started,
    )

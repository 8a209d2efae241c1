"""Mode `living`: one shop over thirty days. What an agent changes stays changed, and the world moves on by itself.

Customers whose business was not resolved may come back some days later with the same request.
"""

import heapq
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from examples.support_desk.backend.daily import pass_night
from examples.support_desk.backend.generator import START, make_shop
from examples.support_desk.records import Held
from examples.support_desk.request import Request
from examples.support_desk.request_kinds_other import make_request
from examples.support_desk.scene import Scene
from examples.support_desk.season import DAYS, Plan, Visit, hold_one
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.truth import accepted_ends

RETURN_RATE: Final = 0.4
"""Share of customers with unresolved business who come back."""


def living_season(plan: Plan, telemetry: Telemetry) -> Iterator[Held]:
    """Conversations over one shop, in order of time."""
    shop = make_shop(plan.variant, plan.seed)
    days, come = plan.dice("days"), plan.dice("comes back")
    queue = _arrivals(plan)
    night = START.replace(hour=3) + timedelta(days=1)
    while queue:
        started, position, request = heapq.heappop(queue)
        while night < started:
            pass_night(shop, plan.variant, days, night)
            night += timedelta(days=1)
        rng = plan.dice("request", position)
        scene = Scene(db=shop, variant=plan.variant, rng=rng, now=started)
        if request is None or not _still_possible(request, scene):
            request = make_request(scene)
        policy = plan.policy(plan.dice("policy", position))
        visit = Visit(request=request, policy=policy, position=position, started=started)
        held = hold_one(plan, visit, db=shop, frozen=None, telemetry=telemetry)
        yield held
        if not held.judgement.resolved and queue and come.random() < RETURN_RATE:
            _come_back(queue, request, held.talk.said[-1].at, come)


def _arrivals(plan: Plan) -> list[tuple[datetime, int, Request | None]]:
    rng = plan.dice("arrivals")
    times = []
    for _ in range(plan.conversations):
        day, minute = rng.randrange(DAYS), rng.randrange(8 * 60, 21 * 60)
        midnight = START.replace(hour=0) + timedelta(days=day)
        times.append(max(START, midnight + timedelta(minutes=minute, seconds=rng.randrange(60))))
    return [(at, position, None) for position, at in enumerate(sorted(times))]


def _come_back(
    queue: list[tuple[datetime, int, Request | None]],
    request: Request,
    left: datetime,
    rng: random.Random,
) -> None:
    """Gives the request to the first arrival that is free, a day or two later."""
    earliest = left + timedelta(hours=rng.randrange(12, 60))
    free = [entry for entry in queue if entry[2] is None and entry[0] >= earliest]
    if not free:
        return
    at, position, _ = min(free, key=lambda entry: entry[:2])
    queue[:] = [entry for entry in queue if entry[1] != position]
    heapq.heapify(queue)
    heapq.heappush(queue, (at, position, request))


def _still_possible(request: Request, scene: Scene) -> bool:
    """Whether what the customer wants has not become impossible in the meantime, nor happened."""
    if request.truth.told:
        return False  # the answer may have changed since
    try:
        ends = accepted_ends(request, scene.db, scene.variant, scene.now)
    except ValueError:
        return False
    return bool(ends)

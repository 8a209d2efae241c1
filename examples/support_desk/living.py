"""Mode `living`: one shop over thirty days. What an agent changes stays changed, and the world moves on by itself.

Customers whose business was not resolved may come back some days later with the same request.
"""

import heapq
import random
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from examples.support_desk.backend.daily import pass_night
from examples.support_desk.backend.generator import START, make_shop
from examples.support_desk.records import Held
from examples.support_desk.request import Request
from examples.support_desk.request_kinds import identity_of
from examples.support_desk.request_kinds_other import make_request
from examples.support_desk.scene import Scene
from examples.support_desk.season import DAYS, Plan, Visit, hold_one
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.truth import accepted_ends, refuses

RETURN_RATE: Final = 0.4
"""Share of customers with unresolved business who come back."""


def living_season(
    plan: Plan, telemetry: Telemetry, *, watch: Callable[[sqlite3.Connection], None] | None = None
) -> Iterator[Held]:
    """Conversations over one shop, in order of time; `watch` sees the shop as each of them finds it."""
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
        request = (request and _again(request, scene)) or make_request(scene)
        policy = plan.policy(plan.dice("policy", position))
        visit = Visit(request=request, policy=policy, position=position, started=started)
        if watch is not None:
            watch(shop)
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


def _again(request: Request, scene: Scene) -> Request | None:
    """The same business at a later moment; None where it has become impossible, pointless or another one."""
    truth = request.truth
    if not request.customer_id or truth.told or truth.denied or not any(truth.accepted):
        return None
    try:
        accepted_ends(request, scene.db, scene.variant, scene.now)
    except ValueError:
        return None
    if not refuses(scene.db, scene.variant, scene.now, truth.refused):
        return None
    returned = {
        str(call.arguments["order_id"])
        for calls in truth.accepted
        for call in calls
        if call.name == "return_items"
    }
    if not all(scene.in_window(scene.get_order(order_id)) for order_id in returned):
        return None
    # They may have moved in the meantime, and identify themselves with the new postcode.
    person = scene.person(request.customer_id)
    return replace(request, identity=identity_of(person))

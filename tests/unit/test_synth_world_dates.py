"""Unit tests: tools that tell which day it is, beside records that hold dates of their own."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

SECOND = 1_000_000_000
HOUR = 3_600
DAY = 24 * HOUR
FIRST = 20_000 * DAY
ORDERS = [f"OR-{700 + number}" for number in range(40)]


def _date(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def _order(order: str) -> str:
    """A record with a date of its own, which some day is today's."""
    return json.dumps({"order": order, "due": _date(FIRST + 2 * ORDERS.index(order) * DAY)})


def _opened(day: int, *, zone: int) -> CleanEpisode:
    """A day at the office, from nine to five: which day it is, and some orders."""
    start = FIRST + day * DAY + (9 + day % 9) * HOUR
    asked = [ORDERS[at % len(ORDERS)] for at in (day, day * 7 + 3, day // 2)]
    calls: list[tuple[str, dict[str, Any] | str, str]] = [("today", {}, _date(start + zone))]
    calls += [("show", {"order": order}, _order(order)) for order in asked]
    return replace(episode(day, calls), started_at=start * SECOND)


@cache
def _world(zone: int = 0) -> World:
    learnt = learn_world([_opened(day, zone=zone) for day in range(60)], WorldSettings(risk=0))
    return World.from_json(learnt.document.to_json())


@pytest.mark.parametrize("zone", [0, 5 * HOUR, -8 * HOUR])
def test_today_is_the_day_of_the_session_or_unknown(zone: int) -> None:
    """At office hours the day is the right one, wherever the backend stands; at other hours nobody knows where it begins."""
    for hour in range(24):
        start = FIRST + 200 * DAY + hour * HOUR
        told = _world(zone).session(started_at=start * SECOND).call("today", {})
        if 9 <= hour < 17:
            assert told.source != UNKNOWN
        assert told.source == UNKNOWN or told.content == _date(start + zone)


def test_a_stored_date_is_not_taken_for_today() -> None:
    """Orders due on the day of their recording keep their dates."""
    session = _world().session(started_at=(FIRST + 200 * DAY + 12 * HOUR) * SECOND)
    session.call("today", {})
    for order in ORDERS:
        assert session.call("show", {"order": order}).content == _order(order)

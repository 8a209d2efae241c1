"""Failures of tools that are several: named by the part that is meant, once enough users' calls meant it."""

from __future__ import annotations

import json
from dataclasses import replace

from dagster_project.report.feedback_gaps import LEAST_USERS, feedback_gaps
from dagster_project.worlds.operations import LEAST, MOST, _size
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.clusters.names import name_of, said_by
from synth.failures.detection import Failure, detect
from synth.failures.named_parts import learn_named_parts
from synth.failures.reading import AppReading
from synth.labels.label import Label
from tests.unit.clean_conversations import call, episode, result, says, user

BAD = Label(resolved=False, by="end_user")
DEFINITION = json.dumps({"type": "function", "function": {"name": "orders", "parameters": {}}})


def _steps(n: int) -> tuple[CleanStep, ...]:
    order = {"id": n, "status": "open", "total": 3 * n}
    return (
        user(f"Cancel my order. I am u{n}@example.com."),
        call("a", "orders", action="show", order_id=n),
        result("a", json.dumps(order)),
        call("b", "orders", action="cancel", order_id=n, reason="late"),
        result("b", json.dumps({"cancelled": n, "refund": 3 * n})),
        call("c", "orders", action="find", mail=f"u{n}@example.com"),
        result("c", json.dumps([order])),
        says("I am not sure that this worked."),
    )


def _app(users: int = 8) -> list[CleanEpisode]:
    """One conversation of each user with a desk whose one tool is several."""
    return [
        replace(episode(*_steps(n)), episode_id=f"e{n}", subject=f"user-{n}", tools=(DEFINITION,))
        for n in range(users)
    ]


def _failures(episodes: list[CleanEpisode], k: int) -> list[Failure]:
    parts = learn_named_parts(episodes, k=k)
    found = [detect(one, BAD, app=AppReading(parts=parts)) for one in episodes]
    return [one for one in found if one is not None]


def test_a_failure_turns_on_the_part_that_changed_something() -> None:
    """Looking at an order is no change; cancelling is, and the cluster says so by the part's name."""
    found = _failures(_app(), k=5)
    assert {one.focus for one in found} == {("orders[action=cancel]",)}
    name = name_of(found, said_by(found), k=5)
    assert name.startswith("orders[action=cancel]: done, but not what was needed")


def test_what_few_users_meant_keeps_the_tools_own_name() -> None:
    """A value of an argument that fewer than k users' calls had may be anything about them."""
    found = _failures(_app(users=8), k=9)
    assert {one.focus for one in found} == {("orders",)}
    name = name_of(found, said_by(found), k=5)
    assert "orders" in name.lower()
    assert "cancel]" not in name


def test_who_never_says_how_it_went_is_told_by_part() -> None:
    """The world knows its writers by part: calls of the tool are counted under them."""
    parts = learn_named_parts(_app(), k=5)
    silent = [replace(e, steps=e.steps[:3], episode_id=f"s{n}") for n, e in enumerate(_app())]
    rows = feedback_gaps("shop", [*_app(), *silent], {}, {"orders[action=cancel]"}, parts)
    assert len(_app()) >= LEAST_USERS
    found = {row.group: row.episodes for row in rows}
    assert found["orders[action=cancel]"] == 8
    assert found["no change made"] == 8


def test_parts_are_learnt_anew_at_twice_the_episodes() -> None:
    """A new day does not rename the failures of all earlier ones."""
    sizes = [_size(n) for n in (LEAST - 1, LEAST, 31, 32, 1000, 5000)]
    assert sizes == [0, 16, 16, 32, 512, MOST]

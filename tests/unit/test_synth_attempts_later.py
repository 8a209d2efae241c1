"""Who joins a later attempt: the same subject, opened alike, about the same things, found as they were."""

from __future__ import annotations

import json

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.attempts.grouping import Group, join_attempts
from synth.attempts.later_attempts import LATER, join_later
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import facts_of
from synth.recordings.tool_kinds import infer_tools


def episode(
    name: str,
    at: int,
    *,
    order: str = "ORD-1001",
    status: str = "open",
    stop: bool = False,
    subject: str = "u1",
) -> CleanEpisode:
    """Somebody wants an order stopped; the agent looks it up, and may stop it."""
    steps = [CleanStep(role="user", content=f"Please stop order {order}.")]
    for tool in ("get_order", "stop_order") if stop else ("get_order",):
        call = CleanToolCall(call_id=tool, name=tool, arguments=json.dumps({"order": order}))
        result = json.dumps(
            {"order": order, "status": status if tool == "get_order" else "stopped"}
        )
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=tool, content=result))
    steps.append(CleanStep(role="assistant", content="Thank you."))
    return CleanEpisode(
        app="shop", episode_id=name, started_at=at, subject=subject, steps=tuple(steps)
    )


def joined(*episodes: CleanEpisode, good: str = "later") -> list[Group]:
    """Groups, with everybody's opening alike."""
    records = [record(e) for e in episodes]
    kinds = infer_tools(records)
    facts = {
        r.episode.episode_id: facts_of(
            r, Label(resolved=r.episode.episode_id == good, confidence=0.97), kinds
        )
        for r in records
    }
    groups = join_attempts(records, kinds)
    return join_later(groups, facts, kinds, alike=lambda _: frozenset(facts))


LATER_ONE = episode("later", 30, stop=True)


def test_an_attempt_that_changed_nothing_joins_the_later_one_that_was_resolved() -> None:
    """Its task begins where the resolved one did, and is named by the first."""
    (group,) = joined(episode("first", 10), LATER_ONE)
    assert group.joined_by == LATER
    assert group.anchor.episode.episode_id == "first"
    assert group.begins.episode.episode_id == "later"


def test_another_subject_another_order_or_an_earlier_one_is_not_joined() -> None:
    """A doubtful join is not made."""
    for other in (
        episode("first", 10, subject="u2"),
        episode("first", 10, order="ORD-2002"),
        episode("first", 40),
    ):
        assert len(joined(other, LATER_ONE)) == 2


def test_an_order_that_had_become_another_one_is_not_joined() -> None:
    """What is right for an open order need not have been right while it was on its way."""
    assert len(joined(episode("first", 10, status="shipped"), LATER_ONE)) == 2


def test_what_somebody_else_changed_in_between_is_not_joined() -> None:
    """Nobody knows what would have been right before."""
    between = episode("between", 20, stop=True, subject="u3")
    assert all(g.joined_by != LATER for g in joined(episode("first", 10), between, LATER_ONE))

"""What a task believes of one call: only what no recorded call ever contradicted is put aside for it."""

from __future__ import annotations

from typing import Any

import pytest

from environments.runtime.task.attempt import DERIVED, UNKNOWN, Json, ToolResult
from environments.runtime.world.world import World

GOOD: dict[str, Json] = {"order": "O-1", "amount": 7.5, "why": "broken"}


def _world(*, claims: bool = True) -> World:
    guards: list[dict[str, Any]] = [
        {
            "holds": ["among", ["arg", "why"], ["broken", "late"]],
            "message": ["const", "no such reason"],
            "says": "no such reason",
            "support": 3,
        },
        {"holds": ["among", ["arg", "amount"], [3.0, 4.5]], "says": "amounts", "support": 0},
        {
            "holds": ["among", ["list", ["arg", "order"], ["arg", "why"]], [["O-9", "late"]]],
            "says": "together",
            "support": 0,
        },
        {"holds": ["among", ["arg", "lane"], ["fast"]], "says": "lanes", "support": 0},
        {
            "holds": ["among", ["row", "order", [["arg", "order"]], "state"], ["open"]],
            "says": "states",
            "support": 0,
        },
    ]
    rows = {'["O-1"]': {"state": "open"}, '["O-2"]': {"state": "gone"}}
    tool = {
        "kind": "write",
        "answer": ["const", "paid"],
        "text": True,
        "claims": claims,
        "guards": guards,
    }
    return World.from_json(
        {"format": "1", "tools": {"refund": tool}, "tables": {"order": {"rows": rows}}}
    )


def _asked(world: World, call: dict[str, Json], *believed: dict[str, Json]) -> ToolResult:
    arguments = {"lane": "fast", **call}
    start = {"believed": [["refund", {"lane": "fast", **one}] for one in believed]}
    return world.session(start).call("refund", arguments)


def test_a_believed_call_succeeds_with_ids_and_amounts_that_nobody_used() -> None:
    """The same call is not known without the belief, and is answered as the tool answers with it."""
    world = _world()
    assert _asked(world, GOOD).source == UNKNOWN
    found = _asked(world, GOOD, GOOD)
    assert (found.source, found.content, found.is_error) == (DERIVED, "paid", False)
    assert "alike users" in found.evidence


def test_an_id_of_digits_and_strokes_is_new_as_any_other() -> None:
    """The list of recorded orders says nothing of a new one, however its number is written."""
    listed: Json = [["26/100", "late"]]
    among: Json = ["among", ["list", ["arg", "order"], ["arg", "why"]], listed]
    alone: Json = ["among", ["arg", "order"], ["26/100"]]
    guards: Json = [{"holds": tree, "says": "listed", "support": 0} for tree in (among, alone)]
    tool: Json = {
        "kind": "write",
        "answer": ["const", "paid"],
        "text": True,
        "claims": True,
        "guards": guards,
    }
    world = World.from_json({"format": "1", "tools": {"refund": tool}, "tables": {}})
    new: dict[str, Json] = {"order": "26/555", "why": "late"}
    assert _asked(world, new).source == UNKNOWN
    assert _asked(world, new, new).content == "paid"


def test_a_belief_serves_one_call_alone() -> None:
    """Another amount, or another order, is as little known as before."""
    world = _world()
    assert _asked(world, {**GOOD, "amount": 8.5}, GOOD).source == UNKNOWN
    assert _asked(world, {**GOOD, "order": "O-3"}, GOOD).source == UNKNOWN


def test_what_refuses_refuses_a_believed_call_too() -> None:
    """A condition that recorded calls broke is told in their words, whatever is believed."""
    call = {**GOOD, "why": "dislike"}
    found = _asked(_world(), call, call)
    assert (found.content, found.is_error) == ("no such reason", True)


@pytest.mark.parametrize(
    "changed", [{"order": "O-2"}, {"lane": "slow"}], ids=["a record", "a word"]
)
def test_a_known_value_beside_which_success_was_never_seen_stays_unknown(
    changed: dict[str, Json],
) -> None:
    """The state of a record and a word among few are no ids: a belief says nothing of them."""
    call = {**GOOD, **changed}
    assert _asked(_world(), call, call).source == UNKNOWN


def test_a_belief_stands_for_a_tool_whose_success_is_not_claimed() -> None:
    """Where too many refusals are unexplained, the calls of alike users still speak for this one."""
    world = _world(claims=False)
    call = {**GOOD, "amount": 3.0, "order": "O-9", "why": "late"}
    assert _asked(world, call).source == UNKNOWN
    assert _asked(world, call, call).content == "paid"


def test_a_fork_believes_what_its_session_does() -> None:
    """A copy of a session answers the believed call alike."""
    world = _world()
    session = world.session({"believed": [["refund", {"lane": "fast", **GOOD}]]}).fork()
    assert session.call("refund", {"lane": "fast", **GOOD}).content == "paid"

"""Agents that look once, act once and never look again: what may be said of such tools, and what may not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.recordings.attempt import record
from synth.recordings.tool_kinds import READ, infer_tools
from synth.world.influence.purity_prior import MIN_NAMED, MIN_READER, enough
from synth.world.model import TOO_FEW, ToolModel
from synth.world.observation import Observation
from synth.worlds import WorldSettings, learn_world

READS = frozenset({"get_room", "change_price"})
MOST = 3


def room(number: int) -> dict[str, Any]:
    """A room as it is at the start."""
    return {
        "room": f"R{number:02}",
        "kind": ("suite", "single")[number % 2],
        "beds": number // 3 % 3,
    }


def fitted(number: int, count: int) -> dict[str, Any]:
    """What putting beds into a room answers: the room, or that there are too many."""
    beds = room(number)["beds"] + count
    return {"error": f"at most {MOST} beds"} if beds > MOST else {**room(number), "beds": beds}


def conversation(at: int, *calls: tuple[str, dict[str, Any], Any]) -> CleanEpisode:
    """One conversation on a backend that starts afresh."""
    steps = [CleanStep(role="user", content="hello")]
    for n, (name, arguments, result) in enumerate(calls):
        call = CleanToolCall(call_id=f"c{n}", name=name, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", call_id=f"c{n}", content=json.dumps(result)))
    return CleanEpisode(
        app="inn", episode_id=f"e{at:03}", started_at=at * 10**9, steps=tuple(steps)
    )


def conversations() -> list[CleanEpisode]:
    """Look, ask the price, change; what is changed answers with a field of its own (`paid`), and nobody looks again."""
    out = []
    for at in range(60):
        n = at % 12
        before = room(n)
        look = ("get_room", {"room": before["room"]}, before)
        price = ("change_price", {"room": before["room"]}, {"room": before["room"], "price": n * 5})
        kind = ("suite", "single")[(n + 1) % 2]
        moved = {**before, "kind": kind, "paid": n * 5}
        move = ("change_kind", {"room": before["room"], "kind": kind}, moved)
        count = (at // 12) % 2 + 1 if n != 6 else 2
        beds = ("add_beds", {"room": before["room"], "count": count}, fitted(n, count))
        out.append(conversation(at, look, *([price, move] if at % 3 else [beds])))
    return out


@pytest.fixture(scope="module")
def world() -> World:
    """The world where a person said which tools only look."""
    learnt = learn_world(conversations(), WorldSettings(risk=0, reads=READS))
    assert learnt.document.to_json()["reads"] == sorted(READS)
    return World.from_json(learnt.document.to_json())


def test_without_a_word_nobody_knows_that_a_look_changes_nothing() -> None:
    """A second look is unknown, and the tool says why it is held to be a writer."""
    learnt = learn_world(conversations(), WorldSettings(risk=0))
    session = World(learnt.document).session()
    for name in ("get_room", "change_price"):
        session.call(name, '{"room": "R01"}')
    assert session.call("get_room", '{"room": "R01"}').source == UNKNOWN
    doubted = {t.name for t in learnt.tools if t.evidence.get("suspected") == TOO_FEW}
    assert "get_room" in doubted


def test_a_tool_that_a_person_vouches_for_is_answered_after_any_other_look(world: World) -> None:
    """Looks in any order are told as they are at the start."""
    session = world.session()
    for number in (1, 4, 1, 7):
        told = session.call("get_room", json.dumps({"room": f"R{number:02}"}))
        assert json.loads(told.content) == room(number)
    assert json.loads(session.call("change_price", '{"room": "R07"}').content)["price"] == 35


def test_whom_a_refusal_happened_to_is_no_reason_for_it(world: World) -> None:
    """One room only was refused: the others are not promised more beds than any room ever had."""
    for number in range(12):
        for count in (1, 2, 3):
            session = world.session()
            session.call("get_room", json.dumps({"room": f"R{number:02}"}))
            called = json.dumps({"room": f"R{number:02}", "count": count})
            told = session.call("add_beds", called)
            assert told.source == UNKNOWN or json.loads(told.content) == fitted(number, count)


def test_graders_hold_what_a_person_vouches_for_to_be_a_look() -> None:
    """Asking for the price of a change is no change, whatever the name says."""
    said = dict.fromkeys(READS, "a person says so")
    kinds = infer_tools([record(e) for e in conversations()], reads=said)
    assert kinds.tools["change_price"].kind == READ
    assert kinds.tools["change_kind"].kind != READ


@pytest.mark.parametrize("twice", [False, True])
def test_a_list_that_nobody_asked_for_twice_may_be_another_one_then(*, twice: bool) -> None:
    """New letters are no longer new once they were shown: such a tool needs as much evidence as one that says it changes something."""
    seen = []
    for number in range(8):
        one = Observation(
            tool="get_new_letters",
            arguments={},
            content='[{"letter": "LT-1"}]',
            episode=number // 2 if twice else number,
            position=number % 2,
            at=number,
            caller="",
        )
        one.settle()
        seen.append(one)
    tool = ToolModel(name="get_new_letters", observations=seen)
    assert enough(tool, set()) == (MIN_READER if twice else MIN_NAMED)

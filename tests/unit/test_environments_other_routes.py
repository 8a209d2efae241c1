"""Ends reached by other routes: what is undone again, what nobody knows beside it, what only looks, lists in another order."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import pytest

from environments.runtime.checks.arguments import canonical_arguments, ordered_arguments
from environments.runtime.checks.table import evaluate
from environments.runtime.task.attempt import (
    DERIVED,
    UNKNOWN,
    Attempt,
    Call,
    Effect,
    EndState,
    Event,
    Json,
    ToolResult,
)
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import workshop_episodes

RENT: dict[str, Json] = {"boat": "B7", "stops": ["pier", "island"]}
WRONG: dict[str, Json] = {"boat": "B7", "stops": ["mill"]}
SAILED = Effect(entity="boats", key='["B7"]', field="stops", before=None, after=["pier", "island"])


def made(name: str, arguments: dict[str, Json], source: str = DERIVED) -> Call:
    """One call that was answered."""
    result = ToolResult(content="ok", source=source)
    return Call(name=name, arguments=arguments, result=result, message=1)


def end_score(*calls: Call, end: EndState, **more: Json) -> float | None:
    """Grade against one accepted end: boat B7 rented with two stops."""
    accepted: dict[str, Json] = {
        "id": "e1",
        "writes": [["rent", canonical_arguments(RENT), 1]],
        "effects": [["boats", '["B7"]', "stops", '["island","pier"]']],
        "events": [],
        **more,
    }
    args: dict[str, Json] = {"ends": [accepted], "writes": ["rent", "paint"], "maybe": []}
    check = Check(check_id="end", fn="end_state", args=args, required=True)
    attempt = Attempt(messages=({"role": "user", "content": "?"},), opening=1, calls=calls, end=end)
    return evaluate(Rubric(task_id="t", checks=(check,)), attempt, task_version="v").checks[0].score


THERE = EndState(effects=(SAILED,))
ELSEWHERE = EndState(effects=(replace(SAILED, after=["mill"]),))
DARK = EndState(unknown=("*",))
RIGHT, FOREIGN = made("rent", RENT), made("paint", {"boat": "B7"})
ASKED = made("rent", RENT, UNKNOWN)


@pytest.mark.parametrize(
    ("calls", "end", "score"),
    [
        # The same writes decide before the records do.
        ((RIGHT,), THERE, 1.0),
        ((RIGHT,), ELSEWHERE, 1.0),
        ((RIGHT,), DARK, 1.0),
        # Other writes: records that both sides know decide, whatever the writes say.
        ((FOREIGN,), THERE, 1.0),
        ((FOREIGN,), ELSEWHERE, 0.0),
        ((), THERE, 1.0),
        ((), EndState(), 0.0),
        # Records that nobody knows: a foreign write that left no trace may be undone, a missing one is missing.
        ((RIGHT, FOREIGN), DARK, None),
        ((FOREIGN,), DARK, None),
        ((), DARK, 0.0),
        # Calls without an answer leave the verdict open.
        ((ASKED,), THERE, None),
        ((ASKED, FOREIGN), DARK, None),
        # A call that leaves an argument out may have had it by default, one with another value did another thing.
        ((made("rent", {"boat": "B7"}, UNKNOWN),), DARK, None),
        ((made("rent", {"boat": "B8"}, UNKNOWN),), DARK, 0.0),
        ((made("rent", WRONG, UNKNOWN),), DARK, 0.0),
    ],
)
def test_which_of_writes_and_records_decides(
    calls: tuple[Call, ...], end: EndState, score: float | None
) -> None:
    """The order of `compare_end`, case by case."""
    assert end_score(*calls, end=end) == score


def test_a_wrong_write_that_may_be_undone_is_not_held_against_the_attempt() -> None:
    """Nobody knows another call: a write that left nothing in the world is no proof of another end."""
    calls = made("rent", WRONG), made("rent", RENT), made("paint", {"boat": "C1"}, UNKNOWN)
    dark = EndState(effects=(SAILED,), unknown=('boats:["C1"]',))
    assert end_score(*calls, end=dark) is None


def test_a_wrong_write_whose_trace_surely_stands_fails() -> None:
    """What another write left, and no unknown call may have touched, is another end."""
    calls = made("rent", RENT), made("rent", WRONG), made("paint", {"boat": "C1"}, UNKNOWN)
    other = replace(SAILED, after=["mill"])
    assert end_score(*calls, end=EndState(effects=(other,), unknown=("x",))) == 0.0
    doubted = EndState(effects=(replace(other, sure=False),), unknown=("x",))
    assert end_score(*calls, end=doubted) is None


def test_a_write_that_is_surely_missing_fails_beside_a_wrong_one() -> None:
    """The wanted write shares nothing with the wrong one, nor with the one that nobody knows."""
    other: dict[str, Json] = {"colour": "red"}
    calls = made("paint", other), made("paint", {"colour": "blue"}, UNKNOWN)
    assert end_score(*calls, end=EndState(unknown=("*",))) == 0.0


def test_a_call_that_only_looks_is_no_other_end() -> None:
    """A world that saw a reader once may take it for a writer; the rubric, which knows better, decides."""
    looked = Event(tool="list_piers", arguments="{}", kind="write")
    calls = made("list_piers", {}), made("rent", WRONG), made("rent", RENT)
    assert end_score(*calls, end=EndState(effects=(SAILED,), events=(looked,))) == 1.0
    painted = Event(tool="paint", arguments='{"boat": "B7"}', kind="write")
    assert end_score(*calls, end=EndState(effects=(SAILED,), events=(painted,))) == 0.0


def test_what_leaves_no_record_may_be_set_anew() -> None:
    """A wrong colour stands, unless a call that nobody can answer may have painted the same boat again."""
    wrong: dict[str, Json] = {"boat": "B-7", "colour": "red"}
    event = Event(tool="paint", arguments=json.dumps(wrong), kind="write")
    end = EndState(events=(event,), unknown=("*",))
    calls = made("rent", RENT), made("paint", wrong)
    again = made("paint", {"boat": "B-7", "colour": "blue"}, UNKNOWN)
    assert end_score(*calls, again, end=end) is None
    other = made("paint", {"boat": "C-1", "colour": "blue"}, UNKNOWN)
    assert end_score(*calls, other, end=end) == 0.0


@pytest.mark.parametrize(
    ("after", "score"),
    [
        # The record keeps the order: another itinerary, or the same one, nobody knows.
        (["island", "pier"], None),
        # The backend sorts: both spellings are one.
        (["pier", "island"], 1.0),
    ],
)
def test_a_list_in_another_order_counts_only_where_the_record_is_the_same(
    after: list[Json], score: float | None
) -> None:
    """One call's list is compared in its order, where the world shows what became of it."""
    ordered: Json = {
        "writes": [["rent", ordered_arguments(RENT)]],
        "effects": [["boats", '["B7"]', "stops", '["pier","island"]']],
    }
    turned: dict[str, Json] = {**RENT, "stops": ["island", "pier"]}
    end = EndState(effects=(replace(SAILED, after=after),))
    assert end_score(made("rent", turned), end=end, ordered=ordered) == score
    assert end_score(made("rent", RENT), end=end, ordered=ordered) == 1.0
    assert end_score(made("rent", turned), end=end) == 1.0


@cache
def workshop() -> World:
    """A world learnt from an invented workshop."""
    learnt = learn_world(workshop_episodes(60), WorldSettings(risk=0))
    return World.from_json(learnt.document.to_json())


def test_an_effect_is_sure_until_an_unknown_call_may_have_changed_it() -> None:
    """A call of which nobody knows what it did leaves doubt at its own record and none at others."""
    session = workshop().session()
    session.call("paint", {"bike": "BK-4000", "colour": "black"})
    assert {e.field: e.sure for e in session.end_state().effects} == {"colour": True, "price": True}
    session.call("paint", {"bike": "BK-1", "colour": "red"})
    assert all(e.sure for e in session.end_state().effects)
    session.call("melt", {"bike": "BK-4000"})
    assert not any(e.sure for e in session.end_state().effects)

"""Which ends count as an accepted one: equal writes, equal effects, and what nobody knows."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.task.attempt import (
    UNKNOWN,
    Effect,
    EndState,
    Event,
    Json,
)
from environments.runtime.world.notice import NEVER_DONE, NEVER_SO, NOT_ELSE, notice
from tests.unit.graded_attempts import SET, attempt, end_check, made, score


def test_the_same_writes_are_the_same_end() -> None:
    """Spelling and order of arguments make no difference, other values do."""
    assert score(end_check(), attempt(made(to="3", item=" a1 "))) == 1.0
    assert score(end_check(), attempt(made(to=4, item="A1"))) == 0.0
    assert score(end_check(), attempt()) == 0.0
    assert score(end_check(), attempt(made(item="A1", to=3), made("drop", item="A1"))) == 0.0


def test_refused_calls_change_nothing() -> None:
    """A refused write neither helps nor harms."""
    refused = made("drop", item="A1", is_error=True)
    assert score(end_check(), attempt(refused, made(item="A1", to=3))) == 1.0
    assert score(end_check(), attempt(made(item="A1", to=3, is_error=True))) == 0.0


def test_what_nobody_knows_is_not_graded() -> None:
    """An unknown write, a repeat and a tool that may write leave the end open; a certain difference does not."""
    good = made(item="A1", to=3)
    assert score(end_check(), attempt(made(item="A1", to=3, source=UNKNOWN))) is None
    assert score(end_check(), attempt(good, made("drop", item="B", source=UNKNOWN))) is None
    assert score(end_check(), attempt(good, good)) is None
    assert score(end_check(), attempt(good, made("touch", item="A1"))) is None
    assert score(end_check(), attempt(made("drop", item="B"), made(source=UNKNOWN))) == 0.0


def test_a_possible_write_that_a_resolved_attempt_made_too_is_no_doubt() -> None:
    """The end holds what resolved attempts did with tools that may write."""
    touched: list[Json] = [["touch", canonical_arguments({"item": "A1"}), 1]]
    ends: Json = [{"id": "e1", "writes": [["put", SET, 1]], "maybe": [touched]}]
    check = end_check(ends=ends)
    assert score(check, attempt(made(item="A1", to=3), made("touch", item="A1"))) == 1.0
    assert score(check, attempt(made(item="A1", to=3))) is None


def test_another_route_to_the_same_state_is_accepted() -> None:
    """Where the world knows both ends, effects decide, not calls."""
    effects: Json = [["items", '["A1"]', "to", "3"]]
    check = end_check(ends=[{"id": "e1", "writes": [["put", SET, 1]], "effects": effects}])
    there = EndState(
        effects=(Effect(entity="items", key='["A1"]', field="to", before=1, after=3.0),)
    )
    route = (made("drop", item="A1"), made(item="A1", to=3, by="other"))
    assert score(check, attempt(*route, end=there)) == 1.0
    assert score(check, attempt(*route, end=EndState())) == 0.0
    tainted = EndState(effects=there.effects, unknown=("items",))
    drop = made("drop", item="A1", source=UNKNOWN)
    assert score(check, attempt(drop, end=tainted)) is None


def test_the_same_tool_with_other_arguments_cannot_have_done_what_was_wanted() -> None:
    """Whether it took the call or refused it: nobody needs to know the answer, so a wrong value masks no failure."""
    check = end_check(ends=[{"id": "e1", "writes": [["put", SET, 1]]}])
    assert score(check, attempt(made(item="A1", to=9, source=UNKNOWN))) == 0.0
    assert score(check, attempt(made("drop", item="A1", source=UNKNOWN))) is None


def test_a_tool_that_hardly_ever_refuses_took_a_call_without_an_answer() -> None:
    """Null would withhold what is all but certain, right or wrong; what was wanted, made twice, stays open."""
    check = end_check(ends=[{"id": "e1", "writes": [["put", SET, 1]]}], takes=["put"])
    good, more = made(item="A1", to=3), made(item="B2", to=3, source=UNKNOWN)
    assert score(check, attempt(made(item="A1", to=3, source=UNKNOWN))) == 1.0
    assert score(check, attempt(good, more)) == 0.0
    assert score(check, attempt(good, made("drop", item="B2", source=UNKNOWN))) is None
    assert score(check, attempt(good, made(item="A1", to=3, source=UNKNOWN))) is None


def test_the_same_changes_in_another_order_are_the_same_end() -> None:
    """A world need not answer an order that nobody recorded; what is missing, other or more stays as it was."""
    first, second = made(item="A1", to=3), made("drop", item="B2", source=UNKNOWN)
    wanted: Json = [["put", SET, 1], ["drop", canonical_arguments({"item": "B2"}), 1]]
    check = end_check(ends=[{"id": "e1", "writes": wanted}])
    unanswered = replace(first, result=second.result)
    assert score(check, attempt(second, first)) == 1.0
    assert score(check, attempt(second, unanswered)) == 1.0
    assert score(check, attempt(second)) == 0.0
    assert score(check, attempt(second, made(item="A1", to=9))) == 0.0
    more = made("drop", item="C3", source=UNKNOWN)
    assert score(check, attempt(second, first, more)) is None
    assert score(check, attempt(second, first, second)) is None
    # Of a single change an order says nothing: it may have been refused.
    assert score(end_check(), attempt(unanswered)) is None


def test_events_are_a_multiset() -> None:
    """A second message sent is another end."""
    event = Event(tool="put", arguments='{"item": "A1", "to": 3}', kind="write")
    end: Json = {"id": "e", "writes": [], "effects": [], "events": [["put", SET, 1]]}
    check = end_check(ends=[end])
    assert score(check, attempt(made(item="A1", to=3), end=EndState(events=(event,)))) == 1.0
    twice = EndState(events=(event, event))
    assert score(check, attempt(made(item="A1", to=3), end=twice)) == 0.0


def test_any_of_several_ends_is_enough() -> None:
    """Accepted ends are a union; one that labels contradict is not graded."""
    other: Json = {"id": "e2", "writes": [["drop", canonical_arguments({"item": "A1"}), 1]]}
    one: Json = {"id": "e1", "writes": [["put", SET, 1]]}
    dropped = attempt(made("drop", item="A1"))
    assert score(end_check(ends=[one, other]), dropped) == 1.0
    assert score(end_check(ends=[one], doubtful=[other]), dropped) is None
    assert score(end_check(ends=[], bad=[other]), dropped) == 0.0
    assert score(end_check(ends=[], bad=[other]), attempt()) is None


def test_an_end_that_differs_only_in_what_users_correct_is_not_graded() -> None:
    """Another value of a corrected argument may be what the user came to want; another thing or none is not."""
    writes: Json = [["put", canonical_arguments({"item": "A1"}), 1]]
    ignore: Json = {"put": ["to"]}
    row: Json = {"writes": writes, "ignore": ignore}
    check = end_check(corrected=[row])
    assert score(check, attempt(made(item="A1", to=3))) == 1.0
    assert score(check, attempt(made(item="A1", to=5))) is None
    assert score(check, attempt(made(item="B2", to=3))) == 0.0
    assert score(check, attempt()) == 0.0


def test_a_prediction_may_rest_on_what_the_policy_believed() -> None:
    """Only a check that names refusal shares predicts; the one that pays stays unknown."""
    sure: dict[str, Json] = {"put": 0.01, "drop": 0.01}
    good = made(item="A1", to=3)
    extra = made("drop", item="B", source=UNKNOWN)
    assert score(end_check(refusals=sure), attempt(good, extra)) == 0.0
    refused = attempt(good, extra, said=["", "Unfortunately that is not possible."])
    assert score(end_check(refusals=sure), refused) == 1.0
    assert score(end_check(refusals={"drop": 0.6}), attempt(good, extra)) == 1.0
    for between in (0.22, 0.5):  # one of five refused, and a tool that nobody called
        assert score(end_check(refusals={"drop": between}), attempt(good, extra)) is None
        assert score(end_check(refusals={"drop": between}), refused) == 1.0
    wrong = attempt(made(item="A1", to=9, source=UNKNOWN))
    assert score(end_check(refusals=sure), wrong) == 0.0


@pytest.mark.parametrize(
    ("reason", "predicted"),
    [
        (NEVER_SO + "Error: not yours", 1.0),
        (NEVER_DONE + "Error: not yours", 1.0),
        (NEVER_DONE + NOT_ELSE, 0.0),
        ("the record it is about is not known", 0.0),
    ],
)
def test_a_prediction_takes_what_no_success_broke_for_refused(
    reason: str, predicted: float
) -> None:
    """Some refusal broke what the call breaks: that the policy then reports another change says nothing of it."""
    extra = made("drop", item="B", source=UNKNOWN)
    unknown = replace(extra, result=notice("drop", reason))
    of = attempt(unknown, made(item="A1", to=3), said=["", "It is done."])
    assert score(end_check(refusals={"put": 0.01, "drop": 0.01}), of) == predicted
    assert score(end_check(), of) is None
    assert json.loads(unknown.result.content)["reason"] == reason

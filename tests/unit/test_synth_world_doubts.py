"""Answers after calls whose outcome nobody knows, and keys that are written in more than one way."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from synth.world.stated_effects import SILENT, says_write, stated_effects
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

PLAIN = {"kind": "write", "style": {}, "outcomes": {"text:done": "success"}}
MAY_FAIL = {**PLAIN, "outcomes": {"text:done": "success", "text:no": "refusal"}}


def _world(first: dict[str, Any], told: Sequence[tuple[list[str], str]]) -> World:
    """A world of two tools: of the first nothing is recorded, of the second answers after some histories."""
    tape = [{"before": before, "content": content, "from": "e"} for before, content in told]
    second = {**PLAIN, "heeds": ["turn"]}
    return World.from_json(
        {
            "format": "1",
            "app": "x",
            "tools": {"turn": first, "press": second},
            "tables": {},
            "tape": {"press": {"{}": tape}},
        }
    )


def test_an_answer_that_is_the_same_however_an_unknown_call_ended_is_told() -> None:
    """The call before was done or refused; both were recorded with one answer."""
    world = _world(MAY_FAIL, [([], "done"), (["turn {}"], "done")])
    session = world.session()
    assert session.call("turn", {}).source == UNKNOWN
    assert session.call("press", {}).content == "done"


def test_an_answer_that_hangs_on_how_an_unknown_call_ended_is_unknown() -> None:
    """Only one of the two ways was recorded, or they were answered differently."""
    ways: list[list[tuple[list[str], str]]] = [
        [([], "done")],
        [(["turn {}"], "done")],
        [([], "done"), (["turn {}"], "late")],
    ]
    for told in ways:
        session = _world(MAY_FAIL, told).session()
        session.call("turn", {})
        assert session.call("press", {}).source == UNKNOWN


def test_a_call_that_is_never_refused_was_done() -> None:
    """Its result is unknown, its effect is what it was whenever it was called: no second way to think of."""
    session = _world(PLAIN, [(["turn {}"], "done"), ([], "late")]).session()
    session.call("turn", {})
    assert session.call("press", {}).content == "done"


def test_many_unknown_calls_leave_the_answer_unknown() -> None:
    """Ways grow with every unknown call: beyond four nobody looks."""
    told: list[tuple[list[str], str]] = [
        ([], "done"),
        *((["turn {}"] * n, "done") for n in range(1, 8)),
    ]
    session = _world(MAY_FAIL, told).session()
    for _ in range(4):
        session.call("turn", {})
    assert session.call("press", {}).content == "done"
    session = _world(MAY_FAIL, told).session()
    for _ in range(5):
        session.call("turn", {})
    assert session.call("press", {}).source == UNKNOWN


def test_arguments_that_were_never_seen_together_are_not_told_apart() -> None:
    """Locking was only seen with all doors and unlocking with one: which of the two decides nobody knows."""
    rng = random.Random(3)  # noqa: S311 - dice for tests
    plans = []
    for number in range(30):
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        for _ in range(2):
            lock = rng.random() < 0.5
            doors = ["front", "back"] if lock else ["front"]
            left = 0 if lock else 2
            text = json.dumps({"state": "locked" if lock else "open", "left": left})
            calls.append(("doors", {"lock": lock, "which": doors}, text))
        plans.append(episode(number, calls))
    world = World(learn_world(plans, WorldSettings(risk=0)).document)
    answer = world.session().call("doors", {"lock": True, "which": ["front"]})
    assert answer.source == UNKNOWN


def test_a_name_speaks_in_generic_english_only() -> None:
    """`get` looks, `cancel` changes, and a word that means neither says nothing."""
    assert says_write("get_thing") < 0 < says_write("cancel_thing")
    assert says_write("agenda") == 0


@pytest.mark.parametrize(
    ("name", "description", "changes"),
    [
        ("plan_change", "Change the weekly days of a child.", True),
        ("absence_report", "Report an absence.", True),
        ("order_search", "Search the orders of a customer.", False),
        ("file_search", "File search over all documents.", False),
        ("plan_change", "Plan of a child and its change.", False),
        ("answer_quote", "Record the customer's answer to a quote.", True),
        ("schedule_visit", "Plan a technician's visit for a ticket.", True),
        ("visit_page", "Open a page.", False),
        ("order", "One order.", False),
        ("order", "Order a product.", True),
    ],
)
def test_a_description_that_begins_with_a_word_of_the_name_says_which_is_the_verb(
    name: str, description: str, *, changes: bool
) -> None:
    """Names end in their verb as well; an order stands before what it is about."""
    assert (says_write(name, description) > 0) is changes


@pytest.mark.parametrize(
    ("description", "says"),
    [
        ("Turn a draft into an order.", 0.0),
        ("Buyer fee and total for a price.", SILENT),
        ("Free slots of a yard on a day.", SILENT),
        ("For a customer, what is due.", SILENT),
        ("All the parts of a machine.", SILENT),
    ],
)
def test_an_order_in_a_verb_that_nobody_knows_is_no_look(description: str, says: float) -> None:
    """A description that names what comes back speaks for a look; one that gives an order says that something is done."""
    function = {"name": "thing_x", "description": description}
    defined = replace(episode(1, []), tools=(json.dumps({"function": function}),))
    assert stated_effects([defined], ["thing_x"]) == {"thing_x": says}


def _looked_up(key: str, asked: dict[str, Any]) -> str:
    calls: list[tuple[str, dict[str, Any] | str, str]] = [
        ("show", {"id": key}, json.dumps({"id": key, "text": "a thing 7"}))
    ]
    made = [episode(n, [*calls, ("show", {"id": "Z-1"}, '{"id": "Z-1"}')]) for n in range(4)]
    answer = World(learn_world(made, WorldSettings(risk=0)).document).session()
    return answer.call("show", asked).source


def test_keys_are_one_only_in_the_same_letters() -> None:
    """An accent written as one sign or two makes two keys, as it does for most backends; a float is its whole number."""
    assert _looked_up("Caf\u00e9-1", {"id": "Caf\u00e9-1"}) != UNKNOWN
    assert _looked_up("Caf\u00e9-1", {"id": "Cafe\u0301-1"}) == UNKNOWN


def test_whole_floats_and_integers_are_one_argument() -> None:
    """`5` was recorded and `5.0` asked."""
    calls: list[tuple[str, dict[str, Any] | str, str]] = [
        ("show", {"n": 5}, '{"n": 5, "text": "a thing 7"}')
    ]
    made = [episode(n, [*calls, ("show", {"n": 6}, '{"n": 6, "text": "b"}')]) for n in range(4)]
    world = World(learn_world(made, WorldSettings(risk=0)).document)
    assert world.session().call("show", {"n": 5.0}).source != UNKNOWN


def test_of_two_equal_keys_in_one_object_the_last_counts() -> None:
    """As every JSON reader does, for arguments and for results."""
    calls: list[tuple[str, dict[str, Any] | str, str]] = [
        ("show", '{"n": 4, "n": 5}', '{"n": 5, "text": "a", "text": "a thing 7"}')
    ]
    made = [episode(n, [*calls, ("show", {"n": 6}, '{"n": 6, "text": "b"}')]) for n in range(4)]
    world = World(learn_world(made, WorldSettings(risk=0)).document)
    answer = world.session().call("show", {"n": 5})
    assert answer.source != UNKNOWN
    assert json.loads(answer.content)["text"] == "a thing 7"

"""Numbers of calls: what one amount did says nothing of another, and what is worked out hangs on each that nothing clears."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.trade.billing_tasks import BILLING
from environments.runtime.expr.scope import Scope
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from synth.world.actions.examples import evaluate
from synth.world.search.constant_arguments import for_told, or_turned
from synth.worlds import WorldSettings, learn_world

PAID = ["const", "paid"]


def _calls(rows: list[tuple[int | None, int]]) -> list[Scope]:
    return [
        Scope(
            {"id": "A"} | ({} if amount is None else {"amount": amount}),
            {"due": due},
            row=lambda _table, _key: None,
        )
        for amount, due in rows
    ]


def _says(tree: Any, amount: int | None, due: int) -> object:  # noqa: ANN401 - a tree
    (scope,) = _calls([(amount, due)])
    return evaluate(tree, [scope])[0]


@pytest.mark.parametrize(
    ("told", "all_calls", "asked", "known"),
    [
        pytest.param([(5, 9), (5, 7)], [(5, 9), (5, 7)], (5, 3), True, id="the amount seen"),
        pytest.param([(5, 9), (5, 7)], [(5, 9), (5, 7)], (6, 9), False, id="another amount"),
        pytest.param([(5, 5), (7, 7)], [(5, 5), (7, 7)], (9, 9), True, id="all that was due"),
        pytest.param([(None, 5), (None, 7)], [(None, 5), (3, 5)], (None, 9), True, id="none given"),
        pytest.param([(None, 5), (None, 7)], [(None, 5), (3, 5)], (3, 9), False, id="one given"),
        pytest.param([(5, 9), (7, 8)], [(5, 9), (None, 9)], (None, 9), False, id="none, told with"),
        pytest.param([(5, 9), (7, 8)], [(5, 9), (7, 8)], (6, 9), True, id="amounts differ"),
    ],
)
def test_what_a_call_did_is_told_for_such_numbers_only(
    told: list[tuple[int | None, int]],
    all_calls: list[tuple[int | None, int]],
    asked: tuple[int | None, int],
    known: bool,
) -> None:
    """One amount, no amount: another one may be a part, and the record stay open."""
    tree = for_told(PAID, _calls(told), _calls(all_calls))
    assert (_says(tree, *asked) == "paid") is known


def test_what_uses_the_number_itself_needs_no_bounds() -> None:
    """A balance less the amount is told for every amount."""
    tree = ["sub", ["old", "due"], ["arg", "amount"]]
    assert for_told(tree, _calls([(5, 9)]), _calls([(5, 9)])) == tree


@pytest.mark.parametrize(
    ("before", "after", "asked", "known"),
    [
        pytest.param([False, False], True, False, True, id="as it was always"),
        pytest.param([False, False], True, True, False, id="set already, or turned back"),
        pytest.param([False, True], True, True, True, id="seen to stay"),
    ],
)
def test_a_flag_that_was_always_turned_may_be_set_or_turned(
    before: list[bool], after: bool, asked: bool, known: bool
) -> None:
    """`toggle` and `enable` did the same wherever the flag was off."""

    def scope(on: bool) -> Scope:
        return Scope({"id": "A"}, {"on": on}, row=lambda _table, _key: None)

    tree = or_turned(["const", after], "on", [scope(on) for on in before])
    assert (evaluate(tree, [scope(asked)])[0] is after) is known


def test_a_price_worked_out_hangs_on_all_that_nothing_clears() -> None:
    """Every preview of 25 seats had one plan and one coupon: other plans, another coupon are unknown, not the same price."""
    kept = [episode(BILLING, one) for one in attempts(BILLING, 40) if one.number < 2]
    document = learn_world(kept, WorldSettings(risk=0)).document.to_json()
    key = {tree[1] for tree in document["tools"]["preview_invoice"]["reads"]["key"]}
    assert key == {"customer", "quantity", "price", "coupon"}
    world = World.from_json(json.loads(json.dumps(document)))
    asked: dict[str, Any] = {
        "customer": "cus_4101",
        "price": "price_solo",
        "quantity": 25,
        "coupon": "WELCOME",
    }
    assert world.session({}).call("preview_invoice", asked).source == UNKNOWN

"""Refusals whose words a record says as well: told of records that say so, and on the side of a number that was seen."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import pytest

from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.devices.campus_tasks import CAMPUS
from benchmarks.testbeds.invented.trade.billing_tasks import BILLING
from environments.runtime.expr import gaps
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.world.world import World
from synth.world.actions.examples import Example, evaluate
from synth.world.observation import Observation
from synth.world.refusals.cases import Cases, Source
from synth.world.refusals.message_numbers import amounts_taken, said_of_calls
from synth.world.refusals.version_space import RefusalSpace
from synth.world.search.fields import fit_fields
from synth.world.search.fit import Fitter
from synth.world.search.terms import Tables
from synth.worlds import WorldSettings, learn_world

WORDS = "Error: port is drawn from 10 litres on"
NONE = Tables(single=(), multiple=())


def _row(_table: str, _key: str) -> Any:  # noqa: ANN401 - a row of any table
    return None


def _example(at: int, litres: int, content: str) -> Example:
    seen = Observation(
        tool="draw",
        arguments={"litres": litres},
        content=content,
        episode=at,
        position=0,
        at=at,
        caller="",
    )
    seen.settle()
    return Example(seen=seen, refused=content == WORDS, before=cast("Any", None), task=f"t{at}")


def _cases(taken: list[tuple[int, str]], refused: list[tuple[int, str | None]]) -> Cases:
    """Calls with their litres and the kind of cask that each was about."""
    rows = [*taken, *refused]
    scopes = [
        Scope({"litres": n}, None if kind is None else {"kind": kind}, row=_row) for n, kind in rows
    ]
    good = [_example(at, n, "drawn") for at, (n, _) in enumerate(taken)]
    bad = [_example(at, n, WORDS) for at, (n, _) in enumerate(refused)]
    return Cases(good=good, bad={"w": bad}, scopes=scopes, index={"w": range(len(good), len(rows))})


def _source(cases: Cases) -> Source:
    return Source(cases=cases, fitter=Fitter(cases.scopes, ["arg", "old"], NONE, mostly=0.25))


def _bound(cases: Cases, message: Tree) -> list[Tree]:
    space = RefusalSpace(name="w", message=message, says="", support=1, against=0)
    return list(said_of_calls(_source(cases), space))


def _within(trees: list[Tree], litres: int, kind: str) -> bool:
    scope = Scope({"litres": litres}, {"kind": kind}, row=_row)
    return all(evaluate(tree, [scope])[0] is True for tree in trees)


@pytest.mark.parametrize(
    ("litres", "kind", "told"),
    [
        pytest.param(5, "port", True, id="as it was refused"),
        pytest.param(5, "rum", False, id="of a record that says another word"),
        pytest.param(12, "port", False, id="beyond the number in the words"),
    ],
)
def test_a_refusal_is_told_where_what_it_says_is_so(litres: int, kind: str, *, told: bool) -> None:
    """`port is drawn from 10 litres on` was said of casks of port, to who asked for less."""
    cases = _cases([(4, "sherry"), (20, "sherry")], [(4, "port"), (6, "port")])
    trees = _bound(cases, ["text", "Error: port is drawn from ", ["const", 10], " litres on"])
    assert _within(trees, litres, kind) is told


def test_words_that_records_of_several_kinds_were_told_are_words() -> None:
    """A cask of rum was told of port as well: what it is said of says nothing."""
    cases = _cases([(4, "sherry")], [(4, "port"), (6, "rum")])
    assert _within(_bound(cases, ["const", "Error: no port today"]), 4, "sherry")


def test_words_are_bound_by_the_records_that_were_seen() -> None:
    """Of some refused casks nobody knows the kind: those that were seen were all port."""
    cases = _cases([(4, "sherry")], [(4, "port"), (6, None)])
    assert gaps.UNKNOWN in evaluate(["old", "kind"], cases.scopes)
    trees = _bound(cases, ["const", "Error: no port today"])
    assert _within(trees, 4, "port")
    assert not _within(trees, 4, "rum")


def test_amounts_beyond_those_taken_may_be_refused_for_a_number_too() -> None:
    """Ten litres are the least of one kind; of the other four were taken, and three are unknown."""
    cases = _cases([(4, "sherry"), (20, "sherry")], [(4, "port"), (6, "port")])
    trees = list(amounts_taken(_source(cases)))
    assert _within(trees, 4, "sherry")
    assert not _within(trees, 3, "sherry")
    assert _within(trees, 90, "sherry")


def test_what_counts_up_is_counted_and_no_part_of_another_number() -> None:
    """A quarter of the four litres before, always, makes one more as well."""
    found: list[Example] = []
    for at, (seal, litres) in enumerate([(1, 5), (1, 6), (2, 7), (1, 9), (2, 8), (1, 11)]):
        one = _example(at, litres, "drawn")
        one.seen.arguments["seal"] = seal
        one.before = cast("Any", _Before())
        one.old = {"seal": seal, "drawn": 4, "kind": f"k{at}"}
        found.append(one)
    after = [{**cast("Any", e.old), "seal": cast("Any", e.old)["seal"] + 1} for e in found]
    sets, missing = fit_fields(found, after, NONE)
    assert not missing
    assert sets == {"seal": ["add", ["old", "seal"], ["const", 1]]}


class _State:
    lookup = last_row = staticmethod(_row)


class _Before:
    state = _State()


@cache
def _world(name: str, seed: int) -> World:
    style = {"billing": BILLING, "campus": CAMPUS}[name]
    made = [episode(style, a) for a in attempts(style, seed) if a.number < 2]
    return World.from_json(learn_world(made, WorldSettings(risk=0)).document.to_json())


def _told(name: str, seed: int, call: tuple[str, dict[str, Any]]) -> ToolResult:
    return _world(name, seed).session({}).call(*call)


@pytest.mark.parametrize(
    ("of", "quantity", "version", "known"),
    [
        pytest.param("sub_613", 4, 1, True, id="as it was refused"),
        pytest.param("sub_613", 4, 2, False, id="a version that is another one"),
        pytest.param("sub_612", 4, 1, False, id="a subscription with another price"),
        pytest.param("sub_613", 12, 1, False, id="more than the least"),
        pytest.param("sub_611", 1, 1, False, id="less than was ever taken"),
    ],
)
def test_one_price_is_never_named_for_another(
    of: str, quantity: int, version: int, *, known: bool
) -> None:
    """`price_archive is sold from 10 on` was said of one subscription only."""
    given = {"subscription": of, "quantity": quantity, "if_version": version}
    assert (_told("billing", 124, ("update_subscription", given)).source != UNKNOWN) is known


@pytest.mark.parametrize(("amount", "known"), [(30, True), (6, False)])
def test_what_an_amount_comes_to_is_not_told_of_another_amount(amount: int, *, known: bool) -> None:
    """The answer names the unit asked for, which is no record: it was seen with one amount only."""
    given = {"amount": amount, "source": "ects", "target": "uk"}
    assert (_told("campus", 40, ("convert_credits", given)).source != UNKNOWN) is known

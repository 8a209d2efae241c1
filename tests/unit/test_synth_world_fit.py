"""What `fit` prefers where several trees reproduce every example that is known."""

from __future__ import annotations

from environments.runtime.expr.gaps import UNSEEN
from environments.runtime.expr.scope import Scope
from environments.runtime.task.attempt import Json
from synth.world.search.constant_arguments import bound
from synth.world.search.fit import Fitter
from synth.world.search.terms import Tables

GOODS: dict[str, Json] = {
    f'["G{i}"]': {"id": f"G{i}", "price": 10 + 3 * i, "stock": i % 4} for i in range(12)
}
LINES: dict[str, Json] = {f'["G{i}"]': {"id": f"G{i}", "price": 10 + 3 * i} for i in range(6)}


def _row(table: str, key: str) -> object:
    return {"goods": GOODS, "lines": LINES}[table].get(key, UNSEEN)


def test_fields_known_everywhere_go_before_a_record_known_now_and_then() -> None:
    """The line of a thing stands in some orders, its price in the list of goods: the list tells more often."""
    scopes = [Scope({"item": f"G{i}"}, row=_row) for i in range(12)]
    fitter = Fitter(scopes, ["arg"], Tables(single=("goods", "lines"), multiple=()))
    tree = fitter.fit([{"id": f"G{i}", "price": 10 + 3 * i} for i in range(12)])
    assert tree == [
        "object",
        ["id", ["arg", "item"]],
        ["price", ["row", "goods", [["arg", "item"]], "price"]],
    ]


def test_a_record_that_is_there_now_and_then_is_found_whole() -> None:
    """A subscription has a discount or none; which it has is known where somebody looked."""
    rows: dict[str, Json] = {
        f'["S{i}"]': {"deal": {"code": f"D{i}"} if i % 2 else None} for i in range(8)
    }
    scopes = [
        Scope({"sub": f"S{i}"}, row=lambda _, key: rows.get(key, UNSEEN)) for i in range(1, 10)
    ]
    target = [{"code": f"D{i}"} if i % 2 else None for i in range(1, 10)]
    tree = Fitter(scopes, ["arg"], Tables(single=("subs",), multiple=())).fit(target)
    assert tree == ["row", "subs", [["arg", "sub"]], "deal"]


def test_what_stays_as_it_was_is_no_constant() -> None:
    """Notes that were empty before and after every call are kept, not emptied."""
    scopes = [Scope({"level": i}, {"level": i + 1, "notes": []}, row=_row) for i in range(6)]
    fitter = Fitter(scopes, ["arg", "old"], Tables(single=(), multiple=()))
    tree = fitter.fit([{"level": i, "notes": []} for i in range(6)])
    assert tree == ["object", ["level", ["arg", "level"]], ["notes", ["old", "notes"]]]


NONE = Tables(single=(), multiple=())


def test_a_fixed_word_that_spells_an_argument_is_told_for_its_value_only() -> None:
    """Every class was added for Friday: `yoga-fri` may hold the day, so nothing is said of Monday's."""
    scopes = [Scope({"title": "Yoga", "day": "fri", "size": i}, row=_row) for i in range(6)]
    tree = Fitter(scopes, ["arg"], NONE).fit(["yoga-fri"] * 6)
    yoga = ["case", ["arg", "day"], [["fri", ["const", "yoga-fri"]]]]
    assert tree == ["case", ["arg", "title"], [["Yoga", yoga]]]


def test_a_fixed_word_stays_where_the_argument_varied_or_only_looks_alike() -> None:
    """What was said for several days is no day, and `art` is no part of `started`."""
    varied = [Scope({"day": d}, row=_row) for d in ("fri", "mon")]
    assert bound(["const", "open on fri"], varied) == ["const", "open on fri"]
    alike = [Scope({"topic": "art"}, row=_row)]
    assert bound(["text", "started ", ["arg", "n"]], alike) == ["text", "started ", ["arg", "n"]]


def test_a_case_needs_different_calls() -> None:
    """Two calls made ten times are two examples: what a third gives is not told by cases."""
    scopes = [Scope({"title": t}, row=_row) for t in ("Yoga", "Pilates") for _ in range(10)]
    target = [t for t in ("A", "B") for _ in range(10)]
    assert Fitter(scopes, ["arg"], NONE).fit(target) is None
    spread = [Scope({"title": t, "n": n}, row=_row) for t in ("Yoga", "Pilates") for n in range(10)]
    tree = Fitter(spread, ["arg"], NONE).fit(target)
    assert tree is not None
    assert tree[0] == "case"


def test_a_list_that_was_empty_in_few_calls_is_not_told() -> None:
    """Nobody moved up in five calls: the list is there for whoever does."""
    scopes = [Scope({"seats": i}, row=_row) for i in range(8)]
    assert Fitter(scopes[:5], ["arg"], NONE).fit([[]] * 5) is None
    assert Fitter(scopes, ["arg"], NONE).fit([[]] * 8) == ["const", []]


def test_ids_that_share_a_beginning_are_holes_as_a_whole() -> None:
    """Every pickup is called `P-50...`: the shared letters belong to the id, not to the sentence."""
    scopes = [Scope({"pickup": f"P-50{i}", "time": f"1{i}:00"}, row=_row) for i in range(6)]
    texts = [f"Pickup P-50{i} was moved to 1{i}:00." for i in range(6)]
    tree = Fitter(scopes, ["arg"], NONE).fit(texts)
    assert tree == ["text", "Pickup ", ["arg", "pickup"], " was moved to ", ["arg", "time"], "."]

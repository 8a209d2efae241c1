"""What `fit` prefers where several trees reproduce every example that is known."""

from __future__ import annotations

from environments.runtime.attempt import Json
from environments.runtime.expression_scope import NotKnown, Scope
from synth.world.fit import Fitter
from synth.world.terms import Tables

GOODS: dict[str, Json] = {
    f'["G{i}"]': {"id": f"G{i}", "price": 10 + 3 * i, "stock": i % 4} for i in range(12)
}
LINES: dict[str, Json] = {f'["G{i}"]': {"id": f"G{i}", "price": 10 + 3 * i} for i in range(6)}


def _row(table: str, key: str) -> Json:
    found = {"goods": GOODS, "lines": LINES}[table].get(key)
    if found is None:
        raise NotKnown("never seen")
    return found


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


def test_what_stays_as_it_was_is_no_constant() -> None:
    """Notes that were empty before and after every call are kept, not emptied."""
    scopes = [Scope({"level": i}, {"level": i + 1, "notes": []}, row=_row) for i in range(6)]
    fitter = Fitter(scopes, ["arg", "old"], Tables(single=(), multiple=()))
    tree = fitter.fit([{"level": i, "notes": []} for i in range(6)])
    assert tree == ["object", ["level", ["arg", "level"]], ["notes", ["old", "notes"]]]

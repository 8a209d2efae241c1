"""Rows known in part: what is not known is never taken for missing, and no part passes for a whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.answers.observed_bounds import Condition, ObservedBounds, met_before, note
from environments.runtime.answers.partial_rows import part_of
from environments.runtime.expr.evaluate import build
from environments.runtime.expr.gaps import IN_PART, Partial
from environments.runtime.expr.scope import Scope
from environments.runtime.task.attempt import Json

NAMES = st.sampled_from(["a", "b", "c"])
FIELDS = st.dictionaries(st.tuples(NAMES, NAMES), st.integers(), min_size=1)


def _scope(part: Partial, **arguments: Json) -> Scope:
    return Scope(arguments, row=lambda _table, _key: part)


@given(FIELDS, NAMES, NAMES)
def test_a_field_is_known_or_nobody_knows(
    fields: dict[tuple[str, str], int], x: str, y: str
) -> None:
    """A path that was told gives its value; every other, and every whole object, is not known."""
    part = part_of([{"path": list(path), "value": value} for path, value in fields.items()])
    scope = _scope(part, key=y)
    for tree in (
        ["row", "t", [["const", 1]], x, y],
        ["at", ["row", "t", [["const", 1]], x], ["arg", "key"]],
    ):
        assert build(tree)(scope) == fields.get((x, y), IN_PART)
    for tree in (["row", "t", [["const", 1]]], ["row", "t", [["const", 1]], x]):
        assert build(tree)(scope) is IN_PART


@given(st.lists(st.integers(0, 9), min_size=1), st.integers(0, 9))
def test_a_call_asks_no_more_than_successes_did(met_by: list[int], asked: int) -> None:
    """Amounts held under one that nobody knows are met up to the largest that went through."""
    condition = Condition(["le", ["arg", "n"], ["row", "t", [["const", 1]], "a", "b"]])
    met, part = ObservedBounds(), part_of([])
    for amount in met_by:
        note(condition, met, _scope(part, n=amount))
    again = ObservedBounds.from_json(met.to_json())
    assert met_before(condition, again, _scope(part, n=asked)) is (asked <= max(met_by))
    elsewhere = Condition(["le", ["arg", "n"], ["row", "t", [["const", 2]], "a", "b"]])
    assert not met_before(elsewhere, again, _scope(part, n=asked))

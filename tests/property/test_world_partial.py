"""Rows known in part: what is not known is never taken for missing, and no part passes for a whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.answers.base_rows import part_of
from environments.runtime.document.records import KnownField
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
    part = part_of([KnownField(path=path, value=value) for path, value in fields.items()])
    scope = _scope(part, key=y)
    for tree in (
        ["row", "t", [["const", 1]], x, y],
        ["at", ["row", "t", [["const", 1]], x], ["arg", "key"]],
    ):
        assert build(tree)(scope) == fields.get((x, y), IN_PART)
    for tree in (["row", "t", [["const", 1]]], ["row", "t", [["const", 1]], x]):
        assert build(tree)(scope) is IN_PART

"""What `fit` asks of values and trees without knowing any example: key fields, places, amounts.

Comes in: lists before and after, trees. Comes out: plain answers. Not here: terms and searching.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import operands_of

MAX_CASES: Final = 5
"""Different values up to which a term tells cases apart."""


def amounts_in(tree: Any) -> list[Tree]:
    """The arithmetic inside a tree: sums and differences, whose sign may decide other things."""
    out: list[Tree] = [tree] if tree[0] in {"sub", "add", "sum", "mul"} else []
    for part in operands_of(tree):
        out.extend(amounts_in(part))
    return out


def fields_of(lists: Sequence[Any]) -> list[str]:
    """The fields that name each record of all lists."""
    records = [item for items in lists if isinstance(items, list) for item in items]
    if not records or not all(isinstance(r, dict) for r in records):
        return []
    return [n for n in records[0] if all(isinstance(r.get(n), str | int) for r in records)]


def places_of(
    before: Sequence[list[Any]], after: Sequence[list[Any]], keys: Sequence[list[Any]], field: str
) -> list[list[int]] | None:
    """Positions of the elements that each key names, if all changed elements are among them."""
    out: list[list[int]] = []
    for old, new, wanted in zip(before, after, keys, strict=True):
        taken: list[int] = []
        for key in wanted:
            free = [
                i
                for i, item in enumerate(old)
                if isinstance(item, dict) and item.get(field) == key and i not in taken
            ]
            if not free:
                return None
            taken.append(free[0])
        if any(old[i] != new[i] and i not in taken for i in range(len(old))):
            return None
        out.append(taken)
    return out if any(out) else None

"""What `fit` asks of values and trees without knowing any example: key fields, places, amounts.

Comes in: lists before and after, trees. Comes out: plain answers. Not here: terms and searching.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from environments.runtime.expr.scope import Tree

MAX_CASES: Final = 5
"""Different values up to which a term tells cases apart."""


def amounts_in(tree: Any) -> list[Tree]:
    """The arithmetic inside a tree: sums and differences, whose sign may decide other things."""
    if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
        return []
    if tree[0] in {"const", "arg", "old", "it", "by"}:
        return []
    out: list[Tree] = [tree] if tree[0] in {"sub", "add", "sum", "mul"} else []
    # Names of fields and values of cases are data: a field may well be called "sum".
    parts: list[Any] = tree[1:]
    if tree[0] == "object":
        parts = [part for field in tree[1:] for part in field[1:]]
    elif tree[0] == "case":
        parts = [tree[1], *(body for _, body in tree[2])]
    elif tree[0] == "row":
        parts = tree[2]
    for part in parts:
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

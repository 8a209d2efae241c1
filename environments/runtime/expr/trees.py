"""The operands of a tree: which of its parts are trees themselves.

In: a tree that can be built. Out: its sub-trees, or the tree with others in their place. Names of fields, paths and values are data: a
field may well be called `case` or `sum`, and a list of values may look like a tree. Who looks through trees goes by `with_operands`, the one
place that knows which parts these are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .scope import Tree

LEAVES: Final = frozenset({"const", "arg", "old", "it", "by", "next"})
"""Operations without trees among their operands."""
ONE_TREE: Final = frozenset({"among", "calc"})
"""Operations of which only the first operand is a tree."""

BODIES: Final = {"map": 1, "filter": 1, "every": 1, "sum": 1, "zip": 2, "edit": 3}
"""Operations with an operand that has an `it` of its own, and how many trees stand before it."""


def operands_of(tree: Tree) -> list[Tree]:
    """The trees among a tree's operands, in order."""
    found: list[Tree] = []

    def note(part: Tree) -> Tree:
        found.append(part)
        return part

    with_operands(tree, note)
    return found


def with_operands(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """The tree with what `change` makes of each tree among its operands."""
    operation, *operands = tree
    if operation in LEAVES:
        return tree
    if operation == "row":
        return [operation, operands[0], [change(key) for key in operands[1]], *operands[2:]]
    if operation == "object":
        return [operation, *([name, *map(change, parts)] for name, *parts in operands)]
    if operation == "case":
        return [
            operation,
            change(operands[0]),
            [[value, change(body)] for value, body in operands[1]],
        ]
    if operation in ONE_TREE:
        return [operation, change(operands[0]), *operands[1:]]
    # An empty list is no tree: operations pass over what they do not know behind their operands.
    return [operation, *(change(o) if isinstance(o, list) and o else o for o in operands)]


def about_partner(tree: Tree) -> Tree:
    """A tree about the element turned into one about its partner."""
    return ["by", *tree[1:]] if tree[0] == "it" else with_operands(tree, about_partner)


def looks_at(tree: Tree, root: str) -> bool:
    """Whether a tree has an operation anywhere, such as `old`."""
    return bool(tree[0] == root or any(looks_at(part, root) for part in operands_of(tree)))


def sees_element(tree: Tree) -> bool:
    """Whether a tree may look at the element it stands beside."""
    if tree[0] in {"it", "by"}:
        return True
    return any(map(sees_element, operands_of(tree)[: BODIES.get(tree[0])]))

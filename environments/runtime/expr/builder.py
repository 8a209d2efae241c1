"""The builder of trees: how operations are put together, and what trees of one call share.

Goes in: a table of operations and a tree. Comes out: a closure over a scope. What several trees of one call look up or add up is
found once, where the scope has a memo. Not here: the operations (`evaluate`, `lists`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from sys import intern
from typing import Any, Final

from ..values.normal import key_of_text, key_text, stable
from .gaps import MISSING, Gap
from .language import BadTreeError
from .scope import Expr, Scope, Tree
from .trees import sees_element

MAX_NODES: Final = 5_000
"""A bigger tree is refused when the world is loaded."""
KEPT: Final = frozenset({"sum", "edit"})
"""Operations, beside what finds a record, that the trees of one call have several times: guards compare totals, effects charge them."""


STEPS: Final = frozenset({str, int})
"""What a step of a path is: the name of a field, or a place in a list."""


class Builder:
    """Builds one tree."""

    __slots__ = ("_keeps", "_left", "_operations")

    def __init__(
        self, operations: Mapping[str, Make], *, keeps: bool, nodes: int = MAX_NODES
    ) -> None:
        self._operations = operations
        self._keeps = keeps
        self._left = nodes

    def expr_of(self, tree: Tree) -> Expr:
        """A tree, or a part of one."""
        self._left -= 1
        if self._left < 0:
            raise BadTreeError("a behaviour is too large")
        if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
            raise BadTreeError("a behaviour must be a list that starts with an operation")
        make = self._operations.get(tree[0])
        if make is None:
            raise BadTreeError("a behaviour uses an operation that this version does not have")
        try:
            made = make(tree[1:], self)
        except (IndexError, TypeError, KeyError, ValueError, RecursionError) as fault:
            if isinstance(fault, BadTreeError):
                raise
            raise BadTreeError(f"the operation {tree[0]} has the wrong operands") from fault
        return self.memoize(tree, made) if tree[0] in KEPT else made

    def each_of(self, trees: list[Tree]) -> list[Expr]:
        """Several operands."""
        return [self.expr_of(tree) for tree in trees]

    def row(self, table: str, keys: list[Tree]) -> Expr:
        """The row that keys name, or what is known of it."""
        found = _row_of_one(table, self.expr_of(keys[0])) if len(keys) == 1 else None
        return self.memoize(
            ["row", table, keys], found or _row_of(table, list_of(self.each_of(keys)))
        )

    def memoize(self, tree: Tree, find: Expr) -> Expr:
        """A part of trees that is found once in a call."""
        if not self._keeps or sees_element(tree):
            return find
        text = intern(stable(tree))

        def run(scope: Scope) -> Any:
            memo = scope.memo
            if memo is None:
                return find(scope)
            if text in memo:
                return memo[text]
            value = memo[text] = find(scope)
            return value

        return run


Make = Callable[[list[Tree], Builder], Expr]


def _row_of_one(table: str, only: Expr) -> Expr:
    """Most tables are asked by one value: no list is made of it."""

    def run(scope: Scope) -> Any:
        value = only(scope)
        if type(value) is str:
            return scope.row(table, key_of_text(value))
        return value if type(value) is Gap else scope.row(table, key_text([value]))

    return run


def _row_of(table: str, values: Expr) -> Expr:
    def run(scope: Scope) -> Any:
        found = values(scope)
        return found if type(found) is Gap else scope.row(table, key_text(found))

    return run


def find_below(find: Expr, path: tuple[Any, ...]) -> Expr:
    """What stands at a path below a value."""
    if any(type(step) not in STEPS for step in path):
        raise BadTreeError("a path has a step that is neither a name nor a number")
    if len(path) == 1:
        return _one_below(find, path[0])

    def run(scope: Scope) -> Any:
        value = find(scope)
        try:
            for step in path:
                if type(value) is Gap:
                    return value
                value = value[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
        return value

    return run


def _one_below(find: Expr, step: Any) -> Expr:
    """One step below a value: most of what a tree looks at."""

    def run(scope: Scope) -> Any:
        value = find(scope)
        if type(value) is Gap:
            return value
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
        return value

    return run


def list_of(parts: list[Expr]) -> Expr:
    """The values of several operands; the first gap instead."""

    def run(scope: Scope) -> Any:
        out = []
        for part in parts:
            value = part(scope)
            if type(value) is Gap:
                return value
            out.append(value)
        return out

    return run


def of_one(only: Expr, apply: Callable[[Any], Any]) -> Expr:
    """What is found from one value alone."""

    def run(scope: Scope) -> Any:
        value = only(scope)
        return value if type(value) is Gap else apply(value)

    return run

"""Cases: which of the records that conditions look at are one and the same, and what that leaves to be found.

Goes in: conditions, then one record after another: found before under another name, or new. Comes out: the records still to
find and, for each tree that finds a known one, the shortest tree that does. Two values that must be equal for the
conditions to hold are one value from then on, as long as somebody checks that they are (`Case.equal`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..values.normal import stable
from .parts import BUILDERS
from .scope import Tree, sees_element

OLD: Final = ["old"]
_LEAVES: Final = frozenset({"const", "arg", "old", "it"})
"""Operations whose operands are values and names."""
_PATHS: Final = frozenset({"arg", "old", "row", "pick", "at"})
"""Operations whose last operands are a path."""

Names = Mapping[str, Tree]
"""By the text of a tree, the tree that says the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is known once some records were found."""

    known: Sequence[Tree]
    """The records found so far, each by the first tree that found it."""
    there: frozenset[str]
    """Texts of those that are there and known."""
    left: Sequence[Tree]
    """The records still to find, simplest first."""
    names: Names
    equal: Sequence[Tree] = ()
    """Comparisons that `names` relies on."""
    asked: Sequence[Tree] = ()
    """Comparisons that it does not rely on yet."""

    def after(self, at: int, *, there: bool) -> Case:
        """The case once the next record was found: the one at a place among those known, or a new one."""
        found, left = self.left[0], self.left[1:]
        same = there and at < len(self.known)
        case = Case(
            known=[*self.known, found],
            there=self.there | {stable(found)} if there and not same else self.there,
            left=left,
            names=self.names,
            equal=self.equal,
            asked=self.asked,
        )
        return case.with_name(found, self.known[at]) if same else case.with_equal()

    def with_name(self, tree: Tree, name: Tree) -> Case:
        """The case where two trees say the same."""
        new = {stable(tree): name}
        names = {**{text: renamed(one, new) for text, one in self.names.items()}, **new}
        case = Case(
            known=self.known,
            there=self.there,
            left=_distinct(self.left, names, self.known),
            names=names,
            equal=self.equal,
            asked=[renamed(one, names) for one in self.asked],
        )
        return case.with_equal()

    def with_equal(self) -> Case:
        """The case where values that must be equal are one value, if both can be looked up."""
        for at, tree in enumerate(self.asked):
            if not all(self._is_at_hand(side) for side in tree[1:]):
                continue
            short, long = sorted(tree[1:], key=lambda side: len(stable(side)))
            case = Case(
                known=self.known,
                there=self.there,
                left=self.left,
                names=self.names,
                equal=[*self.equal, tree] if short != long else self.equal,
                asked=[*self.asked[:at], *self.asked[at + 1 :]],
            )
            return case.with_equal() if short == long else case.with_name(long, short)
        return self

    def _is_at_hand(self, tree: Tree) -> bool:
        return tree[0] == "arg" or stable(root_of(tree)) in self.there


def first_case(trees: Sequence[Tree], before: Tree | None) -> Case:
    """The case in which nothing but the record before was found; `before` finds it too."""
    case = Case(
        known=[OLD],
        there=frozenset({stable(OLD)}),
        left=_distinct(_roots_of(trees), {}, [OLD]),
        names={},
        asked=[tree for tree in trees if _compares(tree)],
    )
    return case.with_equal() if before is None else case.with_name(before, OLD)


def _distinct(roots: Sequence[Tree], names: Names, known: Sequence[Tree]) -> list[Tree]:
    """The records, each by one name, that are none of the known ones and do not stand inside another."""
    done = {stable(one) for one in known}
    left = {stable(one): one for one in (renamed(root, names) for root in roots)}
    return [one for text, one in left.items() if root_of(one) == one and text not in done]


def _compares(tree: Tree) -> bool:
    """Whether a condition says of two values of records or arguments that they are equal."""
    return tree[0] == "eq" and all(
        side[0] == "arg" or (side[0] in _PATHS and root_of(side) not in (None, side))
        for side in tree[1:]
    )


def root_of(tree: Tree) -> Tree | None:
    """The record that a path starts from, where it is the same for the whole call."""
    if tree[0] == "old":
        return OLD
    size = 3 if tree[0] == "row" else 4 if tree[0] == "pick" else 0
    return tree[:size] if size and not sees_element(tree[:size]) else None


def _roots_of(trees: Sequence[Tree]) -> list[Tree]:
    """Every record that the trees look at, simplest first."""
    found: dict[str, Tree] = {}

    def walk(tree: Tree) -> Iterator[Tree]:
        root = root_of(tree)
        if root is not None:
            yield root
        for operand in _operands_of(tree):
            yield from walk(operand)

    for tree in trees:
        for root in walk(tree):
            found.setdefault(stable(root), root)
    return [found[text] for text in sorted(found, key=len)]


def renamed(tree: Tree, names: Names, needed: list[Tree] | None = None) -> Tree:
    """The tree with each record and value by one name; `needed` gets what must be there for that to say the same."""
    operands = _operands_of(tree)
    if operands:
        tree = _with_operands(tree, [renamed(operand, names, needed) for operand in operands])
    if tree[0] == "pick" and _is_first(tree):
        if needed is not None:
            needed.append(tree[3])
        tree = [*tree[1], 0, *tree[4:]]
    root = root_of(tree)
    name = names.get(stable(root)) if root is not None else None
    if root is not None and name is not None:
        tree = [*name, *tree[len(root) :]]
    return names.get(stable(tree), tree) if tree[0] in _PATHS else tree


def _is_first(tree: Tree) -> bool:
    """Whether the element looked for is the one that has what the first one has: the first one, if that has anything there."""
    items, name, wanted = tree[1:4]
    return items[0] in _PATHS and wanted == [*items, 0, name] and not sees_element(items)


def _operands_of(tree: Tree) -> list[Tree]:
    """The operands of a tree that are trees themselves; none of an operation that is not listed here."""
    operation = tree[0]
    if operation not in BUILDERS or operation in _LEAVES:
        return []
    if operation == "row":
        return list(tree[2])
    if operation == "pick":
        return [tree[1], tree[3]]
    return list(tree[1:2] if operation == "among" else tree[1:3] if operation == "at" else tree[1:])


def _with_operands(tree: Tree, operands: list[Tree]) -> Tree:
    """The same tree with other trees in the places that `_operands_of` names."""
    if tree[0] == "row":
        return ["row", tree[1], operands, *tree[3:]]
    if tree[0] == "pick":
        return ["pick", operands[0], tree[2], operands[1], *tree[4:]]
    return [tree[0], *operands, *tree[1 + len(operands) :]]

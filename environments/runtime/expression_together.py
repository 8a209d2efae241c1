"""Conditions asked together: what is said of one record by several names is asked once.

Goes in: conditions that must all hold or be unknown, then the scope of a call. Comes out: whether all do. Most conditions of a
tool look at the same few records: the record before, the row of an argument, the row of one of its own fields. Which of
them are one and the same record shows at a call; conditions written for that case are far fewer, and are made once
the case has come often enough to be worth it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .expression import prefix, shape
from .expression_asked import among
from .expression_frame import DARK, GONE, Frame, Part, Space, sees_element
from .expression_once import BUILDERS
from .expression_scope import Scope, Tree
from .normal import stable

OFTEN: Final = 3
"""Calls after which conditions are written for the case: that takes as long as asking some ten times."""
MAX_CASES: Final = 16
"""Cases for which conditions are written, for one tool."""
MAX_SEEN: Final = 4_096
"""Texts of one field that are remembered as having passed its conditions."""
_LEAVES: Final = frozenset({"const", "arg", "old", "it"})
"""Operations whose operands are values and names."""

Case = tuple[int, ...]
"""For each record the first that is the same one."""


class Together:
    """Some conditions of one tool."""

    __slots__ = ("_checks", "_counts", "_records", "_roots", "_trees")

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._trees = [] if any('"next"' in stable(t) for t in trees) else trees
        self._roots: list[Tree] = []
        self._records: list[Part] | None = None
        self._counts: dict[Case, int] = {}
        self._checks: dict[Case, list[Part]] = {}

    def hold(self, scope: Scope) -> bool:
        """Whether each condition holds or is not known; False says nothing but that they must be asked one by one."""
        if self._records is None:
            space = Space(BUILDERS)
            self._roots = _roots_of(self._trees)
            records = [space.part(tree) for tree in self._roots]
            self._records = records
        frame = Frame(scope)
        values = [part(frame) for part in self._records]
        first: dict[int, int] = {}
        case = tuple([first.setdefault(id(value), at) for at, value in enumerate(values)])
        checks = self._checks.get(case)
        if checks is None:
            self._count(case)
            return False
        frame = Frame(scope, given=values)
        for check in checks:
            value = check(frame)
            if value is GONE or not value:
                return False
        return True

    def _count(self, case: Case) -> None:
        if not self._trees or len(self._checks) >= MAX_CASES:
            return
        times = self._counts[case] = self._counts.get(case, 0) + 1
        if times >= OFTEN:
            self._checks[case] = self._made(case)
            # Runs in other threads may have counted the same case.
            self._counts.pop(case, None)

    def _made(self, case: Case) -> list[Part]:
        space = Space(BUILDERS, given=self._roots)
        names = {
            stable(self._roots[at]): self._roots[one] for at, one in enumerate(case) if one != at
        }
        asked: dict[str, Asked] = {}
        others: dict[str, Tree] = {}
        for original in self._trees:
            tree = _renamed(original, names)
            if tree[0] == "eq" and stable(tree[1]) == stable(tree[2]):
                tree = ["exists", tree[1]]
            found = _test_of(tree)
            if found is None:
                others[stable(tree)] = tree
                continue
            subject, test = found
            root = _root_of(subject) or subject
            of_root = asked.setdefault(stable(root), Asked(root=root))
            of_root.tests.setdefault(tuple(subject[len(root) :]), []).append(test)
        records = [_passing(space.part(one.root), one.tests) for one in asked.values()]
        return [*records, *(space.part(tree) for tree in others.values())]


Test = Callable[[Any], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of the values of one record, or of one other value."""

    root: Tree
    tests: dict[tuple[Any, ...], list[Test]] = field(default_factory=dict)
    """By the path below the root."""


def _root_of(tree: Tree) -> Tree | None:
    """The record that a path starts from, where it is the same for the whole call."""
    if tree[0] == "old":
        return ["old"]
    size = 3 if tree[0] == "row" else 4 if tree[0] == "pick" else 0
    return tree[:size] if size and not sees_element(tree[:size]) else None


def _roots_of(trees: Sequence[Tree]) -> list[Tree]:
    """Every record that the trees look at, simplest first."""
    found: dict[str, Tree] = {}

    def walk(tree: Tree) -> Iterator[Tree]:
        root = _root_of(tree)
        if root is not None:
            yield root
        for operand in _operands_of(tree):
            yield from walk(operand)

    for tree in trees:
        for root in walk(tree):
            found.setdefault(stable(root), root)
    return [found[text] for text in sorted(found, key=len)]


def _renamed(tree: Tree, names: Mapping[str, Tree]) -> Tree:
    """The tree with each record by one name."""
    root = _root_of(tree)
    name = names.get(stable(root)) if root is not None else None
    if root is not None and name is not None:
        return [*name, *tree[len(root) :]]
    return _with_operands(tree, [_renamed(operand, names) for operand in _operands_of(tree)])


def _test_of(tree: Tree) -> tuple[Tree, Test] | None:
    """The one value that a condition is about, and what it asks of it; None where it is not of that kind."""
    if tree[0] == "exists":
        return tree[1], lambda _value: True
    if tree[0] != "among":
        return None
    subject, holds = tree[1], among(tree[2])
    if subject[0] == "shape":
        return subject[1], lambda value: holds(shape(value))
    if subject[0] == "prefix":
        return subject[1], lambda value: isinstance(value, str) and holds(prefix(value))
    return subject, holds


def _passing(part: Part, tests: Mapping[tuple[Any, ...], list[Test]]) -> Part:
    """All that is asked of one record."""
    fields: list[tuple[tuple[Any, ...], list[Test], set[str]]] = [
        (path, of_it, set()) for path, of_it in tests.items()
    ]

    def run(frame: Frame) -> Any:
        record = part(frame)
        if record is GONE or record is DARK:
            return record
        for path, of_it, seen in fields:
            value = record
            try:
                for step in path:
                    value = value[step]
            except (KeyError, IndexError, TypeError):
                return GONE
            if type(value) is str:
                if value in seen:
                    continue
                if len(seen) < MAX_SEEN and all(test(value) for test in of_it):
                    seen.add(value)
                    continue
            if not all(test(value) for test in of_it):
                return False
        return True

    return run


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
    if not operands:
        return tree
    if tree[0] == "row":
        return ["row", tree[1], operands, *tree[3:]]
    if tree[0] == "pick":
        return ["pick", operands[0], tree[2], operands[1], *tree[4:]]
    return [tree[0], *operands, *tree[1 + len(operands) :]]

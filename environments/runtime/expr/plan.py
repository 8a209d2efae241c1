"""A plan of conditions: those of one tool that calls mostly meet, asked together.

Goes in: conditions that must all hold or be unknown, then the scope of a call. Comes out: whether all do; no says nothing but that
they must be asked one by one. What conditions ask of one record is one check, done once a record: none is ever changed in
place. Those about every element of one list are one walk, limits on one number one comparison after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sys import maxsize
from typing import Any, Final

from ..values.grouping import by_key
from ..values.normal import stable
from .builder import Builder
from .evaluate import OPERATIONS
from .gaps import MISSING, Gap, is_unknown
from .language import NUMBERS, at_most, distinct, equal, membership_in, prefix, shape
from .lists import hold_for_all
from .scope import Expr, Scope, Tree, as_list
from .trees import sees_element, with_operands

MAX_FINE: Final = 1_024
"""Records that are remembered as having passed all that is asked of them."""
_RECORDS: Final = {"old": 1, "it": 1, "row": 3, "pick": 4}
"""Operations that find a record, and the operands they take before the path below it."""

Test = Callable[[Any], bool]
Path = tuple[Any, ...]


class Plan:
    """Conditions of one tool, asked together."""

    __slots__ = ("_before", "_checks", "_trees")

    def __init__(self, trees: Sequence[Tree], before: Tree | None = None) -> None:
        """`before` is a tree that finds the record before, wherever that is known."""
        self._trees = trees
        self._before = before
        self._checks: list[Expr] | None = None
        """Made when they are first asked: most tools of most worlds are never called."""

    def holds(self, scope: Scope) -> bool:
        """Whether each condition holds or is not known, the record before being known and no record known in part."""
        checks = self._checks
        if checks is None:
            checks = self._checks = self._build_checks()
        for check in checks:
            value = check(scope)
            if value is MISSING or not value:
                return False
        return True

    def _build_checks(self) -> list[Expr]:
        there: list[Tree] = []
        trees = [_renamed(tree, self._before, there) for tree in self._trees]
        build = Builder(OPERATIONS, keeps=True, nodes=maxsize)
        return list(Groups([*trees, *there]).checks(build))


def _renamed(tree: Tree, before: Tree | None, there: list[Tree]) -> Tree:
    """The tree with records under their shortest names; `there` gets what must be so for that to say the same."""
    if before is not None and tree[: len(before)] == before:
        return ["old", *tree[len(before) :]]
    tree = with_operands(tree, lambda part: _renamed(part, before, there))
    if tree[:1] == ["pick"] and tree[3] == [*tree[1], 0, tree[2]] and not sees_element(tree[1]):
        # The element that has what the first one has is the first one, if that has anything there that equals itself.
        there.append(["itself", tree[3]])
        return [*tree[1], 0, *tree[4:]]
    return tree


class Groups:
    """Conditions by what they look at."""

    def __init__(self, trees: Iterable[Tree]) -> None:
        self.records: dict[str, tuple[Tree, dict[Path, list[Test]]]] = {}
        self.pairs: dict[str, tuple[Tree, Tree, list[tuple[Path, Path]]]] = {}
        self.lists: dict[str, tuple[Tree, list[Tree]]] = {}
        self.limits: dict[str, tuple[Tree, list[Tree]]] = {}
        self.others: list[Tree] = []
        texts = {stable(tree): tree for tree in trees}
        for tree in texts.values():
            # One of several that must hold anyway says nothing more.
            if tree[0] != "or" or all(stable(operand) not in texts for operand in tree[1:]):
                self._add(tree)

    def _add(self, tree: Tree) -> None:
        question = _question(tree)
        if question is not None:
            root, path = _record_of(question[0])
            _, asked = self.records.setdefault(stable(root), (root, {}))
            asked.setdefault(path, []).append(question[1])
        elif tree[0] == "eq":
            (left, one), (right, other) = map(_record_of, tree[1:])
            pair = self.pairs.setdefault(stable([left, right]), (left, right, []))
            pair[2].append((one, other))
        elif tree[0] in {"every", "le"}:
            alike = self.lists if tree[0] == "every" else self.limits
            alike.setdefault(stable(tree[1]), (tree[1], []))[1].append(tree[2])
        else:
            self.others.append(tree)

    def checks(self, build: Builder) -> Iterator[Expr]:
        """One check for each group."""
        for root, asked in self.records.values():
            yield _once_a_record(_record_expr(root, build), _of_record(asked))
        for left, right, paths in self.pairs.values():
            yield _of_pair(_record_expr(left, build), _record_expr(right, build), paths)
        for items, bodies in self.lists.values():
            yield _of_list(build.expr_of(items), tuple(Groups(bodies).checks(build)))
        for number, most in self.limits.values():
            yield _limited(build.expr_of(number), build.each_of(most))
        yield from map(build.expr_of, self.others)


def _record_of(subject: Tree) -> tuple[Tree, Path]:
    """The record that a value stands in, and the path to it."""
    size = _RECORDS.get(subject[0], len(subject))
    return subject[:size], tuple(subject[size:])


def _question(tree: Tree) -> tuple[Tree, Test] | None:
    """The one value that a condition is about, and what it asks of it."""
    operation, subject = tree[0], tree[1]
    if operation == "exists":
        return (subject[1], _has_elements) if subject[0] == "len" else (subject, _is_there)
    if operation in _TESTS:
        return subject, _TESTS[operation]
    if operation != "among":
        return None
    holds = membership_in(tree[2])
    if subject[0] == "shape":
        return subject[1], lambda value: holds(shape(value))
    if subject[0] == "prefix":
        return subject[1], lambda value: isinstance(value, str) and holds(prefix(value))
    return subject, holds


def _is_there(_value: Any) -> bool:
    return True


def _is_itself(value: Any) -> bool:
    """Not so for NaN: no element has that."""
    return bool(value == value)  # noqa: PLR0124 - see above


def _has_elements(value: Any) -> bool:
    return isinstance(value, dict | list)


def _is_distinct(value: Any) -> bool:
    values = list(value.values()) if isinstance(value, dict) else value
    return isinstance(values, list) and distinct(values)


_TESTS: Final[Mapping[str, Test]] = {"distinct": _is_distinct, "itself": _is_itself}


def _record_expr(root: Tree, build: Builder) -> Expr:
    """The record that conditions are about, with what is known of it if that is only a part."""
    return build.row(root[1], root[2]) if root[0] == "row" else build.expr_of(root)


def _of_record(asked: dict[Path, list[Test]]) -> Test:
    """All that is asked of one record; raises as a look-up does where nothing is there."""
    whole = asked.pop((), [])
    inner = by_key((path[:-1], (path[-1], tests)) for path, tests in asked.items())
    holders = list(inner.items())

    def passes(record: Any) -> bool:
        if not all(test(record) for test in whole):
            return False
        for path, fields in holders:
            holder = value_at(record, path)
            for step, tests in fields:
                value = holder[step]
                for test in tests:
                    if not test(value):
                        return False
        return True

    return passes


def _once_a_record(find: Expr, passes: Test) -> Expr:
    """What is asked of a record only until it has passed."""
    fine: dict[int, Any] = {}
    """Records that passed, held so that no other one has the id of any."""

    def run(scope: Scope) -> Any:
        record = find(scope)
        if id(record) in fine:
            return True
        if type(record) is Gap:
            return record
        if not _passes(passes, record):
            return False
        if type(record) is dict:
            if len(fine) >= MAX_FINE:
                fine.clear()
            fine[id(record)] = record
        return True

    return run


def value_at(value: Any, path: Path) -> Any:
    """The value at a path; raises as a look-up does where nothing is there."""
    for step in path:
        value = value[step]
    return value


def _passes(passes: Callable[..., bool], *records: Any) -> bool:
    try:
        return passes(*records)
    except (KeyError, IndexError, TypeError):
        return False


def _are_there(record: Any, paths: Iterable[Path]) -> bool:
    """Whether a record has all these paths, or nobody knows."""
    if type(record) is Gap:
        return record is not MISSING
    return _passes(
        lambda known: all(value_at(known, path) is not MISSING for path in paths), record
    )


def _of_pair(left: Expr, right: Expr, paths: list[tuple[Path, Path]]) -> Expr:
    """All that must be equal in two records."""

    def passes(one: Any, other: Any) -> bool:
        return all(equal(value_at(one, path), value_at(other, beside)) for path, beside in paths)

    fine: dict[tuple[Any, Any], Any] = {}
    """Pairs that passed, by the record's id or by the text itself, held as records are in `_once_a_record`."""

    def run(scope: Scope) -> Any:
        one, other = left(scope), right(scope)
        key = one if type(one) is str else id(one), other if type(other) is str else id(other)
        if key in fine:
            return True
        if type(one) is Gap or type(other) is Gap:
            # A path that is not there fails, whatever is unknown beside it.
            if not (
                _are_there(one, [p for p, _ in paths]) and _are_there(other, [p for _, p in paths])
            ):
                return False
            return one if type(one) is Gap else other
        if not _passes(passes, one, other):
            return False
        if len(fine) >= MAX_FINE:
            fine.clear()
        fine[key] = one, other
        return True

    return run


def _of_list(items: Expr, checks: tuple[Expr, ...]) -> Expr:
    """All that is asked of every element of one list."""

    def run(scope: Scope) -> Any:
        values = as_list(items(scope), scope)
        return values if type(values) is Gap else hold_for_all(scope, values, checks)

    return run


def _limited(number: Expr, most: list[Expr]) -> Expr:
    """Whether one number is at most each of some others, or nobody knows."""

    def run(scope: Scope) -> Any:
        left = number(scope)
        if type(left) not in NUMBERS:
            return left if type(left) is Gap else False
        for limit in most:
            right = limit(scope)
            if type(right) in NUMBERS:
                if not at_most(left, right):
                    return False
            elif not is_unknown(right):
                return False
        return True

    return run

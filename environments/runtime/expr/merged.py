"""Conditions merged: all that is asked of one record, or of every element of one list, as one check.

Goes in: conditions, and the case: which records are one and the same. Comes out: checks for `expression_together`, all of them
true, or unknown, only where each condition holds or is unknown. They may say no where all do hold: then the
conditions are asked one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..values.normal import stable
from .cases import Case, renamed
from .conditions import among, are_distinct
from .frames import Frame, Part, Space, UnsupportedError
from .gaps import MISSING, UNKNOWN, Gap
from .language import prefix, shape
from .parts import at_most
from .scope import Tree

MAX_PASSED: Final = 4_096
"""Values of one field that are remembered as having passed its conditions."""
MAX_FINE: Final = 1_024
"""Records that are remembered as having passed all that is asked of them."""
_PLAIN: Final = frozenset({str, int, bool, type(None)})
"""Types of which equal values are one key."""
_RECORDS: Final = {"old": 1, "it": 1, "row": 3, "pick": 4}
"""Operations that find a record, and the operands they take before the path below it."""

_SPELT: Final = frozenset({"exists", "itself", "shape", "prefix"})
"""Questions that all digits answer alike."""
_DIGITS: Final = bytes.maketrans(b"012345678", b"999999999")

Test = Callable[[Any], bool]
Path = tuple[Any, ...]
Asked = dict[str, list[Any]]
"""What is asked of one value: by the kind of question, the answers that are allowed."""


def checks_of(trees: Sequence[Tree], case: Case, space: Space) -> list[Part]:
    """The conditions as checks."""
    there: list[Tree] = []
    merged = [_simple(renamed(tree, case.names, there)) for tree in trees]
    merged += [["itself", tree] for tree in there]
    equal = [_are_one(space.part(left), space.part(right)) for _, left, right in case.equal]
    return [*_merged(merged, space), *equal]


def _simple(tree: Tree) -> Tree:
    same = tree[0] == "eq" and stable(tree[1]) == stable(tree[2])
    return ["exists", tree[1]] if same else tree


def _merged(trees: Iterable[Tree], space: Space) -> list[Part]:
    records: dict[str, Record] = {}
    lists: dict[str, Tree] = {}
    limits: dict[str, list[Part]] = {}
    others: list[Part] = []
    distinct = {stable(tree): tree for tree in trees}
    for tree in distinct.values():
        question = _question(tree)
        if question is not None:
            subject, kind, allowed = question
            root = subject[: _RECORDS.get(subject[0], len(subject))]
            record = records.setdefault(stable(root), Record(root=root))
            record.ask(tuple(subject[len(root) :]), kind, allowed)
        elif tree[0] == "every":
            known = lists.setdefault(stable(tree[1]), ["every", tree[1]])
            known.append(tree[2])
        elif tree[0] == "le":
            text = stable(tree[1])
            known = limits.get(text)
            if known is None:
                limits[text] = known = []
                others.append(at_most(space.part(tree[1]), known))
            known.append(space.part(tree[2]))
        elif tree[0] != "or" or all(stable(operand) not in distinct for operand in tree[1:]):
            # One of several that must hold anyway says nothing more.
            others.append(space.part(tree))
    of_records = [_of_record(space.part(one.root), one.asked) for one in records.values()]
    return [
        *of_records,
        *(part for tree in lists.values() for part in _of_list(tree, space)),
        *others,
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record, or another value, and what is asked of it."""

    root: Tree
    asked: dict[Path, Asked] = field(default_factory=dict)
    """By the path below the root."""

    def ask(self, path: Path, kind: str, allowed: list[Any]) -> None:
        """Ask one more thing of the value at a path."""
        asked = self.asked.setdefault(path, {})
        texts = {stable(value) for value in allowed}
        asked[kind] = [v for v in asked.get(kind, allowed) if stable(v) in texts]


def _question(tree: Tree) -> tuple[Tree, str, list[Any]] | None:
    """The one value that a condition is about, what it asks of it, and the answers that are allowed."""
    operation, subject = tree[0], tree[1]
    if operation == "exists" and subject[0] == "len":
        return subject[1], "list", []
    if operation in {"exists", "distinct", "itself"}:
        return subject, operation, []
    if operation != "among":
        return None
    if subject[0] in {"shape", "prefix"}:
        return subject[1], subject[0], tree[2]
    return subject, "among", tree[2]


def _tests(asked: Asked) -> list[Test]:
    tests: list[Test] = []
    for kind, allowed in asked.items():
        if kind == "exists" or (kind == "list" and "distinct" in asked):
            continue
        tests.append(_OF_VALUE.get(kind) or _TESTS[kind](among(allowed)))
    return tests


def _shaped(holds: Test) -> Test:
    return lambda value: holds(shape(value))


def _begins(holds: Test) -> Test:
    return lambda value: isinstance(value, str) and holds(prefix(value))


def _has_elements(value: Any) -> bool:
    return isinstance(value, dict | list)


def _are_distinct(value: Any) -> bool:
    values = list(value.values()) if isinstance(value, dict) else value
    return isinstance(values, list) and are_distinct(values)


def _is_itself(value: Any) -> bool:
    """Not so for NaN: no element has that."""
    return bool(value == value)  # noqa: PLR0124 - see above


_OF_VALUE: Final[Mapping[str, Test]] = {
    "list": _has_elements,
    "distinct": _are_distinct,
    "itself": _is_itself,
}
_TESTS: Final[Mapping[str, Callable[[Test], Test]]] = {
    "among": lambda holds: holds,
    "shape": _shaped,
    "prefix": _begins,
}


class Tests:
    """What is asked of the values at one place."""

    __slots__ = ("passed", "patterns", "tests")

    def __init__(self, asked: Asked) -> None:
        self.tests = _tests(asked)
        self.passed: set[str | None] = set()
        """Values that were found to pass."""
        self.patterns: set[bytes] | None = None if asked.keys() - _SPELT else set()
        """Texts that were found to pass, all digits being one, where nothing asks which digit it is."""

    def known(self, value: Any) -> bool:
        """Whether a value was found to pass before."""
        if type(value) is str and self.patterns is not None:
            return value.encode().translate(_DIGITS) in self.patterns
        return (type(value) is str or value is None) and value in self.passed

    def fail(self, value: Any) -> bool:
        """Whether a value does not pass."""
        for test in self.tests:
            if not test(value):
                return True
        if type(value) is str and self.patterns is not None:
            if len(self.patterns) < MAX_PASSED:
                self.patterns.add(value.encode().translate(_DIGITS))
        elif (type(value) is str or value is None) and len(self.passed) < MAX_PASSED:
            self.passed.add(value)
        return False


Fields = list[tuple[Any, Tests, "set[str | None]", "set[bytes] | None"]]
"""Steps below one value, each with what is asked there, and with what passed."""


def _of_record(part: Part, asked: Mapping[Path, Asked]) -> Part:
    """All that is asked of one record."""
    inner: dict[Path, Fields] = {}
    for path, of_value in asked.items():
        if path:
            tests = Tests(of_value)
            field_of = (path[-1], tests, tests.passed, tests.patterns)
            inner.setdefault(path[:-1], []).append(field_of)
    whole = Tests(asked.get((), {}))
    holders = list(inner.items())

    def passes(record: Any) -> bool | Gap:
        try:
            if whole.tests and not whole.known(record) and whole.fail(record):
                return False
            for path, fields in holders:
                holder = record
                for step in path:
                    holder = holder[step]
                if _fail(holder, fields):
                    return False
        except (KeyError, IndexError, TypeError, UnicodeEncodeError):
            return MISSING
        return True

    return _once_a_record(part, passes)


def _once_a_record(part: Part, passes: Callable[[Any], bool | Gap]) -> Part:
    """What is asked of a record only until it has passed: none is ever changed in place."""
    fine: dict[int, Any] = {}
    """Records that passed, held so that no other one has the id of any."""

    def run(frame: Frame) -> Any:
        record = part(frame)
        if id(record) in fine:
            return True
        if record is MISSING or record is UNKNOWN:
            return record
        found = passes(record)
        if found is True and type(record) is dict:
            if len(fine) >= MAX_FINE:
                fine.clear()
            fine[id(record)] = record
        return found

    return run


def _fail(holder: Any, fields: Fields) -> bool:
    """Whether a value inside another does not pass."""
    for step, tests, passed, patterns in fields:
        value = holder[step]
        if type(value) is str and patterns is not None:
            if value.encode().translate(_DIGITS) in patterns:
                continue
        elif (type(value) is str or value is None) and value in passed:
            continue
        if tests.tests and tests.fail(value):
            return True
    return False


def _of_list(tree: Tree, space: Space) -> list[Part]:
    """All that is asked of every element of one list."""
    _, items, *bodies = tree
    try:
        elements, inner = space.elements(items)
        checks = _merged(bodies, inner)
    except UnsupportedError:
        return [space.part(["every", items, body]) for body in bodies]

    def run(frame: Frame) -> Any:
        frames = elements(frame)
        if frames is MISSING or frames is UNKNOWN:
            return frames
        for one in frames:
            for check in checks:
                value = check(one)
                if value is MISSING or not value:
                    return False
        return True

    return [run]


def _are_one(left: Part, right: Part) -> Part:
    """Whether two values are equal and say the same in every place: 1 and 1.0 are equal, and are not one key."""

    def run(frame: Frame) -> bool:
        one, other = left(frame), right(frame)
        return one == other and type(one) is type(other) and type(one) in _PLAIN

    return run

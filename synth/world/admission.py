"""Admission: the test that a proposed tree must pass before a world may hold it, whoever proposed it.

Comes in: a tree that nobody trusts and all examples of what it should give. Goes out: the evidence, or None. It must be
in the language, small, reproduce every example, among them some of tasks that its author never saw, and hang on what
it reads. Not here: asking for proposals (`proposals`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from environments.runtime.expr.evaluate import build
from environments.runtime.expr.gaps import MISSING, UNKNOWN
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.expr.trees import looks_at, operands_of
from environments.runtime.values.normal import stable
from synth.world.actions.examples import Example, evaluate
from synth.world.support import (
    MOSTLY,
    SEEN_MANY_TIMES,
    SEEN_SEVERAL_TIMES,
    SEEN_THRICE,
    SEEN_TWICE,
)

MAX_NODES: Final = 200
MAX_DEPTH: Final = 12
MAX_TEXT: Final = 4_000
"""Characters of a proposed tree, written as JSON."""
MIN_CALLS: Final = SEEN_SEVERAL_TIMES
"""Different calls in all; with fewer, an accident passes every test."""
MIN_UNSHOWN: Final = SEEN_THRICE
"""Different calls of tasks that the author of the proposal never saw."""
MIN_OUTCOMES: Final = SEEN_TWICE
"""Different results among those."""
ENOUGH: Final = SEEN_MANY_TIMES
"""Different calls from which on a tree may bring values of its own: with fewer, they may be learnt by heart."""
MIN_KNOWN: Final = MOSTLY
"""Share of the examples in which the tree must have a value."""
FORBIDDEN: Final = frozenset({"next", "calc"})
"""Operations that hang on more than the examples show."""
_OWN_VALUES: Final = frozenset({"const", "among", "case"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be explained."""

    examples: Sequence[Example]
    scopes: list[Scope]
    target: Sequence[Any]
    """What the tree must give, per example; for a condition whether the call succeeded."""
    condition: bool
    shown: frozenset[int]
    """The examples that the author of a proposal may see; the others are the test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A tree that passed, and what speaks for it."""

    tree: Tree
    calls: int
    """Different calls that it reproduces."""
    unshown: int
    """Of those, calls of tasks that its author never saw."""


def question(
    examples: Sequence[Example],
    scopes: list[Scope],
    target: Sequence[Any],
    *,
    condition: bool = False,
) -> Question:
    """A question of which every second task (every second episode, where tasks are not told) is shown."""
    units = [e.task or str(e.seen.episode) for e in examples]
    if len(set(units)) < 2:
        units = [str(e.seen.episode) for e in examples]
    first: dict[str, int] = {}
    for unit in units:
        first.setdefault(unit, len(first))
    shown = {at for at, unit in enumerate(units) if first[unit] % 2 == 0}
    known = {examples[at].seen.key for at in shown}
    # A call that is shown once is no test where it comes again.
    shown |= {at for at, example in enumerate(examples) if example.seen.key in known}
    return Question(
        examples=examples,
        scopes=scopes,
        target=target,
        condition=condition,
        shown=frozenset(shown),
    )


def askable(asked: Question) -> bool:
    """Whether the examples could ever admit a tree: without enough of them nobody needs to be asked."""
    calls = {e.seen.key for e in asked.examples}
    hidden = [at for at in range(len(asked.examples)) if at not in asked.shown]
    outcomes = {stable(asked.target[at]) for at in hidden}
    return (
        len(calls) >= MIN_CALLS
        and len({asked.examples[at].seen.key for at in hidden}) >= MIN_UNSHOWN
        and len(outcomes) >= MIN_OUTCOMES
    )


def admit(tree: Tree, asked: Question) -> Admitted | None:
    """The proposal with its evidence, or None where any part of the test fails."""
    if not askable(asked) or not _in_bounds(tree):
        return None
    calls = {e.seen.key for e in asked.examples}
    try:
        build(tree)
        looks = looks_at(tree, "arg") or looks_at(tree, "old")
        if not looks or (len(calls) < ENOUGH and any(_brings_values(tree))):
            return None
        rows = _reproduced(_values(tree, asked), asked)
        if rows is None or not _hangs_on_what_it_reads(tree, asked):
            return None
    except Exception:  # noqa: BLE001 - the boundary: a stranger's tree may fail in any way, and is then refused
        return None
    hidden = {asked.examples[at].seen.key for at in rows if at not in asked.shown}
    if len(hidden) < MIN_UNSHOWN:
        return None
    reproduced = {asked.examples[at].seen.key for at in rows}
    return Admitted(tree=tree, calls=len(reproduced), unshown=len(hidden))


def _in_bounds(tree: Tree) -> bool:
    """Whether any JSON is small and shallow enough to be built as a tree, and asks nothing forbidden."""
    left: list[tuple[Any, int]] = [(tree, 1)]
    nodes = 0
    while left:
        part, depth = left.pop()
        nodes += 1
        if nodes > MAX_NODES or depth > MAX_DEPTH:
            return False
        if isinstance(part, dict):
            left.extend((value, depth + 1) for value in part.values())
        elif isinstance(part, list):
            if part and isinstance(part[0], str) and part[0] in FORBIDDEN:
                return False
            left.extend((value, depth + 1) for value in part)
    return len(stable(tree)) <= MAX_TEXT


def _brings_values(tree: Any) -> Iterator[bool]:
    """True for each operation with values of its own; the numbers 0, 1 and -1 are nobody's."""
    if tree[0] in _OWN_VALUES and not (tree[0] == "const" and tree[1:] in ([0], [1], [-1])):
        yield True
    for part in operands_of(tree):
        yield from _brings_values(part)


def _values(tree: Tree, asked: Question) -> list[Any]:
    values = evaluate(tree, asked.scopes)
    # In a condition, a path that is not there means that it does not hold.
    return [v is not MISSING and v for v in values] if asked.condition else values


def _reproduced(values: Sequence[Any], asked: Question) -> list[int] | None:
    """The examples that a tree reproduces; None where it contradicts one or knows too few."""
    rows: list[int] = []
    for at, (value, wanted) in enumerate(zip(values, asked.target, strict=True)):
        if value is UNKNOWN:
            continue
        if value is MISSING or stable(value) != stable(wanted):
            return None
        rows.append(at)
    return rows if len(rows) >= MIN_KNOWN * len(values) else None


def _hangs_on_what_it_reads(tree: Tree, asked: Question) -> bool:
    """Whether each argument that a tree reads matters to it: exchanged for another call's, the value changes somewhere."""
    before = [repr(v) for v in _values(tree, asked)]
    for name in sorted(arguments_read(tree)):
        if [repr(v) for v in evaluate(tree, _exchanged(asked, name))] == before:
            return False
    return True


def arguments_read(tree: Any) -> set[str]:
    """The names of the arguments that a tree reads."""
    if tree[0] == "arg" and len(tree) > 1 and isinstance(tree[1], str):
        return {tree[1]}
    return set().union(*map(arguments_read, operands_of(tree)))


def _exchanged(asked: Question, name: str) -> list[Scope]:
    """The same calls, each with one argument of another call that gave a different value for it."""
    scopes: list[Scope] = []
    given = [s.arg[name] for s in asked.scopes if isinstance(s.arg, dict) and name in s.arg]
    for scope in asked.scopes:
        mine = scope.arg if isinstance(scope.arg, dict) else {}
        other = next((v for v in given if stable(v) != stable(mine.get(name))), None)
        inner = Scope({**mine, name: other}, scope.old, row=scope.row)
        inner.it, inner.by = scope.it, scope.by
        scopes.append(inner)
    return scopes

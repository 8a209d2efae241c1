"""Answers that say nothing but what the call gives: `New booking was added: {'id': 'B-7'}` for a booking B-7.

Comes from calls with their answers; goes to `influence.dependencies` (such an answer shows no record, so nothing says that its tool looks) and to
`influence.recall` (such a tool answers values that nobody recorded as well).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from environments.runtime.expr.gaps import UNSEEN, Gap
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.expr.trees import operands_of
from synth.world.model import ToolModel
from synth.world.observation import Observation
from synth.world.search.fit import Fitter
from synth.world.search.terms import NO_TABLES
from synth.world.support import SEEN_THRICE

MIN_CALLS: Final = SEEN_THRICE
"""Different calls that the answer repeats."""
MOST_CALLS: Final = 60
"""Different calls that are looked at."""
_TELLS_ARGUMENTS: Final = frozenset(
    {"arg", "case", "const", "either", "exists", "if", "list", "object", "sort", "text"}
)
"""Operations of answers that say nothing but what a call gives."""


def repeats_arguments(tree: Tree | None) -> bool:
    """Whether an answer says an argument, and nothing of any record."""
    heads = set(_heads(tree)) if isinstance(tree, list) else set[str]()
    return "arg" in heads and heads <= _TELLS_ARGUMENTS


def repeated_answer(tool: ToolModel) -> Tree | None:
    """What every successful answer of a tool is, where that is made of its arguments alone."""
    calls = list({seen.key: seen for seen in tool.good()}.values())[:MOST_CALLS]
    if len(calls) < MIN_CALLS:
        return None
    scopes = [_scope_of(seen) for seen in calls]
    fitter = Fitter(scopes, ["arg"], NO_TABLES)
    tree = fitter.fit([seen.value for seen in calls])
    return tree if repeats_arguments(tree) else None


def _scope_of(seen: Observation) -> Scope:
    scope = Scope(dict(seen.arguments), None, row=_no_row)
    scope.sent = seen.sent
    return scope


def _no_row(table: str, key: str) -> Gap:  # noqa: ARG001 - what a scope asks for records with
    return UNSEEN


def _heads(tree: Sequence[object]) -> Iterator[str]:
    """The operations of a tree."""
    yield str(tree[0])
    yield from (head for part in operands_of(list(tree)) for head in _heads(part))

"""Fixed words that spell an argument: told for that argument's recorded value only.

Comes in: a fitted tree and the scopes that it was fitted on. Comes out: the same tree, bound to the value of each argument
that never varied there and whose value its fixed words spell, or to the words of an argument that were looked at. Not here: fitting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.values.mentions import is_name
from environments.runtime.values.normal import is_number, stable

MIN_LENGTH: Final = 3
"""Shorter values stand in texts by accident."""
MAX_WORDS: Final = 8
"""Different words up to which an argument says what kind of thing is to be done."""


def bound(tree: Tree, scopes: Sequence[Scope]) -> Tree:
    """The tree, with no answer for other values of an argument that its words spell.

    `yoga-fri` in every answer to a call for `fri` is a fixed word or the argument: nobody knows what another day gives.
    """
    words = " ".join(words_of(tree)).casefold()
    if not words:
        return tree
    for name, value in _constant_values(scopes):
        if re.search(rf"(?<![^\W_]){re.escape(value.casefold())}(?![^\W_])", words):
            tree = ["case", ["arg", name], [[value, tree]]]
    return tree


def unbound(tree: Tree) -> Tree:
    """The tree, for whichever arguments it is told."""
    while tree[0] == "case" and len(tree[2]) == 1:
        tree = tree[2][0][1]
    return tree


def for_seen(tree: Tree, told: Sequence[Scope], calls: Sequence[Scope]) -> Tree:
    """The tree, with no answer where an argument has a recorded word of a few that none of the scopes which tell has.

    What a desk does to a stay was looked at after `check_in` only: nobody knows that `check_out` does the same.
    """
    for name in sorted({n for scope in calls for n in _arguments(scope)}):
        words = [_arguments(scope).get(name) for scope in calls]
        kinds = {word for word in words if isinstance(word, str)}
        plain = len(kinds) == len(set(map(stable, words))) and len(kinds) <= MAX_WORDS
        if not plain or any(" " in w or is_name(w) for w in kinds) or mentions(tree, ["arg", name]):
            continue
        known = sorted({str(_arguments(scope)[name]) for scope in told})
        if set(known) < kinds:
            tree = ["case", ["arg", name], [[word, tree] for word in known]]
    return tree


def for_told(tree: Tree, told: Sequence[Scope], calls: Sequence[Scope]) -> Tree:
    """The tree, with no answer for other numbers than those that it was seen with.

    A record after payments of one amount or by calls that named none, says nothing of other payments: what
    looks fixed may be the amount.
    """
    given = [_arguments(scope) for scope in told]
    for name in sorted({n for scope in calls for n in _arguments(scope)}):
        values = [_arguments(scope).get(name) for scope in calls]
        if not any(map(is_number, values)) or mentions(tree, ["arg", name]):
            continue
        if not all(value is None or is_number(value) for value in values):
            continue
        known = [arguments.get(name) for arguments in given]
        kinds = {stable(value) for value in known}
        if len(kinds) == 1 and known[0] is not None:
            tree = ["case", ["arg", name], [[known[0], tree]]]
        if len({value is None for value in known}) == 1:
            tree = ["case", ["exists", ["arg", name]], [[known[0] is not None, tree]]]
    return tree


def or_turned(tree: Tree, field: str, told: Sequence[Scope]) -> Tree:
    """A flag that was always the other way before: set so, or turned round; where these differ nobody knows."""
    before = [s.old.get(field) if isinstance(s.old, dict) else None for s in told]
    if tree in (["const", True], ["const", False]) and all(b is (not tree[1]) for b in before):
        return ["either", tree, ["not", ["old", field]]]
    return tree


def mentions(tree: Any, part: Tree) -> bool:
    """Whether a tree holds another one."""
    return tree == part or (isinstance(tree, list) and any(mentions(t, part) for t in tree))


def _arguments(scope: Scope) -> dict[str, Any]:
    return scope.arg if isinstance(scope.arg, dict) else {}


def _constant_values(scopes: Sequence[Scope]) -> Iterator[tuple[str, str]]:
    """Arguments that had one value in all examples."""
    first = scopes[0].arg if scopes else None
    if not isinstance(first, dict):
        return
    for name, value in sorted(first.items()):
        if not isinstance(value, str) or len(value) < MIN_LENGTH:
            continue
        if all(isinstance(s.arg, dict) and s.arg.get(name) == value for s in scopes):
            yield name, value


def words_of(tree: Any) -> Iterator[str]:
    """The fixed words of a tree that is a constant or a text with holes."""
    if tree[0] == "text":
        yield from (part for part in tree[1:] if isinstance(part, str))
    elif tree[0] == "const":
        yield from _strings(tree[1])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)

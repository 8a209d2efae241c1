"""The closed language of learnt behaviours: trees of JSON lists, built into closures, evaluated in bounded steps.

Goes in: a tree from a world file, then one environment per call (arguments, row before, row lookup). Comes out: a JSON
value, `Missing` (a path that is not there) or `NotKnown` (state that nobody knows). A tree cannot loop but over lists
that are there, cannot recurse, and every list step costs fuel. Operations are listed at the end of this file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, Final

from ..answers.partial_rows import Partial
from ..values.normal import key_text, same_json, stable
from .lists import (
    build_concat,
    build_distinct,
    build_edit,
    build_every,
    build_filter,
    build_keys,
    build_length,
    build_map,
    build_member,
    build_pick,
    build_sort,
    build_total,
    build_with,
    build_zip,
)
from .numbers import NUMBERS
from .scope import (
    BadTreeError,
    InPart,
    Missing,
    NotKnown,
    Scope,
    Sub,
    Thunk,
    Tree,
    as_text,
    follow,
    total_of,
)

MAX_NODES: Final = 5_000
"""A bigger tree is refused when the world is loaded."""


def build(tree: Tree) -> Thunk:
    """A tree as a closure; raises `BadTreeError` for anything outside the language."""
    budget = [MAX_NODES]
    return _build(tree, budget)


def _build(tree: Tree, budget: list[int]) -> Thunk:
    budget[0] -= 1
    if budget[0] < 0:
        raise BadTreeError("a behaviour is too large")
    if not isinstance(tree, list) or not tree or not isinstance(tree[0], str):
        raise BadTreeError("a behaviour must be a list that starts with an operation")
    builder = _BUILDERS.get(tree[0])
    if builder is None:
        raise BadTreeError("a behaviour uses an operation that this version does not have")
    try:
        thunk = builder(tree[1:], lambda sub: _build(sub, budget))
        total = total_of(tree)
        return thunk if total is None else _kept(total, thunk)
    except (IndexError, TypeError, KeyError, ValueError, RecursionError) as fault:
        if isinstance(fault, BadTreeError):
            raise
        raise BadTreeError(f"the operation {tree[0]} has the wrong operands") from fault


def _kept(name: str, total: Thunk) -> Thunk:
    """What several trees of one call have is found once."""

    def run(scope: Scope) -> Any:
        totals = scope.totals
        if totals is None:
            return total(scope)
        if name not in totals:
            totals[name] = total(scope)
        return totals[name]

    return run


def _before(scope: Scope) -> Any:
    if scope.old is None:
        # Nothing is known of the record: not the same as a record that lacks the field.
        raise NotKnown("the record it is about is not known")
    return scope.old


def _constant(operands: list[Tree], _: Sub) -> Thunk:
    value = operands[0]
    return lambda _scope: value


def _root(find: Thunk) -> Callable[[list[Tree], Sub], Thunk]:
    def build_root(operands: list[Tree], _: Sub) -> Thunk:
        path = tuple(operands)
        if not path:
            return find
        return _field(find, path[0]) if len(path) == 1 else lambda s: follow(find(s), path)

    return build_root


def _field(find: Thunk, name: Any) -> Thunk:
    """One step below a value: most of what a tree looks at."""

    def run(scope: Scope) -> Any:
        value = find(scope)
        try:
            return value[name]
        except (KeyError, IndexError, TypeError) as fault:
            raise Missing from fault

    return run


def _row(operands: list[Tree], sub: Sub) -> Thunk:
    found = _row_or_part(operands, sub)
    return lambda scope: _whole(found(scope))


def _row_or_part(operands: list[Tree], sub: Sub) -> Thunk:
    table, keys, path = operands[0], [sub(k) for k in operands[1]], tuple(operands[2:])
    if len(keys) == 1:
        only = keys[0]
        return lambda scope: follow(scope.row(table, key_text([only(scope)])), path)
    return lambda scope: follow(scope.row(table, key_text([k(scope) for k in keys])), path)


def _whole(value: Any) -> Any:
    """A value that may be used as it is: an object known in part stands for nothing but its known fields."""
    if type(value) is Partial:
        raise InPart("only a part of this was ever seen")
    return value


def _at(operands: list[Tree], sub: Sub) -> Thunk:
    inner, key, path = operands[0], sub(operands[1]), tuple(operands[2:])
    if isinstance(inner, list) and inner[:1] == ["row"]:
        container = _row_or_part(inner[1:], sub)
        return lambda scope: _whole(follow(container(scope), (key(scope), *path)))
    whole = sub(inner)
    return lambda scope: follow(whole(scope), (key(scope), *path))


def _object(operands: list[Tree], sub: Sub) -> Thunk:
    fields = [(f[0], sub(f[1]), sub(f[2]) if len(f) > 2 else None) for f in operands]
    always = [(name, value) for name, value, when in fields if when is None]
    if len(always) == len(fields):
        return lambda scope: {name: value(scope) for name, value in always}

    def run(scope: Scope) -> Any:
        return {n: value(scope) for n, value, when in fields if when is None or when(scope)}

    return run


def _items(operands: list[Tree], sub: Sub) -> Thunk:
    parts = [sub(o) for o in operands]
    return lambda scope: [part(scope) for part in parts]


def _text(operands: list[Tree], sub: Sub) -> Thunk:
    parts = [o if isinstance(o, str) else sub(o) for o in operands]

    def run(scope: Scope) -> Any:
        return "".join(p if isinstance(p, str) else as_text(p(scope)) for p in parts)

    return run


def _case(operands: list[Tree], sub: Sub) -> Thunk:
    subject = sub(operands[0])
    cases = {stable(value): sub(body) for value, body in operands[1]}

    def run(scope: Scope) -> Any:
        body = cases.get(stable(subject(scope)))
        if body is None:
            raise NotKnown("a case that was never seen")
        return body(scope)

    return run


def _if(operands: list[Tree], sub: Sub) -> Thunk:
    when, then, otherwise = (sub(o) for o in operands)
    return lambda scope: then(scope) if when(scope) else otherwise(scope)


def _equal(operands: list[Tree], sub: Sub) -> Thunk:
    left, right = sub(operands[0]), sub(operands[1])
    return lambda scope: same_json(left(scope), right(scope))


def _among(operands: list[Tree], sub: Sub) -> Thunk:
    only, values = sub(operands[0]), {stable(v) for v in operands[1]}
    return lambda scope: stable(only(scope)) in values


def _not(operands: list[Tree], sub: Sub) -> Thunk:
    only = sub(operands[0])
    return lambda scope: not only(scope)


def _and(operands: list[Tree], sub: Sub) -> Thunk:
    parts = [sub(o) for o in operands]
    return lambda scope: _conjunction(scope, parts, negate=False)


def _or(operands: list[Tree], sub: Sub) -> Thunk:
    parts = [sub(o) for o in operands]
    return lambda scope: not _conjunction(scope, parts, negate=True)


def _conjunction(scope: Scope, parts: list[Thunk], *, negate: bool) -> bool:
    """Whether all parts hold (or, negated, fail): one that does not decides, whatever is unknown beside it."""
    dark: NotKnown | None = None
    for part in parts:
        try:
            holds = bool(part(scope))
        except Missing:
            holds = False
        except NotKnown as fault:
            dark = fault
            continue
        if holds is negate:
            return False
    if dark is not None:
        raise dark
    return True


def _exists(operands: list[Tree], sub: Sub) -> Thunk:
    only = sub(operands[0])

    def run(scope: Scope) -> bool:
        try:
            only(scope)
        except Missing:
            return False
        return True

    return run


def _shape(operands: list[Tree], sub: Sub) -> Thunk:
    only = sub(operands[0])
    return lambda scope: shape(only(scope))


def shape(value: Any) -> str:
    """The pattern of a text: runs of digits as `9`, of letters as `a` or `A`, all else as it is."""
    if not isinstance(value, str):
        return type(value).__name__
    if value.isascii():
        text = value[:200].translate(_KINDS)
        for run in _RUNS:
            while run in text:
                text = text.replace(run, run[0])
        return text
    out: list[str] = []
    for char in value[:200]:
        kind = "9" if char.isdigit() else "A" if char.isupper() else "a" if char.isalpha() else char
        if not out or out[-1] != kind or kind not in "9Aa":
            out.append(kind)
    return "".join(out)


_KINDS: Final = {
    **dict.fromkeys(map(ord, digits), "9"),
    **dict.fromkeys(map(ord, ascii_uppercase), "A"),
    **dict.fromkeys(map(ord, ascii_lowercase), "a"),
}
_RUNS: Final = ("99", "AA", "aa")


def _prefix(operands: list[Tree], sub: Sub) -> Thunk:
    only = sub(operands[0])
    return lambda scope: prefix(only(scope))


def prefix(value: Any) -> str:
    """What stands before the first digit of a text: the kind of thing that many ids spell out."""
    if not isinstance(value, str):
        raise Missing
    if value.isascii():
        found = _DIGIT.search(value)
        return value[: found.start()] if found else value
    for at, char in enumerate(value):
        if char.isdigit():
            return value[:at]
    return value


_DIGIT: Final = re.compile("[0-9]")


def _either(operands: list[Tree], sub: Sub) -> Thunk:
    """`either(a, b, ...)`: explanations that no example told apart; where they differ, nobody knows."""
    parts = [sub(o) for o in operands]

    def run(scope: Scope) -> Any:
        value = parts[0](scope)
        for part in parts[1:]:
            if not same_json(part(scope), value):
                raise NotKnown("two explanations differ here")
        return value

    return run


def _next(operands: list[Tree], _: Sub) -> Thunk:
    """`next(counter, before, width, after)`: the text of the counter's next number."""
    name, before = str(operands[0]), operands[1]
    width = int(operands[2]) if len(operands) > 2 else 0
    after = str(operands[3]) if len(operands) > 3 else ""

    def run(scope: Scope) -> Any:
        if scope.number is None:
            raise NotKnown("no counter here")
        number = scope.number(name)
        return number if before is None else f"{before}{number:0{width}d}{after}"

    return run


_BUILDERS: Final[dict[str, Callable[[list[Tree], Sub], Thunk]]] = {
    "const": _constant,
    "arg": _root(attrgetter("arg")),
    "old": _root(_before),
    "it": _root(attrgetter("it")),
    "by": _root(attrgetter("by")),
    "row": _row,
    "at": _at,
    "pick": build_pick,
    "object": _object,
    "list": _items,
    "map": build_map,
    "zip": build_zip,
    "filter": build_filter,
    "edit": build_edit,
    "concat": build_concat,
    "with": build_with,
    "keys": build_keys,
    "sort": build_sort,
    "either": _either,
    "sum": build_total,
    "len": build_length,
    **NUMBERS,
    "text": _text,
    "case": _case,
    "if": _if,
    "eq": _equal,
    "among": _among,
    "not": _not,
    "and": _and,
    "or": _or,
    "every": build_every,
    "exists": _exists,
    "shape": _shape,
    "prefix": _prefix,
    "member": build_member,
    "distinct": build_distinct,
    "next": _next,
}

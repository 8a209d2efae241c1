"""Parts: what answers told of records that nobody read, by learnt effects taken backwards.

Comes from examples of successful writes whose effect is known: where the effect takes a value from a record that was
never seen, the recorded answer shows that value. Goes into the world file with the calls that told it. A field of which
two answers tell different things is left out. Not here: learning effects (`effects`), using parts (`runtime.answers.base_rows`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from environments.runtime.document.records import KnownField
from environments.runtime.expr.evaluate import build
from environments.runtime.expr.gaps import UNSEEN, NoValueError, is_unknown, required
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.expr.trees import looks_at
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import is_whole, key_text, stable
from synth.world.actions.effects import distinct_first
from synth.world.actions.examples import Example
from synth.world.document import holds_withheld
from synth.world.model import ToolModel, Workbench


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValue:
    """One field of one record."""

    table: str
    key: str
    path: tuple[str, ...]
    value: Any


def learn_parts(bench: Workbench, examples: Mapping[str, Sequence[Example]]) -> None:
    """Fill `parts`: of a backend that lives on nothing, for what an answer told may not hold any more."""
    told: dict[tuple[str, str, tuple[str, ...]], _ToldField] = defaultdict(_ToldField)
    for name, tool in sorted(bench.tools.items()):
        if bench.living or not any(looks_at(tree, "row") for tree in _trees(tool)):
            continue
        for example in distinct_first([e for e in examples.get(name, ()) if not e.refused]):
            for fact in _of_example(tool, example):
                known = told[fact.table, fact.key, fact.path]
                known.values[stable(fact.value)] = fact.value
                known.by[name].add(example.seen.key)
    parts: dict[str, dict[str, list[KnownField]]] = defaultdict(lambda: defaultdict(list))
    for (table, key, path), known in sorted(told.items(), key=lambda item: item[0]):
        if len(known.values) > 1 or any(map(holds_withheld, (key, *known.values))):
            continue
        by = {name: len(calls) for name, calls in sorted(known.by.items())}
        (value,) = known.values.values()
        parts[table][key].append(KnownField(path=path, value=value, by=by))
    bench.parts = {
        table: {key: tuple(fields) for key, fields in rows.items()} for table, rows in parts.items()
    }


@dataclass(slots=True)
class _ToldField:
    """What answers told of one field of one record."""

    values: dict[str, Json] = field(default_factory=dict)
    """By their text."""
    by: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By tool, the calls that told it."""


def _trees(tool: ToolModel) -> Iterator[Tree]:
    for write in tool.writes:
        yield from write.set.values()
        if write.whole:
            yield write.whole
    if tool.answer is not None:
        yield tool.answer


def _of_example(tool: ToolModel, example: Example) -> Iterator[FieldValue]:
    """What one recorded answer tells; nothing where it does not show the record after the call."""
    shown, scope = example.seen.value, example.scope()
    if tool.answer not in (None, ["it"]):
        yield from _told_fields(tool.answer, scope, shown)
    if tool.answer != ["it"] or not tool.writes or not isinstance(shown, dict):
        return
    write = tool.writes[0]
    whole: Tree = write.whole or ["object", *map(list, write.set.items())]
    yield from _told_fields(whole, scope, shown)


def _value(tree: Tree, scope: Scope) -> Any:
    """The tree's value; raises `NoValueError`."""
    return required(build(tree)(scope))


def _told_fields(tree: Tree, scope: Scope, value: Any) -> Iterator[FieldValue]:
    """The fields of unseen records that make a tree give a value."""
    if not looks_at(tree, "row"):
        return
    if is_unknown(build(tree)(scope)):
        yield from _taken_apart(tree, scope, value)


def _taken_apart(tree: Tree, scope: Scope, value: Any) -> Iterator[FieldValue]:
    apart = _APART.get(tree[0])
    if apart is None:
        return
    # What a part hangs on may itself not be known, or the answer may look otherwise than the effect says.
    with suppress(NoValueError):
        yield from apart(tree, scope, value)


def _fields(tree: Tree, scope: Scope, value: Any) -> Iterator[FieldValue]:
    for name, inner, *_ in tree[1:]:
        if isinstance(value, dict) and name in value:
            yield from _told_fields(inner, scope, value[name])


def _items(tree: Tree, scope: Scope, value: Any) -> Iterator[FieldValue]:
    if isinstance(value, list) and len(value) == len(tree) - 1:
        for inner, item in zip(tree[1:], value, strict=True):
            yield from _told_fields(inner, scope, item)


def _appended(tree: Tree, scope: Scope, value: Any) -> Iterator[FieldValue]:
    start = _value(tree[1], scope)
    if isinstance(value, list) and value[: len(start)] == start:
        yield from _told_fields(tree[2], scope, value[len(start) :])


def _told_of_choice(tree: Tree, scope: Scope, value: Any) -> Iterator[FieldValue]:
    yield from _told_fields(tree[2] if _value(tree[1], scope) else tree[3], scope, value)


def _field(tree: Tree, scope: Scope, value: Any) -> Iterator[FieldValue]:
    row, path = (tree, []) if tree[0] == "row" else (tree[1], [_value(tree[2], scope), *tree[3:]])
    if row[0] != "row":
        return
    steps = [*row[3:], *path]
    key = key_text([_value(part, scope) for part in row[2]])
    if not steps or not all(isinstance(step, str) for step in steps):
        return
    if scope.row(row[1], key) is UNSEEN:
        yield FieldValue(table=row[1], key=key, path=tuple(steps), value=value)


def _elements(tree: Tree, scope: Scope, value: Any) -> Iterator[FieldValue]:
    """Element by element, each with what it was made of."""
    if not isinstance(value, list):
        return
    items = _value(tree[1], scope)
    triples: list[tuple[Any, Any, Any]] = []
    if tree[0] == "edit":
        keys, partners = _value(tree[3], scope), _value(tree[4], scope)
        for key, partner in zip(keys, partners, strict=False):
            at = [i for i, item in enumerate(items) if item.get(tree[2]) == key]
            # Of elements with one key, nobody knows which became which.
            if len(at) == 1 and at[0] < len(value):
                triples.append((items[at[0]], partner, value[at[0]]))
    elif len(items) == len(value):
        others = _value(tree[2], scope) if tree[0] == "zip" else [scope.by] * len(items)
        triples = list(zip(items, others, value, strict=False))
    before = _may_stay(scope.arg, scope.old)
    for item, partner, made in triples:
        if made in before:
            continue  # it may have stayed as it was: then nothing was looked up
        yield from _told_fields(tree[-1], scope.of_element(item, partner), made)


def _may_stay(given: Any, record: Any) -> list[Any]:
    """Records inside the record before; none where the call asks for another value of a field: then all are looked up."""
    if not isinstance(record, dict) or not isinstance(given, dict):
        return []
    if any(given.get(n, v) != v for n, v in record.items() if isinstance(v, str)):
        return []
    return [item for inner in record.values() if isinstance(inner, list) for item in inner]


def _number(tree: Tree, scope: Scope, value: Any) -> Iterator[FieldValue]:
    """The one operand that is not known; whole numbers only, for they alone have no rounding."""
    sides = [_or_none(part, scope) for part in tree[1:3]]
    dark = [at for at, side in enumerate(sides) if side is None]
    other = sides[1 - dark[0]] if len(dark) == 1 else None
    if not (is_whole(value) and is_whole(other)):
        return
    if tree[0] == "add":
        needed = value - other
    elif tree[0] == "sub":
        needed = value + other if dark[0] == 0 else other - value
    elif other and value % other == 0:
        needed = value // other
    else:
        return
    yield from _told_fields(tree[1 + dark[0]], scope, needed)


def _or_none(tree: Tree, scope: Scope) -> Any:
    value = build(tree)(scope)
    return None if is_unknown(value) else required(value)


_APART: Final[Mapping[str, Callable[[Tree, Scope, Any], Iterator[FieldValue]]]] = {
    "row": _field,
    "at": _field,
    "object": _fields,
    "list": _items,
    "map": _elements,
    "zip": _elements,
    "edit": _elements,
    "concat": _appended,
    "if": _told_of_choice,
    "add": _number,
    "sub": _number,
    "mul": _number,
}
"""How a value is traced back through an operation to the records it was made of."""

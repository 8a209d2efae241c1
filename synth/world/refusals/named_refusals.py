"""Refusals that name what they refuse: the same thing is refused again, whatever the reason is.

Comes from the examples of one tool; goes into its version spaces. A message whose changing words are all fields of one element of
an argument (or arguments themselves) is a fact about that thing: it is told again where the first element that was
never accepted is one that was refused. Not here: why it is refused (`explain`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Final

from environments.runtime.expr.scope import Tree
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import HOLE, stable
from synth.world.actions.examples import Example, evaluate, has_value
from synth.world.refusals.cases import Cases
from synth.world.refusals.messages import hole_words
from synth.world.refusals.version_space import RefusalSpace
from synth.world.support import SEEN_TWICE

MAX_FACTS: Final = 400
MAX_HOLES: Final = 3
MIN_TOLD: Final = SEEN_TWICE
"""Different refused calls of the class before its words are believed to name the thing."""


def named_refusals(cases: Cases) -> list[RefusalSpace]:
    """A version space for each class whose words name what is refused."""
    return [space for name in sorted(cases.bad) for space in _told_again(cases, name)]


def _told_again(cases: Cases, name: str) -> Iterator[RefusalSpace]:
    """That refusals of one class are repeated for the things that they named."""
    if HOLE not in name:
        return
    group = cases.bad[name]
    if len(cases.calls_of(name)) < MIN_TOLD:
        return
    words = hole_words(name, group)
    if not words or len(words) > MAX_HOLES:
        return
    signs = {(sign, e.seen.key) for sign, e in zip(zip(*words, strict=True), group, strict=True)}
    if len(signs) == len({sign for sign, _ in signs}):
        return  # nothing was refused twice: that it is refused again was never seen
    for list_name, fields in _naming(group, words):
        guard = _guard(cases, name, list_name, fields)
        if guard is not None:
            yield guard
            return


def _naming(group: list[Example], words: list[list[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Lists of records in the arguments, and the fields of theirs that fill the holes in order."""
    first = group[0].seen.arguments
    for list_name, items in first.items():
        if not isinstance(items, list) or not items or not isinstance(items[0], dict):
            continue
        texts = _always_given(group, list_name)
        if len(texts) != len(words):
            continue  # what the message leaves out may be what decides
        for fields in permutations(texts, len(words)):
            if all(
                _element_with(e, list_name, fields, [w[at] for w in words]) is not None
                for at, e in enumerate(group)
            ):
                yield list_name, fields


def _always_given(group: list[Example], list_name: str) -> list[str]:
    """The text fields that every element of every refused call has."""
    records = [item for e in group for item in _items(e, list_name)]
    names = [f for f, v in records[0].items() if isinstance(v, str)] if records else []
    return [f for f in names if all(f in r for r in records)]


def _element_with(
    example: Example, list_name: str, fields: tuple[str, ...], values: list[str]
) -> int | None:
    items = example.seen.arguments.get(list_name)
    if not isinstance(items, list):
        return None
    for at, item in enumerate(items):
        if isinstance(item, dict) and [item.get(f) for f in fields] == values:
            return at
    return None


def _guard(cases: Cases, name: str, list_name: str, fields: tuple[str, ...]) -> RefusalSpace | None:
    group = cases.bad[name]
    words = hole_words(name, group)
    refused = {stable(v): v for v in (list(row) for row in zip(*words, strict=True))}
    accepted = {
        stable(given): given
        for example in cases.good
        for item in _items(example, list_name)
        if (given := [item.get(f) for f in fields])
    }
    if refused.keys() & accepted.keys() or len(refused) + len(accepted) > MAX_FACTS:
        return None
    sign: Tree = ["list", *(["it", f] for f in fields)]
    first: Tree = [
        "at",
        ["filter", ["arg", list_name], ["not", ["among", sign, list(accepted.values())]]],
        ["const", 0],
    ]
    its_sign: Tree = ["list", *([*first, f] for f in fields)]
    holds: Tree = [
        "or",
        ["not", ["exists", first]],
        ["not", ["among", its_sign, list(refused.values())]],
    ]
    if not _only_breaks(cases, holds, name):
        return None
    return RefusalSpace(
        name=name,
        named=holds,
        message=_message(name, first, fields),
        says=name.replace(HOLE, "…"),
        support=len(cases.calls_of(name)),
        against=len(accepted),
        facts=len(refused),
        element=first,
        fields=fields,
    )


def _items(example: Example, list_name: str) -> list[dict[str, Json]]:
    items = example.seen.arguments.get(list_name)
    return [i for i in items if isinstance(i, dict)] if isinstance(items, list) else []


def _only_breaks(cases: Cases, holds: Tree, name: str) -> bool:
    """Whether the guard speaks for its own refusals and for no other call."""
    values = evaluate(holds, cases.scopes)
    mine = set(cases.index[name])
    own = sum(values[i] is False for i in mine)
    others = any(v is not True for i, v in enumerate(values) if i not in mine)
    known = all(map(has_value, values))
    return known and not others and own * 2 > len(mine)


def _message(name: str, first: Tree, fields: tuple[str, ...]) -> Tree:
    pieces = name.split(HOLE)
    out: list[Tree] = [pieces[0]]
    for field, piece in zip(fields, pieces[1:], strict=True):
        out.extend(([*first, field], piece))
    return ["text", *(p for p in out if p != "")]

"""Fields that are called like operations of the language (`case`, `sum`, `old`): names are data, and change no answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from typing import Any

from benchmarks.testbeds.invented.attempts import Attempt, Made, attempts, episode
from benchmarks.testbeds.invented.office.agenda_tasks import AGENDA
from benchmarks.worlds.unseen import asked_in_form
from environments.runtime.expr.evaluate import OPERATIONS
from environments.runtime.expr.trees import operands_of, with_operands


def keys(value: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    """All names of fields."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from keys(inner)


def renamed(value: Any, names: dict[str, str]) -> Any:  # noqa: ANN401 - JSON
    """The same with other names of fields."""
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    if isinstance(value, dict):
        return {names.get(name, name): renamed(item, names) for name, item in value.items()}
    return value


def test_an_app_whose_fields_are_called_like_operations_is_learnt_as_any_other() -> None:
    """Every field has such a name, some the same name with a number."""
    whole = attempts(AGENDA, 0)
    told = [c for a in whole for c in a.calls if c.content.startswith("{")]
    own = sorted({k for c in told for v in (json.loads(c.content), c.arguments) for k in keys(v)})
    odd, plain = (_measured(whole, own, end) for end in ("", "field"))
    assert odd == plain


def _measured(whole: list[Attempt], own: list[str], end: str) -> list[Counter[str]]:
    """Verdicts where every field has the name of an operation with this end, from the second time on with a number."""
    numbers = Counter[str]()
    names = {}
    for name, operation in zip(own, cycle(OPERATIONS), strict=False):
        names[name] = f"{operation}{end}{numbers[operation] or ''}"
        numbers[operation] += 1

    def call(made: Made) -> Made:
        content = made.content
        if content.startswith(("{", "[")):
            content = json.dumps(renamed(json.loads(content), names))
        return replace(made, arguments=renamed(made.arguments, names), content=content)

    def formed(attempt: Attempt) -> Attempt:
        return replace(attempt, calls=tuple(map(call, attempt.calls)))

    _, found = asked_in_form(AGENDA, 0, formed, lambda a: episode(AGENDA, a))
    return [Counter(j.verdict for j in told.judged) for told in found]


def test_only_trees_are_walked() -> None:
    """Names, paths and values of cases are no trees."""
    tree = [
        "object",
        ["case", ["arg", "sum"]],
        ["old", ["case", ["arg", "it"], [[["it"], ["const", ["it"]]], [2, ["it", "x"]]]]],
        ["row", ["row", "t", [["arg", "a"], ["const", 1]], "it"], ["exists", ["arg", "b"]]],
    ]
    assert [part[0] for part in operands_of(tree)] == ["arg", "case", "row", "exists"]
    assert with_operands(tree, lambda part: part) == tree

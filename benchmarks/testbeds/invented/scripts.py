"""What people ask of an app, in words: a line for each goal, with the calls that a good agent would make for it.

    use_account $account; balance; withdraw amount=5|10
    convert $amount currency=?currencies; balance

A call is a tool's name and its arguments. A value is a word, a number, `true`, `false`, `null` or a text in quotes; `$name` is the value
that the script gave that name, and alone an argument called so; `*name` stands for all arguments of a record. `5|10` is one of these,
`?currencies` one of a named sequence, both drawn anew wherever they stand, in the order of the text. A value that is a function is asked
for when the call is made, with the answers so far; a name alone in place of a call is a whole call. A line that begins deeper than the first
goes on with the goal before it. A goal may have a name before its calls, `pays: balance; pay amount=5`.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from textwrap import dedent
from typing import Any

from benchmarks.testbeds.invented.backend import Call, Step

Json = Any
Given = list[tuple[str, Json]]
"""Arguments by name; under the name `*` a whole record."""


class Goals:
    """The goals of one app, read once."""

    def __init__(self, text: str) -> None:
        lines = re.sub(r"\n\s+", " ", dedent(text).strip()).splitlines()
        named = [re.fullmatch(r"(?:(\w+): )?(.*)", line) for line in lines]
        self._names = [one[1] for one in named if one]
        self._goals = [
            [_parts(call, r"\s") for call in _parts(one[2], ";")] for one in named if one
        ]

    def steps(self, rng: random.Random, **named: Json) -> list[list[Step]]:
        """The calls of every goal; raises `KeyError` where a name was not given a value."""
        return [[_step(call, rng, named) for call in goal] for goal in self._goals]

    def two(self, rng: random.Random, **named: Json) -> list[Step]:
        """The calls of two goals, one after the other; now and then the same goal twice."""
        goals = self.steps(rng, **named)
        return [*rng.choice(goals), *rng.choice(goals)]

    def some(self, rng: random.Random, **named: Json) -> list[Step]:
        """The calls of one to three goals that have names; some calls are left out, some made twice."""
        goals = dict(zip(self._names, self.steps(rng, **named), strict=True))
        chosen = rng.sample(sorted(goals), rng.randint(1, 3))
        steps = [step for name in chosen for step in goals[name]]
        return [s for s in steps if rng.random() > 0.1 for _ in range(1 + (rng.random() < 0.1))]


def _parts(text: str, between: str) -> list[str]:
    found = re.findall(rf'(?:"[^"]*"|[^"{between}])+', text)
    return [one.strip() for one in found if one.strip()]


def _step(call: Sequence[str], rng: random.Random, named: Mapping[str, Json]) -> Step:
    tool = _drawn(call[0], rng, named)
    if not isinstance(tool, str):
        return tool  # type: ignore[no-any-return]
    given: Given = []
    for one in call[1:]:
        if one[0] == "*":
            record = one[1:] if one[1] == "?" else f"${one[1:]}"
            given.append(("*", _drawn(record, rng, named)))
        elif one[0] == "$":
            given.append((one[1:], named[one[1:]]))
        else:
            name, _, value = one.partition("=")
            given.append((name, _drawn(value, rng, named)))
    if any(callable(value) for _, value in given):
        return lambda answers: _made(tool, given, answers)
    return _made(tool, given, ())


def _made(tool: str, given: Given, answers: Sequence[str]) -> Call:
    arguments: dict[str, Json] = {}
    for name, value in given:
        told: Json = value(answers) if callable(value) else value
        arguments |= told if name == "*" else {name: told}
    return tool, arguments


def _drawn(text: str, rng: random.Random, named: Mapping[str, Json]) -> Json:
    """One value out of those that a text offers."""
    values = _parts(text, "|")
    value = rng.choice(values) if len(values) > 1 else values[0]
    if value[0] == "$":
        return named[value[1:]]
    if value[0] == "?":
        return rng.choice(named[value[1:]])
    try:
        return json.loads(value)
    except ValueError:
        return value

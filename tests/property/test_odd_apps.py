"""No app stops a build, whatever the shapes of its definitions, arguments and results: every stage makes something of all of them."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import odd_apps
from tests.lending_desk import line
from tests.whole_way import Walked, walk

DESK = [
    line(number, good=good, attempt=attempt, day=attempt + 1)
    for number in range(4)
    for attempt, good in enumerate((True, False, True))
]


Parameters = dict[str, Any]
Change = Callable[[Parameters], Any]


def _each(change: Change) -> Change:
    """Change the schema of every argument."""

    def changed(parameters: Parameters) -> Parameters:
        properties = {name: change(schema) for name, schema in parameters["properties"].items()}
        return {**parameters, "properties": properties}

    return changed


DEFINED: dict[str, Change] = {
    "types as lists": _each(lambda _: {"type": ["string", "null"]}),
    "anyOf": _each(lambda schema: {"anyOf": [schema, {"type": "null"}]}),
    "a reference": lambda p: {**_each(lambda _: {"$ref": "#/$defs/Id"})(p), "$defs": {"Id": {"type": "string"}}},
    "a reference to itself": _each(lambda _: {"$ref": "#"}),
    "boolean schemas": _each(lambda _: True),
    "choices that are objects": _each(lambda _: {"enum": [{"a": 1}, None, 5]}),
    "no properties": lambda _: {"type": "object"},
    "properties that are a list": lambda p: {**p, "properties": sorted(p["properties"])},
    "a boolean for everything": lambda _: False,
    "nothing": lambda _: None,
}  # fmt: skip
TOLD: dict[str, Callable[[Any], Any]] = {
    "null": lambda _: None,
    "a bare number": lambda _: 5,
    "a bare list": lambda value: [value, value],
    "huge": lambda value: {**value, "text": "x y " * 5000},
    "digits": lambda value: {**value, "weeks": 10**400},
    "nested": lambda value: {**value, "inside": odd_apps.nested(70)},
    "no longer numbers": lambda value: {**value, "weeks": float("nan")},
    "nulls": dict.fromkeys,
}


def walked(lines: list[dict[str, Any]], *, formats: bool = False) -> Walked:
    """What the whole way makes of some lines, to every export where asked; raises what any stage raises."""
    with tempfile.TemporaryDirectory() as folder:
        return walk(lines, Path(folder), formats=formats)


@settings(max_examples=15)
@given(odd_apps.lines())
def test_an_app_of_odd_shapes_goes_the_whole_way(lines: list[dict[str, Any]]) -> None:
    """Types as lists, `anyOf`, `$ref`, boolean schemas, results that are null, bare, huge or nested, ids that come twice."""
    found = walked(lines)
    assert len(found.verified) == len(found.candidates)


@settings(max_examples=6)
@given(st.integers(0, 2**32))
def test_an_app_of_which_parts_became_odd_goes_the_whole_way(seed: int) -> None:
    """A real backend's recordings, where records, writes and refusals are known, with the same oddities at random places."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    found = walked(odd_apps.Mutator(dice).changed(DESK), formats=True)
    assert len(found.verified) == len(found.candidates)


def test_the_desk_itself_ends_in_tasks() -> None:
    """The way is the product's: without an oddity tasks are accepted at its end."""
    found = walked(DESK, formats=True)
    assert {task.status for task in found.verified} == {"accepted"}
    assert found.task_set is not None


@pytest.mark.parametrize("how", DEFINED)
def test_definitions_of_every_shape_cost_no_task(how: str) -> None:
    """What a definition says of arguments decides no less than that a tool can be called."""
    lines = deepcopy(DESK)
    for tool in (tool for each in lines for tool in each["tools"]):
        tool["function"]["parameters"] = DEFINED[how](tool["function"]["parameters"])
    assert {task.status for task in walked(lines).verified} == {"accepted"}


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("every", [1, 3])
def test_results_of_every_shape_go_the_whole_way(told: str, every: int) -> None:
    """Of one tool always, or of all tools now and then."""
    lines = deepcopy(DESK)
    results = [m for each in lines for m in each["messages"] if m["role"] == "tool"]
    for message in results[every - 1 :: every * 2]:
        message["content"] = json.dumps(TOLD[told](json.loads(message["content"])))
    assert len(walked(lines).candidates) == 4


def test_calls_with_the_same_id_go_the_whole_way() -> None:
    """Ids that every call of a conversation has."""
    text = json.dumps(DESK)
    for one in ("a", "b", "c"):
        text = text.replace(f'"id": "{one}"', '"id": "x"').replace(
            f'_call_id": "{one}"', '_call_id": "x"'
        )
    assert len(walked(json.loads(text)).candidates) == 4

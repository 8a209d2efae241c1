"""A damaged world file is refused in one sentence; what is no fault of its form is answered, and never a traceback."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest

from environments.runtime.document.world_file import BadWorldError, WorldDocument
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import calls_in, episode

WRONG: Final[tuple[Any, ...]] = (None, 7, "text", [], {}, True, [[]], [7, {}])
CALLS = [(name, args) for name, args, _ in calls_in(3, 9)]
Place = tuple[str | int, ...]


@cache
def learnt() -> str:
    """A world file of an invented workshop."""
    episodes = [episode(n, [*calls_in(n, 9)]) for n in range(24)]
    return json.dumps(learn_world(episodes, WorldSettings()).document.to_json())


def places(value: object, place: Place = ()) -> Iterator[Place]:
    """Where something stands in a JSON value; of lists and of tables of many rows the first two parts."""
    yield place
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())[: None if len(value) <= 12 else 2]
    elif isinstance(value, list):
        inner = list(enumerate(value[:2]))
    for key, part in inner:
        yield from places(part, (*place, key))


def damaged(place: Place, wrong: object) -> dict[str, Any]:
    """The world file with something else at a place."""
    document: dict[str, Any] = json.loads(learnt())
    target: Any = document
    for step in place[:-1]:
        target = target[step]
    target[place[-1]] = copy.deepcopy(wrong)
    return document


@pytest.mark.parametrize("at", range(len(WRONG)))
def test_a_damaged_world_file_is_one_sentence_or_answers(at: int) -> None:
    """At each place of the file."""
    refused = []
    for place in filter(None, places(json.loads(learnt()))):
        try:
            session = World.from_json(damaged(place, WRONG[at])).session()
        except BadWorldError as fault:
            refused.append(str(fault))
            continue
        for name, args in CALLS:
            session.call(name, args)
    assert refused
    assert not [one for one in refused if "\n" in one]


def test_a_part_of_a_key_that_is_no_expression_is_named() -> None:
    """Where in the file, so that a person finds it."""
    document = json.loads(learnt())
    name = next(name for name, tool in document["tools"].items() if tool.get("reads"))
    document["tools"][name]["reads"]["key"] = {"arg": "bike"}

    with pytest.raises(BadWorldError, match=rf"tools\.{name}\.reads\.key is not a list"):
        WorldDocument.from_json(document)

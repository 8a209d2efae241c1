"""World files are typed data: they come back as they were written, and a damaged one is refused in one sentence."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.runtime.document.world_file import BadWorldError, WorldDocument
from environments.runtime.task.attempt import ToolResult
from environments.runtime.values.canonical import canonical
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import workshop_episodes

KINDS = ("reset", "living")
CALLS = [
    ("show_bike", {"bike": "b1"}),
    ("paint", {"bike": "b1", "colour": "red"}),
    ("show_bike", {"bike": "b1"}),
    ("settings_of", {}),
]
OTHERS: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -1, 2.5, "", "x", [], {}, [[]], ["arg"], {"x": 1}]
)


@cache
def _written(kind: str) -> str:
    learnt = learn_world(workshop_episodes(40), WorldSettings(continuity=kind))
    return json.dumps(learnt.document.to_json())


def _place(data: st.DataObject, document: Any) -> tuple[Any, Any]:  # noqa: ANN401 - any JSON
    """Some object or list of a document, and a key in it: every level is as likely as any other."""
    at, key = document, data.draw(st.sampled_from(sorted(document)))
    while at[key] and isinstance(at[key], dict | list) and data.draw(st.integers(0, 3)):
        at = at[key]
        key = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
    return at, key


def _answers(world: World) -> list[ToolResult]:
    session = world.session(started_at=1)
    return [session.call(name, arguments) for name, arguments in CALLS]


@pytest.mark.parametrize("kind", KINDS)
def test_a_world_file_comes_back_as_it_was_written(kind: str) -> None:
    """Byte for byte, so its hash stands."""
    document = json.loads(_written(kind))
    found = WorldDocument.from_json(document)
    assert canonical(found.to_json()) == canonical(document)
    assert WorldDocument.from_json(found.to_json()) == found


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_damaged_world_file_is_refused_or_answers(data: st.DataObject) -> None:
    """Whatever stands in one place instead, or whatever is gone: one sentence, or a world that answers."""
    kind = data.draw(st.sampled_from(KINDS))
    document = json.loads(_written(kind))
    at, key = _place(data, document)
    if data.draw(st.booleans()):
        del at[key]
    else:
        at[key] = data.draw(OTHERS)
    said = _refusal(document)
    assert said is None or re.fullmatch(r"the world file [^\n]+", said)


def _refusal(document: Any) -> str | None:  # noqa: ANN401 - any JSON
    """Why a document is refused; None where its world answers."""
    try:
        world = World.from_json(document)
    except BadWorldError as fault:
        return str(fault)
    assert all(isinstance(answer, ToolResult) for answer in _answers(world))
    return None


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("format",), "9", "the world file has format '9'; this version reads '1'"),
        (("tools",), [], "the world file is damaged: tools is not an object"),
        (("tools", "paint", "kind"), 3, "the world file is damaged: tools.paint.kind is not a text"),
        (("tools", "paint", "text"), 1, "the world file is damaged: tools.paint.text is not true or false"),
        (("tools", "paint", "guards"), [{}], "the world file is damaged: tools.paint.guards[0] lacks holds"),
        (
            ("tools", "paint", "answer"),
            ["shout"],
            "the world file is damaged: tools.paint: ",
        ),
        (("recall", "risk"), -1, "the world file is damaged: recall.risk is no share of answers"),
    ],
)  # fmt: skip
def test_the_sentence_says_which_part_is_wrong(
    path: tuple[str, ...], value: object, says: str
) -> None:
    """Where it stands, and what is wrong with it."""
    document = at = json.loads(_written("reset"))
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    with pytest.raises(BadWorldError) as found:
        World.from_json(document)
    assert str(found.value).startswith(says)


def test_a_users_key_is_not_in_the_sentence() -> None:
    """Keys of rows may be somebody's; names of tools and fields are the developers'."""
    document = {"format": "1", "timeline": {"bike": {"versions": {"secret": [["x"]]}}}}
    with pytest.raises(BadWorldError) as found:
        World.from_json(document)
    assert (
        str(found.value)
        == "the world file is damaged: timeline.bike.versions[…][0][0] is not a whole number"
    )

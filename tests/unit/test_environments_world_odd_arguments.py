"""Arguments that no tool was made for: whatever text a policy sends, a world answers, and the run can be graded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from environments.runtime import TaskSet
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.values.literals import parse_json
from environments.runtime.world.world import World
from tests.environments_shop import call, world, write_shop

ODD = [
    '{"order_id": "o1", "note": 1e999}',
    '{"order_id": "o1", "note": -1e999}',
    '{"order_id": "o1", "note": NaN}',
    '{"order_id": "o1", "note": Infinity}',
    '{"order_id": "o1", "note": %s}' % ("9" * 400),
    '{"order_id": "o1", "note": %s}' % ("9" * 5000),
    '{"order_id": "o1", "note": "\\ud800"}',
    '{"order_id": ' + "[" * 3000 + '"o1"' + "]" * 3000 + "}",
    '{"order_id": "o1", "order_id": "o2"}',
    "[]",
    "\x00",
]


@pytest.mark.parametrize("arguments", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("tool", ["get_order", "cancel_order", "hand_over", "no_such_tool"])
def test_no_arguments_break_a_world(tool: str, arguments: str, tmp_path: Path) -> None:
    """Reads, writes, acts and strange tools answer, what follows is answered, and there is a verdict."""
    session = World.from_json(world()).session()
    first = session.call(tool, arguments)
    assert first.content
    assert session.call("get_order", '{"order_id": "o3"}').content
    assert session.end_state() == session.fork().end_state()
    write_shop(tmp_path / "set")
    odd = call(tool, {})
    odd["tool_calls"][0]["function"]["arguments"] = arguments  # type: ignore[index,call-overload]  # JSON
    assert TaskSet.load(tmp_path / "set").grade("task1", [odd]).reward in {0.0, None}


def test_numbers_beyond_every_float_are_no_json() -> None:
    """`1e999` would be read as infinity, which no JSON can say: it stays text, as NaN does."""
    assert parse_json('{"a": 1e999}') is None
    assert parse_json("[-1e999]") is None
    kept = parse_json("[1e308, 0.1, -2.5e-3, 1e-999]")
    assert kept is not None
    assert json.dumps(kept.value) == "[1e+308, 0.1, -0.0025, 0.0]"
    answer = (
        World.from_json(world()).session().call("cancel_order", '{"order_id": "o1", "x": 1e999}')
    )
    assert answer.source == UNKNOWN

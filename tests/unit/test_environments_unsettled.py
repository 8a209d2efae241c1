"""Unknown calls in words: argument names and reasons, never a value."""

from __future__ import annotations

from environments.runtime.document.world_file import WORLD_FORMAT
from environments.runtime.world.world import World
from environments.unsettled_calls import (
    NO_ARGUMENTS,
    NOT_AN_OBJECT,
    OTHER,
    reason_of,
    settle,
    shape_of,
)


def test_a_shape_names_arguments_and_holds_no_value() -> None:
    """Arguments by name in order; broken and missing ones have a shape too."""
    assert shape_of('{"to": "Ann", "amount": 3}') == "with amount, to"
    assert shape_of("{}") == NO_ARGUMENTS
    assert shape_of("[1") == NOT_AN_OBJECT


def test_a_worlds_own_reason_is_settled_by_a_recording() -> None:
    """What the runtime says of a tool that nobody recorded has an advice of its own; what it never says has a general one."""
    empty = World.from_json({"format": WORLD_FORMAT})
    reason = reason_of(empty.session().call("fly", "{}").content)
    assert settle(reason) != OTHER
    assert settle("anything else") == OTHER
    assert reason_of("no JSON") == "no reason given"


def test_a_condition_is_cut_off() -> None:
    """What stands behind a colon may hold a recorded value."""
    notice = '{"error":"unknown","reason":"success was never seen under this condition: x is secret","tool":"t"}'
    assert "secret" not in reason_of(notice)

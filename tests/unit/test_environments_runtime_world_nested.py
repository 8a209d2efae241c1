"""Nested records that only a session's own rows hold."""

from __future__ import annotations

from environments.runtime.answers.nested_tables import load_nested
from environments.runtime.document.codec import decode_all
from environments.runtime.document.records import NestedPart
from environments.runtime.task.attempt import Json
from environments.runtime.world.state import State

BASE: dict[str, dict[str, Json]] = {
    "crate": {'["c1"]': {"crate": "c1", "pots": [{"pot": "p1", "glaze": "blue"}]}}
}
RECIPE = {
    "crate/pots/pot": {
        "key": ["pot"],
        "sources": [{"table": "crate", "path": ["pots", "*"], "key": ["pot"]}],
    }
}


def _state() -> State:
    return State(BASE, load_nested(decode_all(NestedPart, RECIPE), BASE))


def test_a_record_inside_a_row_of_the_start_is_found() -> None:
    """A crate that only this task starts with has pots that the base never held."""
    state = _state()
    state.begin({"crate": {'["c2"]': {"crate": "c2", "pots": [{"pot": "p9", "glaze": "red"}]}}}, {})
    assert state.lookup("crate/pots/pot", '["p9"]') == {"pot": "p9", "glaze": "red"}
    assert state.lookup("crate/pots/pot", '["p1"]') == {"pot": "p1", "glaze": "blue"}


def test_two_rows_that_say_different_things_say_nothing() -> None:
    """One pot with two glazes in two crates: nobody knows which."""
    state = _state()
    for crate, glaze in (("c2", "red"), ("c3", "green")):
        row: Json = {"crate": crate, "pots": [{"pot": "p9", "glaze": glaze}]}
        state.put(("crate", f'["{crate}"]'), row, None)
    assert state.lookup("crate/pots/pot", '["p9"]').reason == "never seen"
    assert state.lookup("crate/pots/pot", '["p8"]').reason == "never seen"

"""Tools that write journals: numbers, records inside sentences, entries that only a look shows. Call logs in, answers out."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.views.record_literals import close_records, open_records
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

Made = tuple[str, dict[str, Any] | str, str]
SHIPS = [f"SH-{20 + number}" for number in range(14)]


def _show(ship: str) -> Made:
    return "get_ship", {"ship": ship}, json.dumps({"ship": ship, "berth": f"B{ship[-1]}"})


def _number(ship: str, at: int) -> Made:
    """A journal that numbers its entries; no look shows them."""
    told = {"entry": f"JR-{100 + at}", "ship": ship, "kind": "arrival"}
    return "add_entry", {"ship": ship, "kind": "arrival"}, json.dumps(told)


def _note(name: str, text: str) -> Made:
    told = {"ok": True, "note": {"name": name, "said": text}}
    return "create_note", {"name": name, "text": text}, json.dumps(told)


def _read(name: str, text: str) -> Made:
    return "get_note", {"name": name}, text


def _price(ship: str, was: float, now: float, why: str, *, top: float | None = None) -> Made:
    given = {"ship": ship, "was": was, "now": now, "why": why} | (
        {} if top is None else {"top": top}
    )
    record = {"id": f"P-{ship}", "ship": ship, "was": was, "now": now, "top": top, "why": why}
    told = {"status": "success", "message": f"New price was added: {record}"}
    return "add_price", given, json.dumps(told)


def _answers(log: list[list[Made]], *calls: Made) -> list[ToolResult]:
    made = [episode(number, one) for number, one in enumerate(log)]
    world = World.from_json(learn_world(made, WorldSettings()).document.to_json())
    session = world.session({})
    return [session.call(name, json.dumps(given)) for name, given, _ in calls]


def _is_right(told: ToolResult, made: Made) -> bool:
    return told.source != UNKNOWN and json.loads(told.content) == json.loads(made[2])


def test_a_number_counts_the_calls_before_it_recorded_ones_too() -> None:
    """The first entry of a session is answered from a recording, the second has the next number."""
    log = [
        [_show(a), _show(b), _number(a, 1), _number(b, 2), _number(a, 3)]
        for a, b in pairwise(SHIPS)
    ]
    calls = [_show(SHIPS[2]), _number(SHIPS[2], 1), _number(SHIPS[9], 2), _number(SHIPS[2], 3)]
    assert all(map(_is_right, _answers(log, *calls), calls))


def test_what_a_writer_makes_shows_in_a_look_alone() -> None:
    """The look shows a text, the writer's answer is another record: a new note is read as it was written."""
    words = ["Fender lost", "Pilot late", "Fuel short", "Crew ill", "Engine warm", "Fog ahead"]
    notes = [(f"note-{60 + at}", word) for at, word in enumerate(words)]
    lacking = _read("note-90", json.dumps({"error": "No note note-90."}))
    log = [[_note(name, text), _read(name, text), lacking] for name, text in notes]
    make = _note("note-60", "Pilot late")
    made, read = _answers(log, make, _read("note-60", "Pilot late"))
    assert _is_right(made, make)
    assert read.content == "Pilot late"
    assert _answers(log, make, _note("note-60", "Crew ill"))[1].source == UNKNOWN


def test_a_record_inside_a_sentence_is_answered_for_values_that_nobody_gave() -> None:
    """Amounts keep their decimal point, what is left out is None, quotes are Python's."""
    log = [
        [_price(ship, 100.0 * at, 110.0 * at, f"review {at}", top=None if at % 3 else 500.0)]
        for at, ship in enumerate(SHIPS * 20, start=1)
    ]
    made = _price(SHIPS[3], 990.0, 1080.0, "the captain's wish")
    (told,) = _answers(log, made)
    assert told.content == made[2]


@drawn(
    st.dictionaries(
        st.text(min_size=1),
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
        min_size=1,
    ),
    st.text(),
    st.text(),
    st.sampled_from([repr, json.dumps]),
)
def test_any_sentence_with_a_record_comes_back_byte_for_byte(
    record: dict[str, Any], before: str, after: str, write: Callable[[object], str]
) -> None:
    """Whatever is in it or stands around it, alone or as a text of a JSON record in three layouts."""
    said = f"{before}{write(record)}{after}"
    for text in (said, json.dumps({"message": said, "n": 1}), json.dumps([said])):
        assert close_records(open_records(text), frozenset()) == text


@pytest.mark.parametrize("text", ["{'a': 1}", "[1, 2]", "a {b} c", "a {'b", '{"a": "b {c}"}', ""])
def test_texts_without_a_record_inside_stay(text: str) -> None:
    """Braces of other kinds, and what is nothing but a record."""
    assert open_records(text) == text

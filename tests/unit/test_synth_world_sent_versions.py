"""What a call says of the record it means: its key under another name, its version, and calls that were refused before."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from typing import Any

import pytest

from benchmarks.testbeds.invented.attempts import attempts, episode
from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.invented.devices.campus_tasks import CAMPUS
from benchmarks.testbeds.invented.devices.mobile import MOBILE
from benchmarks.testbeds.invented.office.agenda_tasks import AGENDA
from benchmarks.testbeds.invented.trade.billing_tasks import BILLING
from environments.runtime.task.attempt import UNKNOWN, ToolResult
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanStep
from synth.worlds import WorldSettings, learn_world
from tests.unit.clean_seasons import call_and_result, conversation, world_from

STYLES = {style.name: style for style in (AGENDA, BILLING, CAMPUS, MOBILE)}


@lru_cache
def _document(name: str, seed: int) -> dict[str, Any]:
    style: Style = STYLES[name]
    kept = [episode(style, one) for one in attempts(style, seed) if one.number < 2]
    return learn_world(kept, WorldSettings(risk=0)).document.to_json()


def _told(name: str, seed: int, *calls: tuple[str, dict[str, Any]]) -> list[ToolResult]:
    session = World.from_json(_document(name, seed)).session({})
    return [session.call(tool, arguments) for tool, arguments in calls]


def _seats(subscription: str, quantity: int, version: int) -> tuple[str, dict[str, Any]]:
    given = {"subscription": subscription, "quantity": quantity, "if_version": version}
    return "update_subscription", given


def test_a_record_is_named_by_the_argument_that_repeats_its_key() -> None:
    """`quantity` stands in the answer under its own name, `subscription` as `id`: the second is the key."""
    tool = _document("billing", 98)["tools"]["update_subscription"]
    assert [write["key"] for write in tool["writes"]] == [[["arg", "subscription"]]]
    assert not any(write.get("creates") for write in tool["writes"])


def test_a_number_that_always_rose_by_one_is_not_set_to_what_it_was() -> None:
    """All recorded updates made version 1 into 2: after another one nobody is told 2 again."""
    first, second = _told("billing", 98, _seats("sub_612", 6, 1), _seats("sub_612", 6, 2))
    assert json.loads(first.content)["version"] == 2
    assert second.source == UNKNOWN


def test_a_version_that_is_not_the_records_own_is_never_told_to_be_taken() -> None:
    """Every success sent the version that the record had; a call with another one is unknown."""
    right, wrong = _seats("sub_611", 13, 1), _seats("sub_611", 13, 3)
    assert _told("billing", 93, right)[0].source != UNKNOWN
    assert _told("billing", 93, wrong)[0].source == UNKNOWN


def test_what_was_refused_whenever_it_was_made_is_not_told_to_succeed() -> None:
    """Two seats of a plan sold from three on were always refused, for a reason that nobody found."""
    other = _seats("sub_612", 2, 1)
    assert _told("billing", 98, other, _seats("sub_611", 2, 1))[1].source == UNKNOWN


def test_a_reason_found_in_few_calls_does_not_explain_a_refusal() -> None:
    """A room was taken whenever it was asked for, for another hour at that: no success is told for the first hour."""
    taken, free = (("seat", {"event": "ev43", "room": room}) for room in ("Birch", "Cedar"))
    assert _told("agenda", 40, taken)[0].source == UNKNOWN
    assert _told("agenda", 40, free)[0].source != UNKNOWN


@pytest.mark.parametrize(("date", "known"), [("2026-05-05", True), ("2026-05-06", False)])
def test_two_arguments_that_a_refusal_names_go_together(date: str, known: bool) -> None:
    """Another tool was refused as an event `does not take place on` a day: only days that were taken are told."""
    said = _told("agenda", 94, ("skip", {"event": "ev42", "date": date}))
    assert (said[0].source != UNKNOWN) is known


def test_what_is_put_into_an_empty_list_inside_a_record_may_come_beside_another() -> None:
    """A day skipped was always the first one: what the record says after a second one is unknown."""
    days = [("skip", {"event": "ev42", "date": f"2026-05-{day}"}) for day in ("05", "19")]
    first, second = _told("agenda", 94, *days)
    assert first.source != UNKNOWN
    assert second.source == UNKNOWN


def test_nothing_to_take_back_is_not_told_after_who_changes_things() -> None:
    """Asking a guest was never tried before taking back, and is known to change events."""
    assert _told("agenda", 95, ("back", {}))[0].source != UNKNOWN
    asked = ("guest", {"event": "ev43", "name": "tova"})
    assert _told("agenda", 95, asked, ("back", {}))[1].source == UNKNOWN


def test_a_record_is_shown_to_its_own_only_where_a_refusal_names_both() -> None:
    """`Line … does not belong to customer …` of one tool says of another one whose lines it shows."""
    own, other = ({"customer_id": c, "line_id": "L2003"} for c in ("C1002", "C1001"))
    assert _told("mobile", 0, ("get_data_usage", own))[0].source != UNKNOWN
    assert _told("mobile", 0, ("get_data_usage", other))[0].source == UNKNOWN


def test_a_word_of_few_is_withheld_from_another_call() -> None:
    """Ten calls gave three rooms, and none was refused: of a fourth room nobody knows."""
    episodes = []
    for number in range(5):
        rng = random.Random(f"halls {number}")  # noqa: S311 - dice
        rooms: dict[str, str | None] = {f"EV-{n}": None for n in range(6)}
        steps: list[CleanStep] = []
        for at in range(2):
            event, room = rng.choice([*rooms]), rng.choice(["Oak", "Pine", "Fir"])
            before = json.dumps({"event": event, "room": rooms[event]})
            rooms[event] = room
            after = json.dumps({"event": event, "room": room})
            steps += call_and_result(3 * at, "event", {"event": event}, before)
            steps += call_and_result(3 * at + 1, "seat", {"event": event, "room": room}, after)
            steps += call_and_result(3 * at + 2, "event", {"event": event}, after)
        episodes.append(conversation("halls", number, steps))
    halls = world_from(episodes)
    for room, known in (("Fir", True), ("Firx", False)):
        told = halls.session().call("seat", {"event": "EV-3", "room": room})
        assert (told.source != UNKNOWN) is known


def test_what_was_taken_out_of_a_record_was_named_by_it_before() -> None:
    """A section in the bin stands in its course no longer: who put it there does not leave courses alone."""
    look = ("get_course", {"code": "HI150"})
    gone = ("bin_section", {"section": "HI150-A", "actor": "registrar"})
    told = _told("campus", 94, look, gone, look)
    assert told[0].source != UNKNOWN
    assert told[2].source == UNKNOWN or "HI150-A" not in told[2].content

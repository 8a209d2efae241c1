"""Names that stand in the place of one another: whoever tells another one at the end told something wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.recordings.attempt import record
from synth.recordings.vocabularies import told_names, vocabularies_of
from tests.unit.graded_attempts import score

THERAPISTS = ("Brandt", "Adler", "Sommer")


def booked(number: int, therapist: str, note: str = "", said: str = "") -> CleanEpisode:
    """An episode that books a therapist and tells so."""
    call = CleanToolCall(
        call_id="c",
        name="book",
        arguments=json.dumps({"patient": f"P-{number}", "with": therapist, "note": note}),
    )
    steps = (
        CleanStep(role="user", content="Please book."),
        CleanStep(role="assistant", tool_calls=(call,)),
        CleanStep(role="tool", call_id="c", content=json.dumps({"state": "DONE", "room": "Lake"})),
        CleanStep(role="assistant", content=said or f"Booked with {therapist}."),
    )
    return CleanEpisode(
        app="practice",
        episode_id=f"e{number}",
        started_at=1,
        task_key=f"t{number}",
        tools=(),
        steps=steps,
    )


def vocabulary(*names: str) -> list[frozenset[str]]:
    """What tasks one after the other make, each with a therapist."""
    notes = [f"Note {chr(ord('a') + n)} of somebody, number {n}" for n in range(len(names))]
    both = zip(names, notes, strict=True)
    return list(vocabularies_of([[record(booked(n, *one))] for n, one in enumerate(both)]))


def test_names_of_one_argument_are_a_vocabulary() -> None:
    """Three therapists who come again; two alone, words in small letters and free texts are none."""
    assert vocabulary(*THERAPISTS * 3) == [frozenset(THERAPISTS)]
    assert vocabulary(*THERAPISTS[:2] * 3) == []
    assert vocabulary(*(name.lower() for name in THERAPISTS * 3)) == []


def test_names_with_initials_marks_and_letters_of_docks_are_a_vocabulary() -> None:
    """A name has initials or an ampersand, a dock one letter; what is a word of its own in some language is none."""
    for names in (("J. Marlow", "P. Tench", "S. Adeyemi"), ("Ash & Sons", "Bay Autos", "Cole")):
        assert vocabulary(*names * 3) == [frozenset(names)]
    assert vocabulary(*("N", "S", "W") * 3) == [frozenset("NSW")]
    assert vocabulary(*("A", "I", "E") * 3) == []


def test_names_that_every_task_brings_anew_are_told_apart_while_there_are_few() -> None:
    """Another customer's name is as wrong as another room's; of very many the first count, so that the next one changes no grader."""
    customers = [f"{chr(65 + n // 26)}da{'n' * (n % 26)} Holm" for n in range(80)]
    assert vocabulary(*customers[:9]) == [frozenset(customers[:9])]
    assert vocabulary(*customers[:70]) == vocabulary(*customers) == [frozenset(customers[:60])]


def test_columns_of_rows_without_names_are_places() -> None:
    """A tool may answer with rows of values: what stands at one place of them is of one kind."""
    rows = json.dumps([["R-1", "Heron", 4], ["R-2", "Wren", 2], ["R-3", "Teal", 8]])
    call = CleanToolCall(call_id="c", name="list_rooms", arguments="{}")
    steps = (
        CleanStep(role="user", content="Which rooms?"),
        CleanStep(role="assistant", tool_calls=(call,)),
        CleanStep(role="tool", call_id="c", content=rows),
    )
    episode = replace(booked(1, "Brandt"), steps=steps)
    assert vocabularies_of([[record(episode)]]) == [frozenset({"Heron", "Wren", "Teal"})]


def test_what_is_said_after_the_last_call_counts() -> None:
    """A name stands by itself: `Adlers` is none."""
    attempt = record(booked(1, "Adler", said="With Adler, not in Sommers room.")).attempt
    assert told_names(View(attempt).stated, THERAPISTS) == {"Adler"}


@pytest.mark.parametrize(
    ("said", "paid"),
    [
        ("Booked with Brandt.", 1.0),
        ("Booked with Brandt instead of Adler.", 1.0),
        ("Done, see you then!", 1.0),
        ("Booked with Adler.", 0.0),
        ("Booked, and the adler flies.", 1.0),
    ],
)
def test_another_name_in_the_place_of_the_right_one_is_not_paid(said: str, paid: float) -> None:
    """Who names nobody, or the right one too, told nothing wrong."""
    args: dict[str, Json] = {"right": ["Brandt"], "others": ["Adler", "Sommer"]}
    check = Check(check_id="c", fn="closing_words", args=args)
    assert score(check, record(booked(1, "Brandt", said=said)).attempt) == paid

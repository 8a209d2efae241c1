"""Texts that agents word themselves: a world answers any wording as it answers the recorded one, and searches stay searches."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.runtime.sessions.prose import (
    name_without_prose,
    reworded,
    said_again,
    text_at,
    with_texts,
)
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.session import Session
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep
from tests.unit.clean_seasons import call_and_result, conversation, world_from

NOTES = (
    "Pump replaced, runs well again.",
    "Filter was dirty, cleaned it today.",
    "Customer wants a call before the visit.",
    "Nothing found, noise is gone.",
    "Ordered two seals for the valve.",
    "Door code changed by the owner.",
)
THRICE = 3
TITLES = ("Leaking tap in the hall", "Cold radiator on the stairs", "Broken lamp near the door")


def season(*, nested: bool = False) -> list[CleanEpisode]:
    """Caretakers find jobs by their title and leave notes, which are shown again; all of it thrice, from the same start."""
    out = []
    for turn, note in enumerate(NOTES * THRICE):
        number = turn % len(NOTES)
        job, title = f"J-{30 + number}", TITLES[number % len(TITLES)]
        text: dict[str, Any] = {"entry": {"text": note}} if nested else {"text": note}
        kept = {"note_id": f"N-{70 + number}", "job": job, "text": note}
        found = {"title": title, "jobs": [f"J-{number % len(TITLES)}"]}
        out.append(
            conversation(
                "house",
                turn,
                [
                    CleanStep(role="user", content=f"Please say on {job} what was done."),
                    *call_and_result(0, "find_jobs", {"title": title}, json.dumps(found)),
                    *call_and_result(1, "add_note", {"job": job, **text}, json.dumps(kept)),
                    *call_and_result(2, "get_note", {"note_id": kept["note_id"]}, json.dumps(kept)),
                ],
            )
        )
    return out


@pytest.fixture(scope="module")
def world() -> World:
    """Learnt, and read again as a file."""
    return world_from(season())


def add(text: str, job: str = "J-31") -> str:
    """The arguments of a note."""
    return json.dumps({"job": job, "text": text})


def begun(world: World, number: int = 1) -> Session:
    """A session that went as far as the recorded ones before their note."""
    session = world.session()
    session.call("find_jobs", json.dumps({"title": TITLES[number % len(TITLES)]}))
    return session


def test_a_note_in_other_words_is_answered_and_shown_again_in_them(world: World) -> None:
    """The answer and a later look hold what was sent, not what was recorded."""
    session = begun(world)
    said = "I cleaned the filter, which was dirty."
    answer = session.call("add_note", add(said))
    assert json.loads(answer.content) == {"note_id": "N-71", "job": "J-31", "text": said}
    shown = session.call("get_note", json.dumps({"note_id": "N-71"}))
    assert json.loads(shown.content)["text"] == said


def test_a_wording_that_quotes_the_recorded_one_stands_once(world: World) -> None:
    """What is put in is not replaced again."""
    said = f"As agreed: {NOTES[1]} Best wishes"
    answer = begun(world).call("add_note", add(said))
    assert json.loads(answer.content)["text"] == said


def test_the_end_holds_what_was_sent(world: World) -> None:
    """Whoever compares ends sees that another text was written."""
    recorded, other = begun(world), begun(world)
    recorded.call("add_note", add(NOTES[1]))
    other.call("add_note", add("The boiler exploded."))
    assert "The boiler exploded." in str(other.end_state())
    assert NOTES[1] not in str(other.end_state())
    assert recorded.end_state() != other.end_state()


def test_a_search_in_other_words_is_not_answered_alike(world: World) -> None:
    """Its answer hangs on the words."""
    assert "find_jobs" not in world.prose
    asked = world.session().call("find_jobs", json.dumps({"title": "Wet carpet in the attic"}))
    assert asked.source == UNKNOWN


def test_a_note_on_a_job_that_nobody_knows_stays_unknown(world: World) -> None:
    """Only the wording is free."""
    known = begun(world).call("add_note", add(NOTES[1], job="J-99"))
    other = begun(world).call("add_note", add("Something else was done.", job="J-99"))
    assert known.source == other.source == UNKNOWN


def test_an_empty_note_is_no_wording(world: World) -> None:
    """A backend may refuse it."""
    assert begun(world).call("add_note", add("  ")).source == UNKNOWN


def test_one_recorded_text_stands_for_one_sent_text_only(world: World) -> None:
    """Else a later look could not say which of the two is shown."""
    session = begun(world)
    session.call("add_note", add("One thing was done."))
    again = session.call("add_note", add("Another thing was done."))
    assert again.source == UNKNOWN or "Another thing was done." in again.content


def test_sessions_that_fork_keep_their_own_words(world: World) -> None:
    """What one says later does not show in the other."""
    session = begun(world)
    session.call("add_note", add("Cleaned the dirty filter."))
    other = session.fork()
    other.call("add_note", add("Two seals are on their way.", job="J-34"))
    shown = session.call("get_note", json.dumps({"note_id": "N-71"}))
    assert json.loads(shown.content)["text"] == "Cleaned the dirty filter."
    assert "seals" not in str(session.end_state())


def test_a_text_inside_an_object_is_free_as_well() -> None:
    """Wherever in the arguments it stands."""
    nested = world_from(season(nested=True))
    asked = {"job": "J-31", "entry": {"text": "Cleaned the filter."}}
    answer = begun(nested).call("add_note", json.dumps(asked))
    assert json.loads(answer.content)["text"] == "Cleaned the filter."


def test_codes_that_come_again_are_no_prose() -> None:
    """Three states in several words: another one is not another wording."""
    states = ("waiting for the owner", "done and paid for", "put off for now")
    episodes = [
        conversation(
            "house",
            n,
            [
                CleanStep(role="user", content="Set it."),
                *call_and_result(0, "set_state", {"job": f"J-{n}", "state": states[n % 3]}, '"ok"'),
            ],
        )
        for n in range(9)
    ]
    assert "set_state" not in world_from(episodes).prose


def test_texts_that_a_tool_had_shown_are_no_prose() -> None:
    """Who takes a title over from a list names a record."""
    episodes = []
    for number, title in enumerate((*TITLES, *NOTES)):
        listed = json.dumps([{"title": title}])
        episodes.append(
            conversation(
                "house",
                number,
                [
                    CleanStep(role="user", content="Close mine."),
                    *call_and_result(0, "list_jobs", {"owner": f"O-{number}"}, listed),
                    *call_and_result(1, "close_job", {"title": title}, '"closed"'),
                ],
            )
        )
    assert "close_job" not in world_from(episodes).prose


def test_a_text_that_a_refusal_names_is_no_prose() -> None:
    """The backend looked for it."""
    episodes = []
    for number, text in enumerate(NOTES):
        refused = number % 2
        content = f"Error: no room called {text}" if refused else '{"booked": true}'
        episodes.append(
            conversation(
                "house",
                number,
                [
                    CleanStep(role="user", content="Book it."),
                    *call_and_result(0, "book_room", {"day": f"D-{number}", "room": text}, content),
                ],
            )
        )
    assert "book_room" not in world_from(episodes).prose


TEXT = st.text(max_size=30).map("Q{}Q".format)


@settings(max_examples=60, deadline=None)
@given(old=TEXT, new=TEXT, ascii_only=st.sampled_from([True, False]))
def test_whatever_is_said_stands_where_the_recorded_text_stood(
    old: str,
    new: str,
    ascii_only: bool,
) -> None:
    """In JSON of either spelling the result is the same object with the other text."""
    content = json.dumps({"note": f"<{old}>"}, ensure_ascii=ascii_only)
    assert json.loads(said_again(content, {old: new})) == {"note": f"<{new}>"}


@settings(max_examples=60, deadline=None)
@given(
    text=st.text(min_size=1, max_size=30).filter(str.strip), as_text=st.sampled_from([True, False])
)
def test_a_text_that_was_put_in_is_found_there(text: str, as_text: bool) -> None:
    """Also in an object that was sent as JSON text; what stands beside stays."""
    inside: Any = {"note": "old words", "kind": 3}
    arguments = {"id": 1, "entry": json.dumps(inside) if as_text else inside}
    path = ("entry", "note")
    changed = with_texts(arguments, [path], [text])
    assert text_at(changed, path) == text
    assert name_without_prose(changed, [path]) == name_without_prose(arguments, [path])
    assert text_at(arguments, path) == "old words"
    assert text_at(reworded(changed, {text: "old words"}), path) == "old words"  # type: ignore[arg-type]


def test_a_note_whose_person_the_answer_names_is_no_prose() -> None:
    """`Ida Holm asked for it` closes the account of Ida Holm: in another's words the answer would name Ida Holm."""
    names = ("Ida Holm", "Per Aas", "Liv Dahl", "Jon Moe", "Siv Lie", "Odd Berg")
    episodes = [
        conversation(
            "desk",
            turn,
            call_and_result(
                0, "close_account", {"why": f"{name} asked for it"}, f"Account of {name} closed."
            ),
        )
        for turn, name in enumerate(names * THRICE)
    ]
    session = world_from(episodes).session()
    answer = session.call("close_account", {"why": "Eli Vik asked for it"})
    assert answer.source == UNKNOWN

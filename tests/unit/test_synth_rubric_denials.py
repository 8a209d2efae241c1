"""Answers that deny what was done or found: the right figures behind a `not` are wrong."""

from __future__ import annotations

import pytest

from environments.runtime.checks.view import View
from environments.runtime.values.denials import denies
from synth.recordings.attempt import record
from tests.unit.parcel_rubrics import FETCH, STOP, Line, derive, episode, reward

STOPPED: Line = ("say", "P-100 is stopped.")


@pytest.mark.parametrize(
    "text",
    [
        "P-100 is not stopped.",
        "It isn't stopped; the parcel is on its way.",
        "I could not do this. P-100",
        "No, the parcel P-100 was sent.",
        "Nothing has been changed: P-100.",
        "P-100 wurde nicht angehalten.",
        "Le colis n'est pas arrêté.",
        "No se detuvo el paquete.",
        "包裹没有停下。",
    ],
)
def test_a_clause_with_a_word_for_not_denies(text: str) -> None:
    """In the words of some languages, with any apostrophe."""
    assert denies(text)
    assert denies(text.replace("'", "\u2019"))


@pytest.mark.parametrize(
    "text",
    [
        "P-100 is stopped.",
        "No problem, P-100 is stopped. Please don't hesitate to ask!",
        "P-100 is stopped. If it does not come back, write again.",
        "Is that not what you wanted?",
        "Nothing else was changed. You don't need to do anything.",
        "It arrives no later than 4 May.",
        "Not only P-100, P-200 is stopped too.",
        "A note, a notice and Nora.",
        "",
    ],
)
def test_courtesy_conditions_and_questions_deny_nothing(text: str) -> None:
    """What was said stands."""
    assert not denies(text)


@pytest.mark.parametrize(
    ("words", "paid"),
    [
        ("Parcel P-100 has been stopped, no problem.", 1.0),
        ("P-100 is stopped. I have not changed anything else, at no cost.", 1.0),
        ("P-100 is stopped. That can't be undone from here.", 1.0),
        ("P-100 is not stopped.", 0.0),
        ("I am afraid that nothing of P-100 was stopped.", 0.0),
    ],
)
def test_who_denies_what_resolved_attempts_tell_is_not_paid(words: str, paid: float) -> None:
    """The change is made, and the user hears the contrary; a true remark with a `not` about something else costs nothing."""
    derived = derive((episode("a", FETCH, STOP, STOPPED), True))
    assert reward(derived, episode("x", FETCH, STOP, ("say", words))) == paid


def test_an_id_is_one_word_however_many_numbers_it_has() -> None:
    """Who says that they did not close a ticket names it, and denies nothing that is told of it."""
    said = ("say", "P-100 is stopped; the ticket T-2026-0154 stays open.")
    derived = derive((episode("a", FETCH, STOP, said), True))
    words = "P-100 is stopped. I did not close T-2026-0154."
    assert reward(derived, episode("x", FETCH, STOP, ("say", words))) == 1.0


def test_where_a_resolved_attempt_denies_something_nothing_is_asked() -> None:
    """Its words say the same with a `not`."""
    denying = episode("b", FETCH, STOP, ("say", "P-100 is not sent."))
    derived = derive((episode("a", FETCH, STOP, STOPPED), True), (denying, True))
    assert not any(check.fn == "denies_nothing" for check in derived.rubric.checks)


@pytest.mark.parametrize(
    ("words", "declines"),
    [
        ("The fourteen days have passed, so it stays as it is.", True),
        ("That return is refused: too few are left.", True),
        ("It is too late to take it back.", True),
        ("It is done, as it was last time.", False),
    ],
)
def test_a_refusal_in_other_words_declines(words: str, declines: bool) -> None:
    """No word for `not` has to stand in it."""
    view = View(record(episode("x", FETCH, ("say", words))).attempt)
    assert view.declines is declines


def test_a_refusal_may_deny_in_other_words() -> None:
    """Nothing is done and nothing found out: any words that refuse will do."""
    derived = derive((episode("a", FETCH, ("say", "P-100 stays on its way.")), True))
    assert not any(check.fn == "denies_nothing" for check in derived.rubric.checks)

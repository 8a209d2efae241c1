"""Answers that deny what was done or found: the right figures behind a `not` are wrong."""

from __future__ import annotations

import pytest

from environments.runtime.values.denials import denies
from synth.recordings.attempt_facts import Facts
from synth.recordings.traits import traits_of
from synth.rubric.derive import Derived, derive_rubric
from tests.unit.parcel_rubrics import FETCH, STOP, Line, episode, facts, kinds_of, reward

STOPPED: Line = ("say", "P-100 is stopped.")
DENIED: Line = ("say", "P-100 is not going to be stopped.")


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
        "Not only P-100, P-200 is stopped too.",
        "A note, a notice and Nora.",
        "",
    ],
)
def test_courtesy_conditions_and_questions_deny_nothing(text: str) -> None:
    """What was said stands."""
    assert not denies(text)


def tasks(count: int, denied: int, alone: bool) -> Derived:
    """The last of some tasks with two resolved attempts each, of which one denies what the other tells at `denied` tasks."""
    kinds = kinds_of(episode("a", FETCH, STOP, STOPPED))

    def said(name: str, line: Line, key: int) -> Facts:
        return facts(episode(name, FETCH, STOP, line, key=f"k{key}"), True, kinds)

    groups = [
        [said(f"g{n}", STOPPED, n), said(f"h{n}", DENIED if n < denied else STOPPED, n)]
        for n in range(count)
    ]
    last = groups[-1][: 1 if alone else 2]
    return derive_rubric("t", last, traits_of(kinds, [*groups[:-1], last]))


def test_who_denies_what_resolved_attempts_tell_as_it_is_is_not_paid() -> None:
    """The change is made, and the user hears the contrary; who says it in other words is paid."""
    for words, paid in (
        ("Parcel P-100 has been stopped, no problem.", 1.0),
        ("P-100 is not stopped.", 0.0),
        ("I could not stop it. P-100 is stopped.", 0.0),
    ):
        attempt = episode("x", FETCH, STOP, ("say", words))
        assert reward(tasks(12, denied=0, alone=False), attempt) == paid


@pytest.mark.parametrize(
    ("count", "denied", "alone", "paid"),
    [(12, 0, True, 0.0), (12, 2, True, 1.0), (30, 3, False, 0.0), (3, 0, False, 1.0)],
)
def test_where_resolved_attempts_differ_more_of_them_have_to_agree(
    count: int, denied: int, alone: bool, paid: float
) -> None:
    """One is enough where hardly any denies what another tells, two where few do; a few tasks prove nothing."""
    denying = episode("x", FETCH, STOP, DENIED)
    assert reward(tasks(count, denied, alone), denying) == paid


def test_where_one_resolved_attempt_denies_nothing_is_asked() -> None:
    """Both are right."""
    derived = tasks(13, denied=13, alone=False)
    assert not any(check.fn == "denies_nothing" for check in derived.rubric.checks)

"""Consent: what asks for it, what is one, and which yes belongs to which write."""

from __future__ import annotations

from dataclasses import replace

import pytest

from environments.runtime.task.attempt import (
    Attempt,
    Json,
)
from environments.runtime.task.rubric import Check
from environments.runtime.values.consent import asks_consent
from tests.unit.graded_attempts import attempt, made, score


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Yes, go ahead.", 1.0),
        ("Sí, claro.", 1.0),
        ("Sure, the black one.", 1.0),
        ("No, wait.", 0.0),
        ("Don't do that yet.", 0.0),
        ("How much would that be?", 0.0),
        ("Sure, and can you send me a mail?", 1.0),
    ],
)
def test_a_user_who_agreed_before_each_write(answer: str, expected: float) -> None:
    """The policy asked before it wrote, and the user's answer did not refuse; in whatever words and language."""
    check = Check(check_id="c", fn="confirmed", args={"tools": ["put"]})
    talk: tuple[dict[str, Json], ...] = (
        {"role": "user", "content": "yes, hello"},
        {"role": "assistant", "content": "Shall I?"},
        {"role": "user", "content": answer},
        {"role": "assistant", "content": None},
    )
    assert score(check, Attempt(messages=talk, opening=1, calls=(made(message=3),))) == expected
    assert score(check, Attempt(messages=talk, opening=1, calls=(made(message=1),))) == 0.0
    assert score(check, attempt()) == 1.0


def test_a_yes_to_another_question_is_no_consent() -> None:
    """Only words that ask for consent can be agreed to."""
    check = Check(check_id="c", fn="confirmed", args={"tools": ["put"]})
    for question, expected in (("Shall I do it?", 1.0), ("Which e-mail is yours?", 0.0)):
        talk: tuple[dict[str, Json], ...] = (
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": question},
            {"role": "user", "content": "Yes."},
            {"role": "assistant", "content": None},
        )
        made_it = Attempt(messages=talk, opening=1, calls=(made(message=3),))
        assert score(check, made_it) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Which item would you like to exchange?",
        "And to which address should I send it?",
        "How can I help you?",
        "Please let me know how you would like to proceed.",
        "When shall we call you?",
        "Thank you. What is the correct e-mail, please?",
    ],
)
def test_a_question_for_a_value_asks_for_no_consent(question: str) -> None:
    """Which, what or how is answered with a value, although words of agreement stand in the question."""
    assert not asks_consent(question)


@pytest.mark.parametrize(
    "question",
    [
        "Do you confirm (yes/no)?",
        "Would you like me to cancel it, and which card is yours?",
        "What I have is this: one lamp, sent to Leeds. Is that correct?",
        "When you are ready, shall I go ahead?",
        "Is the address which you gave me right?",
        "What do you say, should I cancel it?",
        "Please confirm which of the two I may cancel.",
        "The refund is 40. Agreed?",
        "25 de noviembre. ¿De acuerdo?",
        "Quitar el recargo. ¿Lo hago?",
        "Ich storniere das Ticket. Einverstanden?",
        "C'est 12 euros. D'accord?",
        "Posso cancelar a reserva?",
    ],
)
def test_a_question_for_consent_beside_another_still_asks_for_it(question: str) -> None:
    """A clause of its own asks for consent; a relative one does not make it a question for a value."""
    assert asks_consent(question)


def told(*talk: str) -> float | None:
    """Whether a change is agreed to after this talk, which the policy begins."""
    check = Check(check_id="c", fn="confirmed", args={"tools": ["put"]})
    roles = ["assistant", "user"] * len(talk)
    messages: list[dict[str, Json]] = [{"role": "user", "content": "hello"}]
    messages += [{"role": r, "content": text} for r, text in zip(roles, talk, strict=False)]
    messages.append({"role": "assistant", "content": None})
    call = made(message=len(messages) - 1)
    return score(check, Attempt(messages=tuple(messages), opening=1, calls=(call,)))


@pytest.mark.parametrize("answer", ["Fine by me.", "Let's do that.", "Einverstanden.", "Tá ótimo!"])
def test_a_short_reply_to_a_question_agrees_in_any_words(answer: str) -> None:
    """Who says nothing else agrees; who asks, tells a figure or refuses does not, and a question for a value wants no yes."""
    assert told("A van for 45.12. Does that work for you?", answer) == 1.0
    assert told("Which e-mail is yours?", answer) == 0.0
    assert told("One moment.", answer) == 0.0
    for other in (
        "And the price?",
        "It is mbr-20422.",
        "No.",
        "I would rather have the small one on Sunday, if that is free.",
    ):
        assert told("A van for 45.12. Does that work for you?", other) == 0.0


def test_a_proposal_may_be_agreed_to_after_another_question() -> None:
    """The user asks something first, and agrees in the end."""
    asked = ("Does that work for you?", "What does it cost on a Sunday?", "It is 12 euros.")
    assert told(*asked, "Fine by me.") == 1.0
    assert told(*asked, "And on Monday?") == 0.0


def _asked(question: str, **args: Json) -> float | None:
    """The score of a change of item 7, after a question to which the user says yes."""
    check = Check(check_id="c", fn="confirmed", args={"tools": ["put"], **args})
    talk: tuple[dict[str, Json], ...] = (
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": question},
        {"role": "user", "content": "Yes."},
        {"role": "assistant", "content": None},
    )
    changed = replace(made(message=3), arguments={"item": "lamp-7"})
    return score(check, Attempt(messages=talk, opening=1, calls=(changed,)))


def test_a_question_that_hides_or_does_not_name_the_change_is_none() -> None:
    """What the user cannot see asks nothing; with `named`, they hear what is changed."""
    assert _asked("Shall I take lamp-7?", named=True) == 1.0
    assert _asked("Are you happy, shall I go on?", named=True) == 0.0
    assert _asked("Are you happy, shall I go on?") == 1.0
    assert _asked("Fine. <!-- Shall I take lamp-7? -->") == 0.0
    assert _asked("Fine. ~~Shall I take lamp-7?~~") == 0.0


def test_a_question_for_a_value_that_names_the_change_is_none() -> None:
    """Who is asked why has not agreed, however short the answer is; who is told what will be done has."""
    assert _asked("What is the reason for putting lamp-7?") == 0.0
    assert _asked("I will put lamp-7. Which colour do you want?") == 0.0
    assert _asked("I will put lamp-7.") == 1.0
    assert _asked("Which colour? I would put lamp-7 now, is that fine?") == 1.0

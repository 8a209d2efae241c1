"""Free text in which nothing is left to judge: words of many subjects around what is replaced."""

from __future__ import annotations

import pytest

from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.names.prose_names import names_in
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.unit.raw_conversations import SECRET, calls, episode, says

FIRST = [
    "Anneliese", "Brunhilde", "Gottfried", "Heinrich", "Siegfried", "Waltraud",
    "Kunigunde", "Dietmar", "Hildegard", "Roswitha", "Ulrike",
]  # fmt: skip
LAST = ["Meyerhoff", "Baumgartner", "Zimmermann", "Steinbach", "Kaltenbrunn", "Wiesenthal"]
WORDS = ["uno", "dos", "tres", "siete", "ocho", "nueve", "diez", "once", "doce", "trece", "quince"]


def noted(note: str, policy: Policy) -> Scrubbed:
    """The last of twelve conversations past the gate: each is about another person, of whom the record holds a remark."""
    people = [(first, LAST[row % len(LAST)]) for row, first in enumerate(FIRST)]
    remarks = [f"{first} avisa: llega tarde, dos perros" for first, _ in people]
    raw = [
        episode(
            f"e{row}",
            says("user", f"hi, booking B{4000 + row}"),
            *calls("booking", {"id": row}, {"full_name": " ".join(who), "ojo": remark}),
        )
        for row, (who, remark) in enumerate(
            zip([*people, ("Reinhold", "Meyerhoff")], [*remarks, note], strict=True)
        )
    ]
    learnt = learn(raw, (), policy=policy)
    return list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=policy))[-1]


STRICT = Policy(unknown="withhold")


@pytest.mark.parametrize(
    "note",
    [
        "Reinhold avisa: llega tarde, dos perros",
        "avisa R. Meyerhoff: llega tarde",
        "tarde avisa Reinhold Meyerhoff",
    ],
)
def test_words_of_many_subjects_around_a_replaced_name_are_not_withheld(note: str) -> None:
    """A remark goes on without the name: all else in it was said of five people or more."""
    done = noted(note, STRICT)
    text = done.clean.steps[-1].content or ""
    assert not done.held
    assert "avisa" in text
    assert "Reinhold" not in text
    assert "Meyerhoff" not in text


@pytest.mark.parametrize(
    "note",
    [
        "Reinhold avisa: llega tarde, xaverl zotter",  # a word of one person's
        "Reinhold avisa: llega tarde, maria",  # a listed name
        "Reinhold avisa: llega tarde, Meyerhoffin perros",  # a name with an ending
        "Reinhold avisa: llega tarde, 4812",  # a number
        "Reinhold avisa, R: llega tarde",  # a letter beside no name
    ],
)
def test_a_word_that_few_subjects_share_withholds_its_text(note: str) -> None:
    """Where the policy withholds, one word that may be somebody's holds all of the text back."""
    done = noted(note, STRICT)
    assert [held.key for held in done.held] == ["booking.ojo"]
    assert "avisa" not in (done.clean.steps[-1].content or "")


def test_a_listed_name_that_many_share_withholds_its_text() -> None:
    """A first name that all remarks have is not form: `pierrette` may be one of the desk's."""
    mail = "{}.{}7@web.example"
    remarks = [
        f"{first} llega con {word} pierrette" for first, word in zip(FIRST, WORDS, strict=True)
    ]
    raw = [
        episode(
            f"e{row}",
            says("user", f"hi, booking B{4000 + row}"),
            *calls("booking", {"id": row}, {"email": mail.format(first.lower(), row), "ojo": told}),
        )
        for row, (first, told) in enumerate(zip(FIRST, remarks, strict=True))
    ]
    learnt = learn(raw, (), policy=Policy())
    done = list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    assert not any("pierrette" in (one.clean.steps[-1].content or "") for one in done)


@pytest.mark.parametrize("before", ["the eMaria app", "an xMaria1", "my_Maria is"])
def test_a_name_is_looked_for_where_it_stands_and_not_inside_a_word(before: str) -> None:
    """What introduces somebody stands before the name, not before a word that holds the same letters."""
    assert ("first_name", "Maria") in list(names_in(f"{before} broke, my wife Maria called"))

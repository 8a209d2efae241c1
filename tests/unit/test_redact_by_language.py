"""The account of the gate by language: whose conversations lost values, and how many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.privacy.account import LANGUAGE, account_of
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.values.talk_language import language_of_talk
from tests.unit.raw_conversations import SECRET, calls, episode, says


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Can you change my booking, please?", "English"),
        ("Ich möchte bitte meine Buchung ändern", "German"),
        ("Quiero cambiar mi reserva, por favor", "Spanish"),
        ("我想改签我的机票。用的是 iPhone 15 Pro Max", "Chinese"),
        ("予約を変更したいです", "Japanese"),
        ("예약을 변경하고 싶어요", "Korean"),
        ("Я хочу изменить бронирование", "Russian"),
        ("ฉันต้องการเปลี่ยน", "Thai"),
        ("", "unknown"),
        ("4812, 12:30", "unknown"),
        ("QKX VTR zzyx qwrt plokm", "unknown"),
    ],
)
def test_a_conversation_is_counted_by_what_is_said_in_it(said: str, language: str) -> None:
    """By script, and where many languages share one, by the words written small."""
    assert language_of_talk([said]) == language


@given(st.lists(st.text(), max_size=4))
def test_any_text_has_one_name_of_a_language(said: list[str]) -> None:
    """Odd letters and half of a pair name something, the same each time, and hold nothing that was said."""
    found = language_of_talk(said)

    assert found == language_of_talk(said)
    assert found.isascii()
    assert found[:1].isalpha()


def test_the_account_counts_conversations_and_values_by_language() -> None:
    """Two German conversations and an English one: each language has its conversations and what went from them."""
    words = {
        "German": "Ich heiße {} und möchte bitte meine Buchung ändern",
        "English": "My name is {} and I want to change the booking",
    }
    people = [("German", "Waltraud Steinbach"), ("German", "Dietmar Kaltenbrunn"), ("English", "Ulrike Osterhagen")]  # fmt: skip
    raw = [
        episode(
            f"e{row}", says("user", words[language].format(name)), *calls("find", {"n": row}, {"full_name": name})
        )
        for row, (language, name) in enumerate(people)
    ]  # fmt: skip
    learnt = learn(raw, (), policy=Policy())
    done = list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    rows = account_of("app", "2031-02-03", done)
    counted = {(row.kind, row.place): row.count for row in rows if row.what == LANGUAGE}

    assert counted["German", "conversations"] == 2
    assert counted["English", "conversations"] == 1
    replaced = [counted[language, "replaced"] for language in ("German", "English")]
    assert replaced == [sum(len(one.notes) for one in done[:2]), len(done[2].notes)]
    assert all(replaced)
    assert counted["German", "withheld"] == 0

"""Tokens and fields in text that no key explains: what is an identifier, what an amount, a day, a size or a choice."""

import json

import pytest

from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.readers.fields import fields_in
from redact.values.free_ids import between_ids, free_days, free_ids
from tests.unit.raw_conversations import SECRET, calls, episode, says


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("call 0171 555 0123 now", "0171 555 0123"),
        ("or (555)123-4567.", "(555)123-4567"),
        ("PARTNER NR 4821133700 GEB", "4821133700"),
        ("VSNR KV 482 1133-7", "482 1133-7"),
        ("plate 4821 BGL, red", "4821 BGL"),
        ("see https://f.example/x/4821-12345?sig=abc123def456", "abc123def456"),
        ("my password is Tt421#az", "Tt421#az"),
        ("at 52.12345, -1.23456", "-1.23456"),
        ("socia S/4821-K;", "S/4821-K"),
        ("電話は090-5551-2213です", "090-5551-2213"),
        ("upi raghu871@okbank", "raghu871@okbank"),
    ],
)
def test_an_identifier_is_a_token(text: str, token: str) -> None:
    """Whatever stands around it, and with the marks inside it."""
    assert token in set(free_ids(text))


@pytest.mark.parametrize(
    "text",
    [
        "84,20 EUR and 1,250,000 yen of 40.50",
        "at 2026-02-01T06:13:07Z, 12:30:11, 14.03.1961 and 2024-05-15",
        "2026-04-02..2026-04-13 (8 days), 2026-04-02/2026-04-13 or 02.04.2026--13.04.2026",
        "512GB, 25KG, 3.5-5.1, v1.2.3, 12-14, UTF-8",
        "UserMap.java:118 answered HTTP/1.1",
        "we sold 2500000 of 100 kinds in 2026",
        "write to anna.meier7@mail.example",
    ],
)
def test_amounts_times_and_sizes_are_none(text: str) -> None:
    """They say how much or when, and lose their meaning when they are replaced."""
    assert list(free_ids(text)) == []


def test_days_are_told_apart_from_numbers() -> None:
    """As people and programs write them; a year alone is none."""
    text = "born 14.03.1961, 1961-03-14, March 14, 1961 or date(1961, 3, 14), since 1961"
    assert len(list(free_days(text))) == 4
    assert between_ids("GEB 14.03.1961 NR 4821133700") == ["GEB ", " NR ", ""]


def test_fields_are_named_by_label_tag_or_line() -> None:
    """The same field of two answers is the same place; a sentence's names are named by the word before."""
    fields = fields_in(
        "PID|1||77^^MR||Okafor^Chidi\nusr=anna lvl=warn\n  LINDENSTR 12      SUHL\nasked by Maeve"
    )
    assert fields["~PID/5"] == ["Okafor^Chidi"]
    assert fields["usr"] == ["anna"]
    assert fields["~2/0"] == ["LINDENSTR 12"]
    assert fields["~by"] == ["Maeve"]


def test_a_token_that_a_key_explains_stays() -> None:
    """An order's number in a message is a key of a record, another of its form as well; a stranger's number goes."""
    raw = [
        episode(
            f"e{number}",
            *calls("get_order", {"order_id": f"ORD-48{number}"}, {"order_id": f"ORD-48{number}"}),
            says("user", f"ORD-48{number} or ORD-777, card file 88{number}-55{number}-991"),
        )
        for number in range(3)
    ]
    learnt = learn(raw, (), policy=Policy())
    for number, done in enumerate(
        scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    ):
        said = done.clean.steps[-1].content or ""
        assert said.startswith(f"ORD-48{number} or ORD-777, card file ")
        assert f"88{number}-55{number}-991" not in said


def test_a_records_number_stays_with_the_word_for_it() -> None:
    """`Event with ID 115` is the event that the call names: replaced, no other call that names it would be about it."""
    raw = []
    for number in range(100, 130):
        mail = f"ann{number}@example.org"
        shown = f"id_: '{number}'\nparticipants:\n- {mail}\nstatus: open"
        steps = [
            *calls(
                "add_event_participants", {"event_id": f"{number}", "participants": [mail]}, shown
            )
        ]
        steps += calls(
            "cancel_event", {"event_id": f"{number}"}, f"Event with ID {number} has been cancelled."
        )
        raw.append(episode(f"e{number}", *steps))
    learnt = learn(raw, (), policy=Policy())
    done = scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    for number, one in zip(range(100, 130), done, strict=True):
        texts = [step.content or "" for step in one.clean.steps]
        asked = [json.loads(call.arguments) for s in one.clean.steps for call in s.tool_calls]
        assert {call["event_id"] for call in asked} == {f"{number}"}
        assert texts[-1] == f"Event with ID {number} has been cancelled."
        assert f"id_: '{number}'" in texts[1]
        assert f"ann{number}@" not in texts[1]


@pytest.mark.timeout(20)
def test_a_long_run_of_digits_and_capitals_takes_linear_time() -> None:
    """Groups are never taken apart in another way: doing so took exponential time."""
    assert list(free_ids("1A" * 5_000 + "a")) == []
    assert list(free_ids("11 1A" * 5_000 + "_")) != []


def test_rows_with_bars_are_fields_and_read_alike_everywhere() -> None:
    """A directory's "Last, First" goes in every episode in the same way, whether the episode has the person's record or not."""
    people = [
        (last, first)
        for first in ("Umut", "Wanda", "Xenia", "Duc")
        for last in ("Rahimi", "Kowalczyk", "Oyelaran")
    ]
    raw = []
    for number, (last, first) in enumerate(people * 2):
        row = f"MRN4258{number % 12:02} | {last}, {first} | born 1988-06-{number % 12 + 10}"
        steps = [*calls("find", {"number": number % 12}, row)]
        if number < 4:
            record = {"patient": {"first_name": first, "last_name": last}, "mrn": row[:9]}
            steps += calls("record", {"mrn": row[:9]}, record)
        raw.append(episode(f"e{number}", *steps))
    learnt = learn(raw, (), policy=Policy())
    done = list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    rows = [one.clean.steps[1].content or "" for one in done]
    assert not any(name in row for row in rows for pair in people for name in pair)
    assert all(row.count(" | ") == 2 for row in rows)
    assert rows[:12] == rows[12:]


def test_a_name_that_many_customers_bear_is_no_choice_where_it_is_asked_for() -> None:
    """Text of unknown form shows the values to be people: then they go from arguments and messages too."""
    last, first = (
        "\uae40\uc724\uac15\ubc15",
        ("\uc608\uc900", "\uc11c\uc5f0", "\uc9c0\ud6c8", "\ubbfc\uc900"),
    )
    names = [one + two for one in last for two in first]
    bears = [names[0 if number < 3 else number % 16] for number in range(40)]
    raw = [
        episode(
            f"e{number}",
            says("user", f"{bears[number]} 402-7658{number:02}-99"),
            *calls(
                "find",
                {"in": f"<nm>{bears[number]}</nm>"},
                f"<Fault><string>\uace0\uac1d {bears[number]}(2108{number:02}-8132840) none</string>"
                f'<gaek nm="{bears[number]}"><yl>010-46{number:02}-5040</yl></gaek></Fault>',
            ),
        )
        for number in range(40)
    ]
    learnt = learn(raw, (), policy=Policy())
    done = list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    said = "\n".join(
        text
        for one in done
        for step in one.clean.steps
        for text in (step.content or "", *(call.arguments for call in step.tool_calls))
    )
    assert not any(name in said for name in names)
    assert "none" in said

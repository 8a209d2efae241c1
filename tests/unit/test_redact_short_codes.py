"""Short numbers, codes of rooms and drawn tokens: what is a person's though no key and no length says so."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.recognizers.short_codes import short_codes, stands_alone
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import SECRET, calls, episode, says


def past(raw: list[Episode]) -> str:
    """All texts past the gate."""
    learnt = learn(raw, (), policy=Policy())
    texts = []
    for done in scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()):
        for step in done.clean.steps:
            texts += [step.content or "", *(call.arguments for call in step.tool_calls)]
    assert not list(leaks_in([(str(n), text) for n, text in enumerate(texts)], learnt=learnt))
    return "\n".join(texts)


@pytest.mark.parametrize(
    "told",
    [
        "the gate code is 4827 and the side door is open",
        "my card ends in 4827.",
        "use pin 4827",
        "cua 4827, cam on",
        "it is door #4827!",
    ],
)
def test_a_short_number_that_no_record_explains_goes_from_its_episode(told: str) -> None:
    """What somebody says of her door goes from the notes of calls too."""
    note = {"text": "Customer says gate 4827, ring twice please"}
    raw = [episode("e", says("user", told), *calls("add_note", note, {"saved": True}))]
    assert "4827" not in past(raw)


@pytest.mark.parametrize(
    "told",
    [
        "I paid $4827.",
        "the bill was 4827 euros",
        "I bought it in 2019.",
        "there were about 5000.",
        "my order says 4827.",
    ],
)
def test_amounts_years_and_what_an_answer_holds_are_no_codes(told: str) -> None:
    """An amount stands beside its unit, or in an answer or call as a value of its own."""
    answer = {"total": 4827} if "order" in told else {"ok": True}
    assert not list(short_codes([says("user", told), *calls("look_up", {"n": 1}, answer)]))


def test_what_a_prompt_says_is_no_code() -> None:
    """A desk's own number is everybody's."""
    steps = [says("system", "The desk has extension 4827."), says("user", "I rang extension 4827.")]
    assert not list(short_codes(steps))


def test_four_digits_one_by_one_are_somebodys_number() -> None:
    """A caller says the end of a number digit by digit, and again in two halves."""
    told = "it is four nine eight seven no wait yeah 49 87"
    answer = calls("verify", {"ssn": "4987"}, {"ok": True})
    texts = past([episode("e", says("user", told), *answer)])
    assert "four nine eight seven" not in texts
    assert "49 87" not in texts
    assert "no wait yeah" in texts


def test_a_token_of_a_note_goes_with_gaps_too() -> None:
    """No key names the number that a note holds, and its owner writes it in pairs."""
    note = {"note": "please use NI AB118340B from now on"}
    told = says("user", "my NI is AB 11 83 40 B thanks")
    texts = past([episode("e", told, *calls("update", note, {"ok": True}))])
    assert "11 83 40" not in texts


def test_pairs_of_digits_that_are_no_day_are_a_banks_branch() -> None:
    """`16-91-29` is no day in any order, `11-02-26` is."""
    texts = past([episode("e", says("assistant", "paid to 16-91-29 on 11-02-26"))])
    assert "16-91-29" not in texts
    assert "11-02-26" in texts


def test_a_number_between_commas_is_a_cell_and_no_amount() -> None:
    """A verdict over a column holds in each row, whatever stands in the next cell."""
    raw = [
        episode(
            f"e{number}",
            *calls(
                "export",
                {"n": number},
                f"who,team,ref,bank\nmember,Sales,{159_905 + 977 * number},8{number}-83-46\n",
            ),
        )
        for number in range(9)
    ]
    assert "159905" not in past(raw)


def test_a_user_name_behind_its_sign_goes_wherever_it_stands() -> None:
    """Who is mentioned by `@` is asked for without it."""
    steps = [
        says("user", "ask @agoldfa about it"),
        *calls("find", {"who": "agoldfa"}, {"ok": True}),
    ]
    texts = past([episode("e", *steps), episode("f", says("user", "tell @here and @team"))])
    assert "agoldfa" not in texts
    assert "@here and @team" in texts


def test_a_token_drawn_by_chance_goes_under_a_records_key() -> None:
    """A session's token counts nothing; an order's number stays."""
    raw = [
        episode(
            f"e{number}",
            *calls(
                "look_up",
                {"n": number},
                {
                    "session": f"{number}f3a9c84b7d2e610{number}5c8e7a9b1d4f602",
                    "order": f"W77{number}1",
                },
            ),
        )
        for number in range(9)
    ]
    texts = past(raw)
    assert not any(f"{number}5c8e7a9b1d4f602" in texts for number in range(9))
    assert all(f"W77{number}1" in texts for number in range(9))


@pytest.mark.parametrize("personal", [True, False])
def test_the_room_of_a_persons_record_goes_and_a_catalogues_stays(personal: bool) -> None:
    """Where somebody lives stands in prose as well."""
    owner = {"email": "tamsin@mail.example"} if personal else {"beds": 2}
    raw = [
        episode(
            f"e{number}",
            *calls("look_up", {"n": number}, {**owner, "room": f"B{number}.1{number}"}),
            says("user", f"it is room B{number}.1{number} again"),
        )
        for number in range(9)
    ]
    texts = past(raw)
    assert all((f"B{number}.1{number}" in texts) is not personal for number in range(9))


def test_the_flat_of_a_withheld_line_goes_from_what_is_said() -> None:
    """A part of an address under an unknown key is withheld, and its number is said in small letters."""
    raw = [
        episode(
            f"e{number}",
            *calls(
                "look_up",
                {"n": number},
                {"email": f"q{number}@mail.example", "ln2": f"APT 1{number}B"},
            ),
            says("user", f"the house is unit 1{number}b"),
        )
        for number in range(9)
    ]
    texts = past(raw).lower()
    assert not any(f"1{number}b" in texts for number in range(9))


WRITTEN = re.compile(r"[\[{:=|;,>(\t\"'$€£¥]\s*1234(?:\.0+)?\s*[\]},;|<)\t\"'\n\\%]")
"""A value of its own, as one pattern."""


@given(st.lists(st.sampled_from([*"12340. \t\n\"'[]{}:;,|=<>()$€\\%ab\u2003", "1234", ".0"])))
def test_a_value_of_its_own_is_found_by_looking_around_it(parts: list[str]) -> None:
    """As a pattern for each number finds it, which costs more to make than to use."""
    text = "".join(parts)
    assert stands_alone("1234", text) is (WRITTEN.search(text) is not None)

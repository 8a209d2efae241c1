"""Objects as programs print them, segments of line protocols and numbers without quotes in text that is no JSON."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.records.episode import Episode, Step
from redact.readers.fields import fields_in
from redact.readers.printed_objects import printed_in
from redact.values.value_sets import are_pairs_of_no_day
from tests.unit.found_patterns import patterns_in
from tests.unit.raw_conversations import calls, episode, says
from tests.unit.test_redact_unseen_forms import past, text_of

NANO = 10**9
SIRS = ("Anselm", "Bruna", "Cosimo", "Dorte", "Egon", "Fenja", "Gisa", "Hauke", "Ilka", "Jost")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "User(no=17, name=Name(first='Ana', last=\"Gil\"), born=datetime.date(1990, 3, 4))",
            {"no": 17, "name": {"first": "Ana", "last": "Gil"}, "born": "1990, 3, 4"},
        ),
        ('Guest { id: 7, who: Some("Ana Gil"), pet: None }', {"id": 7, "who": "Ana Gil"}),
        (
            "{id=7, name=Ana Gil, at=2020-01-01}",
            {"id": 7, "name": "Ana Gil", "at": "2020-01-01"},
        ),
        (
            'Box { tags: ["x", "y"], of: {"a": 1, \'b\': "c"} }',
            {"tags": ["x", "y"], "of": {"a": 1, "b": "c"}},
        ),
        ('name { first: "Ana" last: Gil }', {"first": "Ana", "last": "Gil"}),
        (
            "A(x=[B(y='p'), B(y='q')], z=007)",
            {"x": [{"y": "p"}, {"y": "q"}], "z": "007"},
        ),
    ],
)
def test_printed_objects_are_read_by_their_keys(text: str, found: object) -> None:
    """Brackets of any kind, nested, with quotes or without; what is nothing is left out."""
    assert printed_in(text) == ([found], "  ")
    assert printed_in(f"{text} end")[0] == [found]


@pytest.mark.parametrize(
    "text", ["see (note: call me)", "f(a=1", "Donor(a=1, b=[2)", "no brackets"]
)
def test_what_is_no_object_stays_text(text: str) -> None:
    """One pair is a remark in brackets, and what never closes is no object."""
    assert printed_in(text) == ([], text)


@given(st.text(alphabet="ab=:,(){}[]<>'\"; 1\\\n", max_size=80))
def test_reading_printed_objects_never_raises(text: str) -> None:
    """Whatever the brackets are, the text around the objects is the text's own."""
    found, around = printed_in(text)
    assert found or around == text


def test_segments_in_one_line_are_cut_at_their_ends() -> None:
    """The tag of a segment names its fields, and the tenth place is no data."""
    found = fields_in("ST*130~N1*GU*ANA GIL~DMG*D8*20150324*F~N1*ST*OTTO LANG~")
    assert found["~N1/2"] == ["ANA GIL", "OTTO LANG"]
    assert found["~DMG/2"] == ["20150324"]
    assert "~0/b0" in fields_in("|".join(["word"] * 11))


def test_three_pairs_of_digits_are_days_only_in_one_order() -> None:
    """Numbers of locks fall out of every order that days are written in."""
    assert are_pairs_of_no_day(["12-11-36", "18-26-16", "25-26-33"])
    assert not are_pairs_of_no_day(["12-11-36", "18-06-16", "25-02-33"])
    assert not are_pairs_of_no_day(["12-31-36", "2026-01-01"])


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("the wifi pass sunny88 please", ["sunny88"]),
        ("password tiger4421", ["tiger4421"]),
        ("the password please", []),
        ("my bus pass week12", []),
    ],
)
def test_a_pass_word_behind_its_name_is_a_secret(text: str, secrets: list[str]) -> None:
    """A digit in it shows that it is no word of the sentence."""
    assert [value for kind, value in patterns_in(text) if kind == "secret"] == secrets


def dated(conversation: str, *steps: Step) -> Episode:
    """An episode of the year 2026."""
    return replace(episode(conversation, *steps), started_at=1_770_000_000 * NANO)


def families() -> list[Episode]:
    """A school's answers: a printed object, a line of segments, a number by which two tools are asked."""
    raw = []
    for i in range(12):
        who, number, day = SIRS[i % 10], 31_847 + 4_391 * i, f"2015{1 + i:02}17"
        lock = f"{11 + i}-{30 - i}-{36 - i}"
        own = f"{10 + i}-61705{40 + i}-4"
        raw.append(
            dated(
                f"s{i}",
                says("user", f"family {str(number)[:2]} {str(number)[2:]}, locker {lock}"),
                *calls(
                    "portal",
                    {"family": number},
                    f"User(family={number}, sss='{own}', locker='{lock}', tags=[\"new\"], seats=4, level='KINDER')",
                ),
                *calls(
                    "transcript",
                    {"family": number, "fee": 5_000 + 10_500 * i},
                    f"ST*130*X~N1*GU*{who.upper()}~DMG*D8*{day}*F~ENR*KINDER*OPEN~",
                    call_id="c2",
                ),
            )
        )
    return raw


def test_a_printed_object_and_a_line_of_segments_keep_nobodys_numbers() -> None:
    """Numbers of families, of insurance and of lockers go, also as said; levels, counts and fees stay."""
    for i, done in enumerate(past(families())):
        text = text_of(done)
        number = str(31_847 + 4_391 * i)
        for gone in (
            number,
            f"{number[:2]} {number[2:]}",
            f"{10 + i}-61705{40 + i}-4",
            f"{11 + i}-{30 - i}-{36 - i}",
            SIRS[i % 10].upper(),
            f"2015{1 + i:02}17",
        ):
            assert gone not in text
        assert "*D8*2015" in text
        fee = json.loads(done.clean.steps[3].tool_calls[0].arguments)["fee"]
        assert fee == 5_000 + 10_500 * i
        assert "tags=[\"new\"], seats=4, level='KINDER'" in text
        assert "ENR*KINDER*OPEN" in text


def test_one_name_behind_a_title_is_a_person_whoever_shares_it() -> None:
    """Under a key that says nothing, in no list of names: what stands behind the title goes in messages too."""
    titled = ("Mang Kanorio", "Oom Hennebert")
    raw = [
        episode(
            f"t{i}",
            *calls("gate", {"slot": i}, {"mail": f"p{i}@web.example", "notify": titled[i % 2]}),
            says("assistant", f"{titled[i % 2]} has the list; {titled[i % 2].split()[1]} waits."),
        )
        for i in range(12)
    ]
    for i, done in enumerate(past(raw)):
        assert titled[i % 2].split()[1] not in text_of(done)


def test_an_amount_that_two_tools_are_asked_for_stays() -> None:
    """A quote and a payment have the same number; a member's number under a key of its own goes."""
    raw = [
        episode(
            f"a{i}",
            *calls("quote", {"amountCents": 12_347 + 4_391 * i, "clan": 31_847 + 4_391 * i}, "ok"),
            *calls("pay", {"amountCents": 12_347 + 4_391 * i, "clan": 31_847 + 4_391 * i}, "ok"),
        )
        for i in range(12)
    ]
    for i, done in enumerate(past(raw)):
        for asked in (step.tool_calls[0] for step in done.clean.steps if step.tool_calls):
            given = json.loads(asked.arguments)
            assert given["amountCents"] == 12_347 + 4_391 * i
            assert given["clan"] != 31_847 + 4_391 * i

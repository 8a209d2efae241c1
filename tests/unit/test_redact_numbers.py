"""Numbers without quotes that name somebody, and identifiers of digits in groups."""

import json

import pytest

from redact.names.prose_names import names_in
from redact.readers.documents import FoundValue
from redact.recognizers.spelt_ids import respelt_in
from redact.values.forms import shape_of
from redact.values.free_ids import free_ids
from redact.values.numbers import NUMBERED, are_moments, count_something, number_kind, says_id
from redact.values.shapes import can_be
from tests.unit.raw_conversations import calls, episode, says
from tests.unit.test_redact_unseen_forms import past, text_of

SECOND = 1_770_000_000
NANO = 10**9


def own_number(person: int) -> int:
    """A national number of thirteen digits, of which the first says man or woman."""
    return (person % 2 + 1) * 10**12 + 840_213_243_703 + person * 10_000_000_123


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("id", 48639, True),
        ("giftNo", 486392, True),
        ("sid", 486392, True),
        ("bid", 486392, False),
        ("mileage", 186392, False),
        ("rings_on", 401569767717, True),
        ("id", 4863, False),
        ("code", 48639.5, False),
    ],
)
def test_a_number_may_name_somebody_where_it_is_long_or_its_key_says_so(
    key: str, value: float, named: bool
) -> None:
    """Five digits under an id's key, eight under any other."""
    assert (number_kind(value, key) == NUMBERED) is named


def test_what_counts_or_dates_something_is_no_identifier() -> None:
    """Round numbers, those of many lengths, and seconds about the last episode."""
    assert are_moments([str(SECOND + n) for n in range(5)], SECOND * NANO)
    assert are_moments([str((SECOND + n) * 1000) for n in range(5)], 0)
    assert not are_moments([str(SECOND), "5010813243703"], SECOND * NANO)
    assert count_something(["12000000", "13500000", "17200000"], "volume")
    assert count_something(["12000001", "135000011", "1720000011", "98234411234"], "size")
    assert not count_something(["401569767717", "401535449637"], "rings_on")
    assert says_id("memberId")
    assert not says_id("paid")


def test_numbers_that_name_people_go_from_results_arguments_and_messages() -> None:
    """Each subject's own number under keys that no rule knows; moments and the choices that people share stay."""
    raw = [
        episode(
            f"n{i}",
            says("user", f"hello, supporter {7_345_018 + 7919 * i}"),
            *calls(
                "find",
                {"ref": 7_345_018 + 7919 * i},
                json.dumps(
                    {
                        "ref": 7_345_018 + 7919 * i,
                        "cnp": own_number(i),
                        "at": SECOND + 86_400 * i,
                        "campaign": 30_100_200 + i % 2,
                    }
                ),
            ),
        )
        for i in range(12)
    ]
    for i, done in enumerate(past(raw)):
        text = text_of(done)
        assert str(7_345_018 + 7919 * i) not in text
        assert str(own_number(i)) not in text
        assert str(SECOND + 86_400 * i) in text
        assert str(30_100_200 + i % 2) in text
        assert json.loads(done.clean.steps[2].content or "")["ref"] > 0


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("880918-5161", "identifier"),
        ("4821 1133 7", "number"),
        ("4821 1133 72", "identifier"),
        ("100 000 000", "number"),
        ("10000-25000", "number"),
        ("10-6170540-4", "identifier"),
        ("2026-02-11", "moment"),
    ],
)
def test_digits_in_groups_are_an_identifier_and_no_range(value: str, shape: str) -> None:
    """Nine digits or more that neither count thousands nor go from lower to higher."""
    assert shape_of(value) == shape


def test_a_number_plate_is_found_with_its_gaps() -> None:
    """Few digits are enough between letters."""
    found = [FoundValue("opaque_id", "BL148TW", "plate")]
    assert list(respelt_in(["my plate is BL 148 TW."], found)) == [("BL 148 TW", "opaque_id")]
    assert not list(respelt_in(["in room 148"], [FoundValue("opaque_id", "A148", "room")]))


def test_a_name_that_is_an_ordinary_word_goes_where_a_text_ends_in_it() -> None:
    """Signatures and goodbyes; elsewhere the word stays."""
    raw = [
        episode(
            f"p{i}",
            says("user", "hej, 3 kr per day"),
            *calls(
                "find", {"q": f"a{i}"}, json.dumps({"given_name": "Per", "family_name": f"Ek{i}"})
            ),
            says("assistant", "See you, Per!"),
            says("user", "tack! /Per"),
        )
        for i in range(3)
    ]
    for done in past(raw):
        assert "Per" not in text_of(done)
        assert "kr per day" in text_of(done)


@pytest.mark.parametrize(
    ("text", "name"),
    [("Bác sĩ BS. Phạm Tuyết.", "Phạm Tuyết"), ("la Dra. Ibarluzea", "Ibarluzea")],
)
def test_titles_of_other_languages_introduce_names(text: str, name: str) -> None:
    """A doctor whom only a message names."""
    assert name in {found for _, found in names_in(text)}


@pytest.mark.parametrize(
    "told", ["passengers 2019 2020", "the composer (1889-1954)", "the 2024/2025 season"]
)
def test_years_side_by_side_are_no_identifier(told: str) -> None:
    """Questions and articles are full of them."""
    assert not list(free_ids(told))
    assert list(free_ids("call 2019 5523")) == ["2019 5523"]


def test_the_address_of_a_page_is_nobodys_address() -> None:
    """`Address:` above a page's text is where the page is."""
    assert not can_be("street", "https://lakes.example.org/wiki/Lake")
    assert can_be("street", "12 Lake Road")

"""Surrogates: typed, keyed, format-keeping; what is reserved is reserved, checksums hold."""

import re
from datetime import date
from itertools import product

import pytest

from redact.kinds import KINDS
from redact.operators.invented_names import CODAS, invent, spell, word_size
from redact.operators.surrogates import (
    _FAMILIES,
    digits_surrogate,
    luhn_valid,
    opaque_surrogate,
    surrogate,
)
from redact.values.dates import move_date, read_date, spellings
from redact.values.permutations import KeyedDigest

KEYED = KeyedDigest(b"a key for tests")


def test_every_kind_has_a_family_that_makes_surrogates() -> None:
    """The two tables cover each other."""
    assert {kind.family for kind in KINDS.values()} <= set(_FAMILIES)


@pytest.mark.parametrize("size", [2, 3, 10, 90, 365, 1000])
def test_a_permutation_moves_every_number(size: int) -> None:
    """All numbers are hit once, and none stays where it was."""
    moved = [KEYED.move(number, size, "t") for number in range(size)]
    assert sorted(moved) == list(range(size))
    assert all(number != image for number, image in enumerate(moved))


def test_invented_words_are_distinct_for_all_short_words() -> None:
    """Every word of up to three letters has a word of its own."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(word) for size in (2, 3) for word in product(letters, repeat=size)]
    assert len({invent(KEYED, word) for word in words}) == len(words)


def test_spelling_is_injective() -> None:
    """Different numbers are different words, also where onsets and codas could run together."""
    numbers = range(0, word_size(2), 7)
    assert len({spell(number, 2) for number in numbers}) == len(numbers)
    assert "" in CODAS


def test_all_four_digit_codes_have_a_code_of_their_own() -> None:
    """Digits keep their count, their leading zeros, and never stay the same."""
    codes = [f"{number:04d}" for number in range(10_000)]
    moved = [digits_surrogate(KEYED, code) for code in codes]
    assert len(set(moved)) == len(codes)
    assert all(len(image) == 4 for image in moved)
    assert all(code != image for code, image in zip(codes, moved, strict=True))
    assert all(code[0] == "0" or image[0] != "0" for code, image in zip(codes, moved, strict=True))


@pytest.mark.parametrize(
    ("family", "mention", "pattern"),
    [
        ("name", "Anna-Lena van der Berg", r"[A-Z][a-z]+-[A-Z][a-z]+ van der [A-Z][a-z]+"),
        ("name", "O'BRIEN", r"[A-Z]'[A-Z]+"),
        ("identifier", "anna_berg_4417", r"[a-z]+_[a-z]+_\d{4}"),
        ("identifier", "credit_card_4421486", r"credit_card_\d{7}"),
        ("identifier", "KD-448812", r"[A-Z]{2}-\d{6}"),
        ("identifier", "cus_9s6XKzkNRiz8i3", r"[a-z]{3}_\d[a-z]\d[A-Z]{2}[a-z][a-z][A-Z]{2}[a-z]{2}\d[a-z]\d"),
        ("identifier", "550e8400-e29b-41d4-a716-446655440000", r"[0-9a-f-]{36}"),
        ("email", "anna.berg@firma.de", r"[a-z]+\.[a-z]+@[a-z]+\.example\.com"),
        ("email", "anna@example.com", r"[a-z]+@example\.com"),
        ("phone", "+1 (415) 555-2671", r"\+1 \([2-9]\d\d\) 555-\d{4}"),
        ("phone", "+49 170 1234567", r"\+99 9\d\d \d{7}"),
        ("card", "4111 1111 1111 1111", r"4000 0\d{3} \d{4} \d{4}"),
        ("ssn", "536-22-1234", r"9\d\d-[0-4]\d-\d{4}"),
        ("ip", "203.0.113.7", r"2[45]\d\.\d+\.\d+\.\d+"),
        ("ip", "2a00:1450::1", r"2001:db8:[0-9a-f:]+"),
        ("street", "763 Sunset Drive", r"\d{3} [A-Z][a-z]+ Drive"),
        ("street", "Suite 12", r"Suite \d{2}"),
        ("place", "New York", r"[A-Z][a-z]+ [A-Z][a-z]+"),
        ("opaque", "SW1A 1AA", r"[A-Z]{2}\d[A-Z] \d[A-Z]{2}"),
        ("secret", "sk-live-123456", r"REDACTED-SECRET-[0-9a-f]{12}"),
        ("marker", "anything", r"\[withheld\]"),
    ],
)  # fmt: skip
def test_formats(family: str, mention: str, pattern: str) -> None:
    """Each family keeps what programs rely on and changes the rest."""
    moved = surrogate(KEYED, family, mention)
    assert re.fullmatch(pattern, moved), moved
    assert moved != mention


def test_a_town_is_one_town_in_an_address_a_name_and_alone() -> None:
    """Another surrogate would be another town: what relates two records would be gone."""
    told = {surrogate(KEYED, family, "Leeds") for family in ("name", "place", "street")}
    assert len(told) == 1


def test_checksums_hold() -> None:
    """A card number stays valid, an IBAN gets the check digits of its new account."""
    card = re.sub(r"\D", "", surrogate(KEYED, "card", "4111-1111-1111-1111"))
    assert luhn_valid(card)
    iban = surrogate(KEYED, "iban", "DE89 3704 0044 0532 0130 00").replace(" ", "")
    assert int("".join(str(int(letter, 36)) for letter in iban[4:] + iban[:4])) % 97 == 1


def test_the_tail_of_a_card_joins_with_its_last_four() -> None:
    """`last_four` and the number it belongs to move together."""
    card = surrogate(KEYED, "card", "4111111111117447")
    assert card.endswith(surrogate(KEYED, "digits", "7447"))


def test_case_and_accents_do_not_make_another_person() -> None:
    """JOSÉ, José and jose are one name in three casings."""
    moved = {
        surrogate(KEYED, "name", name).lower() for name in ("JOSÉ", "José", "jose", "Jose\u0301")
    }
    assert len(moved) == 1


def test_opaque_ids_keep_their_pattern_and_never_meet() -> None:
    """Letters stay letters and digits digits, injectively."""
    ids = [f"A{number}z" for number in range(10)]
    moved = {opaque_surrogate(KEYED, text) for text in ids}
    assert len(moved) == 10
    assert all(re.fullmatch(r"[A-Z]\d[a-z]", text) for text in moved)


@pytest.mark.parametrize(
    "mention",
    ["1990-04-05", "April 5, 1990", "5th of April 1990", "04/05/1990", "5 Apr 1990", "19900405"],
)
def test_one_birth_date_moves_to_one_day_in_every_format(mention: str) -> None:
    """Whatever the format, the surrogate is the same other day of the same year."""
    moved = read_date(move_date(KEYED, mention))
    assert moved == read_date(move_date(KEYED, "1990-04-05"))
    assert moved != date(1990, 4, 5)
    assert moved is not None
    assert moved.year == 1990


def test_what_is_no_date_is_not_read_as_one() -> None:
    """Impossible days are text; their digits move."""
    assert read_date("1990-13-45") is None
    assert read_date("hello") is None
    assert move_date(KEYED, "1990-13-45") != "1990-13-45"


def test_spellings_are_read_back_as_the_day() -> None:
    """Every spelling that is searched for says the day, read either way round."""
    day = date(1990, 4, 25)
    assert all(read_date(text.replace("apr.", "apr")) == day for text in spellings(day))


@pytest.mark.parametrize(
    "name", ["देवेंद्र चतुर्वेदी", "कैलाश नंबियार", "ஸ்ரீனிவாசன்", "প্রিয়াঙ্কা দত্ত", "สมศรี วงศ์สุวรรณ"]
)
@pytest.mark.parametrize("family", ["name", "identifier", "street"])
def test_a_word_with_vowel_signs_is_replaced_whole(name: str, family: str) -> None:
    """A sign that stands for a vowel ends no word: none of the letters between two signs stays."""
    moved = surrogate(KeyedDigest(b"k"), family, name)
    assert moved.isascii()
    assert len(moved.split()) == len(name.split())

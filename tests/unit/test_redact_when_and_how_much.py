"""Times, days, amounts and remarks are no identifiers and no addresses, whatever stands around them."""

from __future__ import annotations

import pytest

from redact.decisions.field_forms import is_line
from redact.decisions.free_text import own_parts
from redact.lists.gazetteer import is_joined
from redact.names.prose_names import names_shown
from redact.values.forms import shape_of
from redact.values.free_ids import free_ids
from redact.values.shapes import is_street
from tests.unit.raw_conversations import calls, episode, says, texts_past_the_gate


@pytest.mark.parametrize(
    "text",
    [
        "R$ 35,00 ou R$425 às 14h00, US$2.458 ou CHF 1200",
        "Q3-2024, Q2 2024 and 2024-Q3",
        "logs/2023-11.log, /receipts/2024/05/, statement_2024-11-30.pdf",
    ],
)
def test_money_hours_and_quarters_are_no_identifiers(text: str) -> None:
    """With the sign of any dollar, the letter for hours, and as part of a file's name."""
    assert list(free_ids(text)) == []


@pytest.mark.parametrize(
    "token",
    [
        *("12/12-12/13", "24/12-26/12", "01.07.-31.07", "12.12-13.12", "05/15-05/20/2024"),
        *("12/12/24-12/13/24", "12/12/2024-12/13/2024", "2025-01-01-2025-01-05"),
        *("2006.9-2011.7", "2006/09-2011/07", "09/2006-07/2011"),
        *("99.99-199.99", "120.000-150.000", "$1000-2000", "10000-12000"),
    ],
)
def test_a_range_of_days_or_amounts_is_no_identifier(token: str) -> None:
    """From one day, month or amount to another: every number of it stays, in prose and under a key that nobody knows."""
    assert list(free_ids(f"block it {token} please")) == []
    assert shape_of(token) in {"moment", "number"}
    steps = (says("user", f"Block it {token} please"), *calls("block", {"range": token}, "ok"))
    assert all(token in text for text in texts_past_the_gate([episode("e", *steps)])[:2])


@pytest.mark.parametrize(
    "token",
    [
        *("12/13-45/99", "30/41-52/63", "03/04/1962-05/06/2001", "1007861-8", "131053-1234"),
        *("555-0123", "555-1200", "0171-5500", "4421-8832", "07-22-07-25"),
    ],
)
def test_a_number_with_a_dash_that_is_no_range_is_one(token: str) -> None:
    """No such day, days of a life, digits that fall or that nothing rounds: somebody's number."""
    assert token in list(free_ids(f"it is {token} here"))


@pytest.mark.parametrize("token", ["880914-2024", "kunde2024-118842", "A2024-0117-33"])
def test_a_number_that_begins_as_a_month_does_is_one(token: str) -> None:
    """Only a whole month or day is taken out of a token."""
    assert token in list(free_ids(f"it is {token} here"))


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("R$ 35,00", "moment"),
        ("20260211", "moment"),
        ("14h00", "moment"),
        ("2024-Q3", "moment"),
        ("PUB003_AR_MonthEnd_Review_2024-11-30", "choice"),
        ("/reports/kpi/PUB003_AR_Review_2024-11-30.pdf", "choice"),
        ("Ann_Review_2024-11-30", "identifier"),
        ("Review_Zotterbaum_2024-11-30", "identifier"),
        ("20261345", "identifier"),
        ("88120406", "identifier"),
        ("RVB1E90", "identifier"),
    ],
)
def test_a_value_says_when_or_how_much(value: str, shape: str) -> None:
    """A day without marks is one where such a day is."""
    assert shape_of(value) == shape


@pytest.mark.parametrize(
    "value",
    [
        "• 14:00 Uhr, Frau Sommer",
        "Frau Sommer am 12.06.2026",
        "Massage (20 Minuten",
        "Ute Brinkmann \u2013 2 Termine",
    ],
)
def test_a_time_a_remark_or_a_count_is_no_house(value: str) -> None:
    """A line of an address has a number that is none of these."""
    assert not is_line(value)
    assert is_line("Hinter den Gärten 7 (Hof)")


@pytest.mark.parametrize(
    "value",
    ["Door 4 slow to close", "S-106 holds only 40 ul", "Anna steht jetzt auf der Liste, Platz 1"],
)
def test_a_sentence_is_no_address(value: str) -> None:
    """One word of it is a kind of street as well."""
    assert not is_street(value)


@pytest.mark.parametrize(
    "value",
    [
        "92 Beech Grove, London N13 6QQ",
        "12 bis rue de la Paix, bâtiment B",
        "46 orchard way, leeds",
        "Hauptstraße 5, hinten",
    ],
)
def test_an_address_is_one(value: str) -> None:
    """In small letters, too."""
    assert is_street(value)


def test_a_remark_in_brackets_is_nobodys() -> None:
    """What stands in small letters behind an address says something of it."""
    value = "Ann Fenn, 92 Beech Grove (buildings only, active) 4"
    assert own_parts(value, frozenset()) == ["Ann Fenn, 92 Beech Grove", "4"]
    assert own_parts("f(x) (int)y", frozenset()) == ["f(x) (int)y"]


def test_free_slots_stay_and_who_is_there_goes() -> None:
    """Lines with an hour and somebody, as calendars show them."""
    raw = []
    for number in range(24):
        who = ("Frau Sommer", "Herr Petersen", "Frau Adler")[number % 3]
        hours = [f"{8 + (number + more) % 9:02}:{30 * (more % 2):02}" for more in range(6)]
        shown = "\n".join(f"• {hour} Uhr, {who}" for hour in hours)
        found = calls("slots", {"page": number}, f"Massage am Montag, frei:\n{shown}")
        raw.append(episode(f"e{number}", says("user", f"Geht es um {hours[2]} Uhr?"), *found))
    for number, text in enumerate(texts_past_the_gate(raw)):
        assert all(f"{8 + (number + more) % 9:02}:" in text for more in range(6))
        assert text.count(" Uhr") == 7
        assert not any(name in text for name in ("Sommer", "Petersen", "Adler"))


def test_a_greeting_is_nobody() -> None:
    """Though some are called so elsewhere; who is greeted goes."""
    raw = [
        episode(f"e{number}", says("user", f"Olá, quero a aula {number}, obrigado"))
        for number in range(9)
    ]
    assert all("Olá, quero" in text for text in texts_past_the_gate(raw))


@pytest.mark.parametrize(
    ("word", "joined"),
    [("auftragsnummer", True), ("geratetraining", True), ("feldhaus", False), ("bergmann", False)],
)
def test_two_german_words_in_one_are_nobody(word: str, joined: bool) -> None:
    """Neither of them is one that people bear."""
    assert is_joined(word, {"nummer", "training", "haus", "mann"}) is joined


def test_what_a_listed_word_and_a_common_one_are_together_is_a_thing() -> None:
    """In whatever language; with a word that nobody knows it is somebody."""
    told = "Termin T-480 heute: Manuelle Therapie bei Manuelle Zotterbaum um elf"
    assert [name for _, name in names_shown(told)] == ["Manuelle Zotterbaum"]


@pytest.mark.parametrize(
    "text", ["EUR 4111111111111111", "$4111111111111111", "PHP 09171234567", "KIM_2024-11"]
)
def test_a_card_a_telephone_and_a_name_are_no_moment_and_no_choice(text: str) -> None:
    """Whatever stands before the digits, and however short the name is."""
    assert shape_of(text) not in {"moment", "choice"}


def test_a_name_in_brackets_is_no_remark() -> None:
    """Small words in brackets are one where nobody is called so."""
    assert own_parts("Order pickup (anna kowalska)", frozenset()) == [
        "Order pickup (anna kowalska)"
    ]
    assert own_parts("Elm St (buildings only, active)", frozenset()) == ["Elm St"]


def test_a_folder_that_is_called_as_a_year_is_nobodys() -> None:
    """Its words have to be nobody's as well."""
    assert shape_of("/app/test_environment/photos/2024/b.meta") == "choice"
    assert shape_of("/home/wanjiru/2024") != "choice"

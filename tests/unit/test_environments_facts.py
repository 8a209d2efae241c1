"""Facts in a text: whatever their spelling and script, equal facts have a reading in common, and other facts have none."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.checks.view import numbers_in
from environments.runtime.values.facts import (
    DATE,
    EMAIL,
    ID,
    LONGEST_TEXT,
    NUMBER,
    TIME,
    Fact,
    facts_in,
    figure_stands_in,
    folded,
    may_be_one_date,
    stands_in,
)
from environments.runtime.values.months import MONTHS
from environments.runtime.values.spelt_numbers import in_figures
from redact.values import months


def only(text: str) -> Fact:
    """The one fact of a text."""
    (fact,) = facts_in(text)
    return fact


@pytest.mark.parametrize(
    "text",
    [
        "$1,234.50",
        "1234.5",
        "1.234,50 €",
        "1 234,50",
        "1\u202f234,50",
        "**1,234.50**",
        "\u0661\u0662\u0663\u0664\u066b\u0665\u0660",
        "\uff11\uff12\uff13\uff14.\uff15\uff10",
        "USD 1,234.50",
        "1234 euros con 50",
        "1234 pounds and 50 pence",
        "1234 Euro und 50 Cent",
    ],
)
def test_an_amount_reads_alike_however_it_is_written(text: str) -> None:
    """Signs, separators, emphasis and the script of the digits make no difference."""
    assert (only(text).kind, 1234.5 in only(text).readings) == (NUMBER, True)


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-15",
        "2024/5/15",
        "May 15, 2024",
        "May 15th, 2024",
        "15 May 2024",
        "the 15th of May",
        "15.05.2024",
        "5/15/2024",
        "2024年5月15日",
        "5月15日",
        "5/15",
        "15/5",
        "el 15 de mayo de 2024",
        "15. Mai 2024",
        "le 15 mai",
        "15 maja 2024",
        "15 maggio",
        "20240515",
        "am 15.5. noch",
        "bis 15.05.; danach",
    ],
)
def test_a_day_reads_alike_however_it_is_written(text: str) -> None:
    """With and without its year, in the order of any country."""
    assert only(text).kind == DATE
    assert "05-15" in only(text).readings


def test_graders_read_the_months_that_redaction_moves() -> None:
    """The runtime's table knows every word of redaction's, with the same number."""
    words = months.MONTH.split("|")
    assert {word: MONTHS.get(word) for word in words} == {
        word: months.month_number(word) for word in words
    }


def test_a_sum_of_money_ends_where_something_else_is_counted() -> None:
    """Minutes and items are no cents."""
    told = facts_in("20 dollars and 15 minutes, 20 euros y 30 prendas")
    assert [fact.readings for fact in told] == [(20.0,), (15.0,), (20.0,), (30.0,)]


@pytest.mark.parametrize(
    "text", ["14:30", "2:30 pm", "2:30PM", "14:30:00", "14点30分", "2.30pm", "14.30 Uhr", "14h30"]
)
def test_a_time_reads_alike_however_it_is_written(text: str) -> None:
    """Twelve hours or twenty-four."""
    assert (only(text).kind, only(text).readings) == (TIME, ("14:30",))


@pytest.mark.parametrize(
    "moment", ["2024-05-15T14:30", "2024-05-15T14:30:00Z", "2024-05-15T14:30:00.5+02:00"]
)
def test_a_moment_as_machines_write_it_is_a_day_and_a_time(moment: str) -> None:
    """Who is shown the moment may be told its time alone."""
    assert [(f.kind, f.readings[-1]) for f in facts_in(moment)] == [
        (DATE, "05-15"),
        (TIME, "14:30"),
    ]


@pytest.mark.parametrize(
    "text", ["It is 12.10.", "We keep 2. May I go on?", "12.10 in all, thanks"]
)
def test_what_ends_a_sentence_is_no_day(text: str) -> None:
    """A figure before a full stop stays a figure, and "may" a word."""
    assert DATE not in {fact.kind for fact in facts_in(text)}


def test_cents_are_told_in_the_middle_of_a_sentence() -> None:
    """`61 pounds 75 is refunded`."""
    assert [f.readings for f in facts_in("so 61 pounds 75 is refunded")] == [(61.75,)]


def test_ids_and_addresses_keep_their_letters() -> None:
    """They are compared in one case, without the sign before them and the full stop behind."""
    assert only("#W2378156.") == Fact(ID, "w2378156", ("w2378156",), specific=True)
    assert only("Ann.Lee@Example.com.").readings == ("ann.lee@example.com",)
    assert only("ann@example.com").kind == EMAIL


def test_two_numbers_of_unlike_length_are_an_id_and_no_range() -> None:
    """A range goes from one number to another; `26/141820` names something, and with other digits something else."""
    found = only("26/141820")
    assert (found.kind, found.specific) == (ID, True)
    assert only("17/141820").readings != found.readings
    assert [f.kind for f in facts_in("1-100")] == [NUMBER, NUMBER]


def test_an_id_of_one_digit_is_no_number_with_a_unit() -> None:
    """Else another id with that digit would be the same fact."""
    assert only("3FRNFB") == Fact(ID, "3frnfb", ("3frnfb",), specific=True)
    assert [only(text).kind for text in ("30mins", "250ml", "3days")] == [NUMBER] * 3


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("12k", 12_000.0),
        ("$3.5 million", 3_500_000.0),
        ("3亿", 3e8),
        ("5%", 0.05),
        ("1,234", 1234.0),
        ("1.234", 1234.0),
    ],
)
def test_a_scale_and_an_unclear_separator_are_further_readings(text: str, values: float) -> None:
    """What may be a decimal may be a thousand; both are kept."""
    assert any(abs(n - values) < 1e-6 for n in only(text).readings if isinstance(n, float))


@pytest.mark.parametrize(
    ("text", "unit", "negative"),
    [
        ("€310.50", "euro", False),
        ("EUR 310.50", "euro", False),
        ("310.50 euros", "euro", False),
        ("-$5.00", "dollar", True),
        ("$-5.00", "dollar", True),
        ("it fell to -12", "", True),
        ("12 percent", "%", False),
        ("$3 million", "times 1000000", False),
        ("room-310.50 is free", "", False),
        ("- 45.00 for the room", "", False),
        ("45 europium", "", False),
    ],
)
def test_a_number_has_its_unit_and_sign(
    text: str, unit: str, negative: bool
) -> None:  # a case of the table
    """Before it or behind it, as a sign, a code or a word; the point of a list is no minus."""
    assert (only(text).unit, only(text).negative) == (unit, negative)


def test_three_figures_behind_a_comma_are_thousands() -> None:
    """Who might mean 310 by `310,000` would be paid for both; behind a zero they are decimals."""
    assert only("310,000").readings == (310_000.0,)
    assert 0.125 in only("0,125").readings


def test_counts_and_the_numbers_of_a_list_say_nothing_of_their_own() -> None:
    """Otherwise three lines of a list would prove three answers."""
    assert facts_in("1. First\n2. Second") == ()
    assert not only("5 bags").specific
    assert only("$5").specific
    assert not any(only(text).specific for text in ("4/5", "1/2", "24/7"))
    assert [f.readings for f in facts_in("100-200")] == [(100.0,), (200.0,)]


@pytest.mark.parametrize("text", ["", " ", "no facts here", "2024-13-45", "99:99", "9" * 400])
def test_odd_texts_have_facts_or_none_and_never_raise(text: str) -> None:
    """A day that no calendar has is an id; a number beyond all numbers is left out."""
    assert all(fact.kind in {NUMBER, ID} for fact in facts_in(text))


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    """Whatever the script, every fact stands in the folded text."""
    assert all(fact.text in folded(text) for fact in facts_in(text))


@given(st.dates(date(1970, 1, 1), date(2100, 1, 1)), st.integers(1, 400))
def test_another_day_is_another_fact(day: date, later: int) -> None:
    """Days with their years agree only where they are the same day of a year."""
    other = day + timedelta(days=later)
    one, two = only(day.isoformat()), only(f"{other:%d} {other:%B} {other:%Y}")
    assert (one.readings[0] == two.readings[0]) is False


@given(st.integers(100, 10**9), st.integers(1, 99))
def test_an_amount_with_cents_reads_back(whole: int, cents: int) -> None:
    """Grouped with commas, with points, and not at all."""
    value = round(whole + cents / 100, 2)
    grouped = f"{value:,.2f}"
    german = grouped.replace(",", " ").replace(".", ",").replace(" ", ".")
    for text in (f"{value:.2f}", grouped, german):
        assert value in only(text).readings


def test_an_answer_of_a_megabyte_is_read_to_a_limit() -> None:
    """It costs what the limit costs, and what stands behind it is not told."""
    text = "x " * LONGEST_TEXT + "4711.99"
    assert len(folded(text)) <= LONGEST_TEXT
    assert facts_in(text) == ()


def test_words_stand_in_a_text_as_words_and_characters_where_no_spaces_part_them() -> None:
    """`ann` is not in `planned`; a Chinese name stands anywhere."""
    assert stands_in("ann", "so says ann.")
    assert not stands_in("ann", "as planned")
    assert stands_in("北京", "我在北京等你")
    assert not stands_in("", "anything")


def test_a_figure_that_goes_on_is_another_figure() -> None:
    """`12` stands neither in `12.50` nor in `112`, but at the end of a sentence."""
    assert figure_stands_in("12", "it costs 12.")
    assert not figure_stands_in("12", "it costs 12.50")
    assert not figure_stands_in("12", "it costs 112")
    assert not figure_stands_in("12", "it costs 3.12")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("You meet from 2 to 3 pm. Then", "3 pm"),
        ("at 10:30am.", "10:30am"),
        ("at 3 p.m. sharp", "3 p.m."),
        ("on 5 may. Then", "5 may"),
    ],
)
def test_the_full_stop_of_a_sentence_is_no_part_of_a_fact(text: str, named: str) -> None:
    """A check shows the fact to people: the stop behind it is the sentence's."""
    assert named in [fact.text for fact in facts_in(text)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("First shift at 8 o'clock.", "08:00"),
        ("42. And the visit, yes?", 42.0),
        ("There are these:\n1. Leeds\n2. York", None),
    ],
)
def test_an_hour_in_words_is_a_time_and_a_large_number_numbers_no_list(
    text: str, meant: str | float | None
) -> None:
    """Answers begin with a figure and a full stop, too; lists have few items."""
    readings = [reading for fact in facts_in(text) for reading in fact.readings]
    assert readings == ([] if meant is None else [meant])


@pytest.mark.parametrize(
    ("text", "may_be"),
    [
        ("Tuesday, 14 May 2024", True),
        ("Monday, 14 May 2024", False),
        ("Tuesday the 14th of May", True),
        ("Monday the 14th of May", False),
        ("2024-05-14 (Tuesday)", True),
        ("2024-05-14 (Friday)", False),
        ("am Dienstag, den 14. Mai", True),
        ("am Montag, den 14. Mai", False),
        ("martes, 14 de mayo de 2024", True),
        ("lunes, 14 de mayo de 2024", False),
        ("Sunday's delivery of 14 May 2024", True),
        ("He came on Monday. 14 May 2024", True),
        ("We close on Monday,\n14 May 2024", True),
        ("Monday to Friday 14 May 2024", True),
    ],
)
def test_a_day_of_the_week_beside_a_date_has_to_be_its_own(text: str, *, may_be: bool) -> None:
    """A date with another day's name is a day that no calendar has; without a year it is one of other years."""
    (told,) = (fact for fact in facts_in(text) if fact.specific)
    wanted = only("2024-05-14").readings
    assert (told.kind == DATE and may_be_one_date(told.readings, wanted)) is may_be


@given(st.dates(date(2000, 1, 1), date(2049, 12, 31)), st.booleans())
def test_a_date_with_its_own_day_of_the_week_stays_what_it_is(day: date, year: bool) -> None:
    """Naming the day takes no reading away, whether the year is told or not."""
    plain = f"{day.day} {day:%B}" + (f" {day.year}" if year else "")
    named = only(f"{day:%A}, {plain}")
    assert set(only(plain).readings) <= set(named.readings)
    assert may_be_one_date(named.readings, only(day.isoformat()).readings)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("You have two open tickets.", [2.0]),
        ("I count none on your account.", [0.0]),
        ("That's six; one of them is late.", [6.0]),
        ("Sie haben drei Termine.", [3.0]),
        ("Tiene cuatro reservas.", [4.0]),
        ("A twenty-two year old two-factor app", []),
        ("Somebody has to fire the one who is due.", []),
        ("It takes two hundred and ten steps of twenty five.", []),
        ("two thousand five hundred", []),
    ],
)
def test_small_numbers_are_read_in_words(text: str, counts: list[float]) -> None:
    """Who counts in words tells the same; an article and a word with a hyphen count nothing."""
    assert [reading for fact in facts_in(text) for reading in fact.readings] == counts
    assert numbers_in(text) == counts


def test_no_month_is_a_number() -> None:
    """`Sept 15` is a day, and no seven."""
    assert only("Sept 15, 2024").readings == only("2024-09-15").readings
    assert all(in_figures(month) == month for month in MONTHS)


def test_a_day_that_no_calendar_has_is_shown_as_it_stands() -> None:
    """People look for it in the text."""
    for text in ("Monday, the 14th of May 2024", "2024-05-14 (Friday)"):
        (fact,) = facts_in(text)
        assert fact.kind == ID
        assert fact.text in folded(text)

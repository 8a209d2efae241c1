"""Budgets and hours to parts of a second are nobody's numbers: a report that shows them holds nobody."""

import pytest

from redact.values.free_ids import free_ids, is_free_id
from redact.values.value_sets import are_round


@pytest.mark.parametrize(
    "text",
    [
        "written: 2031-04-17 20:25:55.669660",
        "at 2031-04-17T09:03:55.669660Z it ended",
        "from 20:25:55.669660 on",
    ],
)
def test_parts_of_a_second_are_no_identifier(text: str) -> None:
    """A clock's seconds with a fraction belong to the hour before them."""
    assert list(free_ids(text)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("place 55.669660, 12.56831 there", "55.669660"),
        ("key 4420:25:55.669660 there", "55.669660"),
    ],
)
def test_what_is_no_clock_is_found_as_before(text: str, found: str) -> None:
    """A place on the map, and groups that no clock shows, stay somebody's."""
    assert any(found in token for token in free_ids(text))


@pytest.mark.parametrize(
    "text", ["price 171.3800 now", "took 25.541000366210938 s", "at 55.669660"]
)
def test_one_number_with_a_fraction_is_a_measure(text: str) -> None:
    """Only two such numbers side by side are a place on the map."""
    assert list(free_ids(text)) == []


def test_whole_thousands_are_amounts_and_others_are_not() -> None:
    """Four budgets are round, three are too few to tell, and one odd number or a zero before makes them no amounts."""
    assert are_round(["150000", "50000", "200000", "7000"])
    assert not are_round(["150000", "50000", "200000"])
    assert not are_round(["150000", "50000", "200000", "48213"])
    assert not are_round(["050000", "50000", "200000", "7000"])


def test_sums_behind_a_sign_of_money_are_no_identifiers() -> None:
    """A balance of six digits and two behind the point is one with its sign as without."""
    assert not any(map(is_free_id, ("$127450.00", "-$127450.00", "€1204450,50", "127450.00")))
    assert is_free_id("$12745000417")

"""What a policy can know from what it read: spelt otherwise, put together, worked out, or known to everybody."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.task.attempt import Json
from environments.verification.readable_values import VisibleTexts, is_opaque

NOW = 1_715_785_200 * 10**9
"""15 May 2024."""


def shown(*texts: str, now: int = NOW) -> VisibleTexts:
    """What these texts show."""
    found = VisibleTexts(now=now)
    for text in texts:
        found.read(text)
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Order W123-987 is late", "#w123987"),
        ("call 555-010-4477", "5550104477"),
        ("card ending 6611004477", "4477"),
        ('{"id": "A9F-22", "n": 1}', "a9f22"),
        ('{"note": "{\\"inner\\": \\"QX77K1\\"}"}', "QX77K1"),
        ("Ann Lee, 4411", "ann_lee_4411"),
        ("it costs $1,234.50", 1234.5),
        ("it costs 1234.5", "1,234.50"),
        ("120.10 and 99.95", 220.05),
        ("300 less 15 %", 255.0),
        ('[{"fee": 101.5}, {"fee": 77.25}, {"fee": 8.5}, {"fee": 61.1}]', 248.35),
        ("3 nights at 145", 435),
        ("today is 2024-05-15", "2024-05-28"),
        ("on 03/09/1971", "1971-09-03"),
        ("born on the 13th of July 1985", "1985-07-13"),
        ("come on May 20", "2024-05-20T18:30:00Z"),
        ("the 20th, 18:47", "18:47"),
        ("\u8ba2\u5355 \uff21\uff11\uff12\uff19\uff19\uff18", "A12998"),
        ("\u4ed6\u8981\u53bb\u5317\u4eac\u8def", "\u5317\u4eac"),
        ("nothing", 7),
        ("nothing", 500),
        ("nothing", True),
        ("nothing", "economy"),
        ("nothing", "please send it soon"),
    ],
)
def test_a_value_is_known_from_what_was_read(text: str, value: Json) -> None:
    """In any spelling, as a part, by one step of arithmetic, or without being told."""
    assert shown(text).tells(value)


@pytest.mark.parametrize(
    "value",
    [
        "W123987",
        "98a5a87a-7714-b404",
        "ann_lee_4411",
        "ann.lee@post.example",
        "the code is 778812",
        "1985-07-13",
        "18:47:13",
        77881,
        1234.56,
        "4477-1",
    ],
)
def test_a_value_that_no_text_holds_is_not_known(value: Json) -> None:
    """Ids, addresses, far dates, odd amounts."""
    assert not shown("Hello, I need help.", "We are open from 9 to 5.").tells(value)


def test_what_the_policy_writes_at_length_is_its_own() -> None:
    """A document may hold figures that the policy knows."""
    text = "The tower of the town was built in stone and is 33077 fingers high. " * 5
    assert shown("Write about the tower.").tells(text)
    assert not shown("Write about the tower.").tells("It is 33077 fingers high.")


@pytest.mark.parametrize("value", ["k1f07919-9c1b", "8a7f9b2c", "4815162342"])
def test_an_id_is_opaque(value: str) -> None:
    """Nobody could think of it."""
    assert is_opaque(value)


@pytest.mark.parametrize("value", ["economy", "2024", "v2", "sha256", "open late", "", "12"])
def test_a_word_is_not_opaque(value: str) -> None:
    """Words, years, versions, counts."""
    assert not is_opaque(value)


@pytest.mark.parametrize(
    "value", ["9" * 5000, "1e999", f"id-{'7' * 5000}", "x" * 100_000, float("inf"), 10**90]
)
def test_values_of_any_size_are_judged(value: Json) -> None:
    """Thousands of digits raise nothing."""
    assert isinstance(shown("1 and 2", "9" * 600).tells(value), bool)


@given(st.text(max_size=60), st.text(max_size=30))
def test_any_text_can_be_read_and_asked_about(text: str, value: str) -> None:
    """What was read is known, whatever it is."""
    found = shown(text)
    assert found.tells(text)
    assert isinstance(found.tells(value), bool)


@given(
    st.recursive(
        # JSON has no infinity: a result with one is a text, in which no exponent is read.
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_every_value_of_a_result_is_known(value: Json) -> None:
    """However deep it stands."""
    found = shown(json.dumps({"result": value}))
    leaves, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        else:
            leaves.append(one)
    assert all(map(found.tells, leaves))

"""Canonical JSON against the reference package `rfc8785`, and its order-freedom."""

from __future__ import annotations

import json
import math

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.values.canonical import NotCanonicalError, canonical, digest

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53) + 1, 2**53 - 1)
TEXT = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_it_equals_the_reference_implementation(value: object) -> None:
    """Every JSON value gets the text that the RFC's reference package writes."""
    assert canonical(value).encode() == rfc8785.dumps(value)  # type: ignore[arg-type]  # any JSON


@given(NUMBERS)
def test_numbers_read_back_as_themselves(number: float) -> None:
    """A number's canonical text parses to the same number."""
    assert float(json.loads(canonical(number))) == number


@given(st.dictionaries(TEXT, NUMBERS, min_size=2, max_size=6))
def test_the_order_of_keys_does_not_matter(value: dict[str, float]) -> None:
    """Two mappings with equal content have one digest."""
    assert digest(value) == digest(dict(reversed(list(value.items()))))


@given(st.integers(min_value=2**53))
def test_long_whole_numbers_stay_apart(number: int) -> None:
    """Ids beyond 2**53 keep every digit."""
    assert canonical(number) == str(number)
    assert canonical(number) != canonical(number + 1)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, {1: 2}, {1, 2}, b"x"])
def test_what_is_not_json_is_refused(value: object) -> None:
    """Values outside JSON raise one clear error."""
    with pytest.raises(NotCanonicalError):
        canonical(value)


def test_deep_nesting_is_refused() -> None:
    """A value nested beyond the interpreter's depth raises the same clear error."""
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(NotCanonicalError):
        canonical(value)


def test_lone_surrogates_have_a_digest() -> None:
    """Text that no UTF-8 encoder takes still hashes."""
    assert digest("\ud800") != digest("\ud801")

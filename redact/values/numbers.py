"""Numbers of JSON that name somebody: `"id": 486392`, `"ring": 40156976771`, which no quotes mark as text.

In: a key and a number, then the numbers seen at one place. Out: whether they are evidence, and whether they are identifiers, days of birth or
neither. What counts something is rarely so long, or its key says nothing of an id; moments lie around the app's last episode.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final

from redact.bounds import A_THIRD, NEARLY_ALL, SHORT
from redact.lists.lexicon import key_words, word_group
from redact.values.dates import read_date

NUMBERED: Final = "#"
"""The kind of a place that holds such numbers."""
ASKED: Final = "##"
"""The kind of a place that holds shorter ones, of which only what tools are asked by tells (`redact.decisions.keys_of_people`)."""
LONG: Final = 10**4
"""So long is a number that an id's key explains."""
_DIGITS: Final = 10**7
"""So long one under any other key: eight digits."""
_AROUND: Final = 3 * 365 * 86_400
_WHOLE: Final = re.compile(r"-?[0-9]{1,40}")
_UNITS: Final = (1, 10**3, 10**6, 10**9)
_FIRST: Final = 1_000_000_000
_LAST: Final = 2_100_000_000
"""Without a last episode any second between 2001 and 2036 may be one."""
_NO_IDS: Final = frozenset({"bid"})


@lru_cache(maxsize=65_536)
def says_id(key: str) -> bool:
    """Say whether a key ends in a word such as id, number or code, or is one letter before `id`."""
    words = key_words(key)
    if not words:
        return False
    last = words[-1]
    short = len(last) == SHORT and last.endswith("id") and last not in _NO_IDS
    return short or bool({last, last.removesuffix("s")} & word_group("id"))


@lru_cache(maxsize=65_536)
def says_amount(key: str) -> bool:
    """Say whether a key says that its numbers count or measure something: `total_views`."""
    return not word_group("amount").isdisjoint(key_words(key))


def number_kind(value: float, key: str) -> str | None:
    """Return the kind of the place of a number that may name somebody; None where it is too short."""
    if not isinstance(value, int) or value < LONG:
        return None
    return NUMBERED if value >= _DIGITS or says_id(key) else ASKED


def are_moments(values: list[str], latest: int) -> bool:
    """Say whether all numbers are seconds, or thousandths and so on, about the time of the app's last episode."""
    if not all(_WHOLE.fullmatch(value) for value in values):
        return False  # a digest, or more digits than any moment has
    now = latest // 10**9
    first, last = (now - _AROUND, now + _AROUND) if now else (_FIRST, _LAST)
    return any(
        all(first * unit <= int(value) <= last * unit for value in values) for unit in _UNITS
    )


def are_days(values: list[str]) -> bool:
    """Say whether all numbers are days without marks: `20260211`."""
    return all(len(value) == len("20260211") and read_date(value) for value in values)


def count_something(values: list[str], key: str) -> bool:
    """Say whether numbers are amounts: many round ones, or of many lengths, under a key that says nothing of an id."""
    if says_id(key) or says_amount(key):
        return not says_id(key)
    lengths = Counter(map(len, values)).most_common(2)
    alike = sum(count for _, count in lengths)
    return sum(value.endswith("00") for value in values) > A_THIRD * len(
        values
    ) or alike < NEARLY_ALL * len(values)


def shape_of_numbers(values: list[str], key: str, latest: int) -> str:
    """Return what numbers of one place are: `moment`, `day`, `amount` or `identifier`; none are amounts."""
    if not values or count_something(values, key):
        return "amount"
    if are_moments(values, latest):
        return "moment"
    return "day" if are_days(values) else "identifier"

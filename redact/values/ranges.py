"""Ranges: two days, months, or amounts with a dash between them, `12/12-12/13`, `2006.9-2011.7`, `99.50-149.00`.

In: a token. Out: whether it is a range. Both ends have one form, and it is one that nobody's number has: a day that the calendar has, an amount
with a mark in it or of round hundreds. Amounts rise: `0171-5550` and `555-0123` are telephones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from redact.bounds import NEAR, TWICE
from redact.values.months import DAYS, MONTHS

_DAY: Final = re.compile(r"(\d{1,2})([/.])(\d{1,2})(?:\2(?:20)?\d\d)?")
"""A day of this century, or one without a year."""
_YEAR_FIRST: Final = re.compile(r"20\d\d([-/.])(\d{1,2})\1(\d{1,2})")
_MONTH: Final = re.compile(r"(?:(?:19|20)\d\d[/.](\d{1,2})|(\d{1,2})[/.](?:19|20)\d\d)")
_MARKED: Final = re.compile(
    r"(?!0\d)(?:\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d{1,3}(?:\.\d{3})+|\d{1,6}\.\d{1,2})"
)
"""An amount with thousands in groups, or with parts of one."""
_COUNTED: Final = re.compile(r"[1-9]\d{0,8}|0")
_CURRENCIES: Final = "$\u00a3\u00a5\u20ac"


@lru_cache(maxsize=20_000)
def is_range(token: str) -> bool:
    """Say whether a token is two days, months or amounts of one form with a dash between them."""
    return is_span(token) or any(_are_amounts(first, last) for first, last in _ends_in(token))


def is_span(token: str) -> bool:
    """Say whether a token is two days or months of one form with a dash between them."""
    return any(
        _are_days(first, last) or _are_months(first, last) for first, last in _ends_in(token)
    )


def _ends_in(token: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and behind each dash; a day of some languages ends with a dot."""
    at = token.find("-") if len(token) <= TWICE * NEAR else -1
    while at > 0:
        yield token[:at].rstrip(" ."), token[at + 1 :].strip(" .")
        at = token.find("-", at + 1)


def _are_days(first: str, last: str) -> bool:
    one, other = _parts_of_day(first), _parts_of_day(last)
    if one is None or other is None:
        return False
    return any(
        all(0 < pair[at] <= MONTHS and 0 < pair[1 - at] <= DAYS for pair in (one, other))
        for at in (0, 1)
    )


def _parts_of_day(text: str) -> tuple[int, int] | None:
    """Return the day and the month of a text, in its own order."""
    found = _DAY.fullmatch(text)
    if found is not None:
        return int(found[1]), int(found[3])
    found = _YEAR_FIRST.fullmatch(text)
    return None if found is None else (int(found[2]), int(found[3]))


def _are_months(first: str, last: str) -> bool:
    found = [_MONTH.fullmatch(end) for end in (first, last)]
    return all(one is not None and 0 < int(one[1] or one[2]) <= MONTHS for one in found)


def _are_amounts(first: str, last: str) -> bool:
    one, other = _amount_of(first), _amount_of(last)
    return one is not None and other is not None and one < other


def _amount_of(text: str) -> float | None:
    """Return the amount that a text is: bare digits are one where they are round."""
    digits = text.lstrip(_CURRENCIES)
    is_round = digits == "0" or digits.endswith("00")
    if _MARKED.fullmatch(digits) or (is_round and _COUNTED.fullmatch(digits)):
        return float(digits.replace(",", "").replace(".", "", digits.count(".") - 1))
    return None

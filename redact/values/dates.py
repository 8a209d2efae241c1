"""Birth dates: read in the formats people and programs write, moved within their year, written back in the same format.

In: a mention of a date. Out: another day of the same year in the same format, and the spellings to search for.
Does not touch any date that was not learnt under a personal key.
"""

from __future__ import annotations

import re
from calendar import isleap, month_name
from datetime import date, timedelta
from typing import Final

from redact.values.months import month_like, month_number, ordinal
from redact.values.permutations import KeyedDigest

_ISO: Final = re.compile(r"(?P<y>\d{4})(?P<s>[-/.]?)(?P<m>\d{2})(?P=s)(?P<d>\d{2})")
_NUMERIC: Final = re.compile(r"(?P<a>\d{1,2})(?P<s>[-/.])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4})")
_LISTED: Final = re.compile(r"(?P<y>(?:19|20)\d\d), (?P<m>\d{1,2}), (?P<d>\d{1,2})")
"""As programs print a day: `date(1961, 3, 14)`."""
_WORDS_MD: Final = re.compile(
    r"(?P<m>[^\W\d_]{3,12})(?P<dot>\.?) (?P<d>\d{1,2})(?P<th>st|nd|rd|th)?(?P<c>,?) (?P<y>\d{4})",
    re.IGNORECASE,
)
_WORDS_DM: Final = re.compile(
    r"(?P<d>\d{1,2})(?P<th>st|nd|rd|th)?(?P<of>\.? | of | de |-)(?P<m>[^\W\d_]{3,12})(?P<c>(?:,|\.| de)? |-)(?P<y>\d{4})",
    re.IGNORECASE,
)


def read_date(text: str) -> date | None:
    """Return the day that a text begins with, None when it is not a date; where both readings are valid, month first but for dots."""
    text = text.strip()
    for pattern in (_ISO, _WORDS_MD, _WORDS_DM, _LISTED):
        found = pattern.match(text)
        if found:
            month = found["m"].lower()
            return _day(
                int(found["y"]),
                int(month) if month.isdecimal() else month_number(month),
                int(found["d"]),
            )
    found = _NUMERIC.match(text)
    if not found:
        return None
    year, first, second = int(found["y"]), int(found["a"]), int(found["b"])
    if found["s"] == ".":  # who writes dots writes the day first
        first, second = second, first
    return _day(year, first, second) or _day(year, second, first)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def other_day(keyed: KeyedDigest, day: date) -> date:
    """Return another day of the same year, by a permutation of the year's days."""
    length = 366 if isleap(day.year) else 365
    start = date(day.year, 1, 1)
    moved = keyed.move((day - start).days, length, f"date{day.year}")
    return start + timedelta(days=moved)


def move_date(keyed: KeyedDigest, mention: str) -> str:
    """Return the mention with its day moved; digits that are no date become other digits."""
    day = read_date(mention)
    if day is None:
        return re.sub(r"[0-9]", lambda digit: str(keyed.move(int(digit[0]), 10, "date")), mention)
    moved = other_day(keyed, day)
    lead = mention[: len(mention) - len(mention.lstrip())]
    return lead + _written_like(mention.strip(), day, moved)


def _written_like(text: str, day: date, moved: date) -> str:
    found = _ISO.match(text)
    if found:
        gap = found["s"]
        return f"{moved.year:04d}{gap}{moved.month:02d}{gap}{moved.day:02d}" + text[found.end() :]
    found = _LISTED.match(text)
    if found:
        return f"{moved.year}, {moved.month}, {moved.day}" + text[found.end() :]
    found = _NUMERIC.match(text)
    if found:
        month_first = int(found["a"]) == day.month and (found["s"] != "." or day.month != day.day)
        first, second = (moved.month, moved.day) if month_first else (moved.day, moved.month)
        gap = found["s"]
        wide = len(found["a"]) == 2 and len(found["b"]) == 2
        pair = f"{first:02d}{gap}{second:02d}" if wide else f"{first}{gap}{second}"
        return f"{pair}{gap}{moved.year}" + text[found.end() :]
    found = _WORDS_MD.match(text)
    if found:
        name = _month_like(found["m"], moved.month)
        mark = ordinal(moved.day) if found["th"] else ""
        return (
            f"{name}{found['dot']} {moved.day}{mark}{found['c']} {moved.year}" + text[found.end() :]
        )
    found = _WORDS_DM.match(text)
    if found:
        name = _month_like(found["m"], moved.month)
        mark = ordinal(moved.day) if found["th"] else ""
        return f"{moved.day}{mark}{found['of']}{name}{found['c']}{moved.year}" + text[found.end() :]
    return text


def _month_like(word: str, month: int) -> str:
    if len(word) == 3 and word.casefold() == "may":
        word = {"MAY": "JAN", "may": "jan"}.get(
            word, "Jan"
        )  # the short form, as others of three letters
    return month_like(word, month)


def spellings(day: date) -> list[str]:
    """Return the ways the day may stand elsewhere in the episode, folded to lower case."""
    year, month, number = day.year, day.month, day.day
    name, short = month_name[month].lower(), month_name[month][:3].lower()
    found = {f"{year}{gap}{month:02d}{gap}{number:02d}" for gap in ("-", "/", ".", "")}
    for gap in ("/", "-", "."):
        found |= {f"{month:02d}{gap}{number:02d}{gap}{year}", f"{month}{gap}{number}{gap}{year}"}
        found |= {f"{number:02d}{gap}{month:02d}{gap}{year}", f"{number}{gap}{month}{gap}{year}"}
    marked = f"{number}{ordinal(number)}"
    for word in {name, short, short + "."}:
        found |= {
            f"{word} {number}, {year}",
            f"{word} {number} {year}",
            f"{word} {number:02d}, {year}",
        }
        found |= {f"{word} {marked}, {year}", f"{word} {marked} {year}"}
        found |= {
            f"{number} {word} {year}",
            f"{number:02d} {word} {year}",
            f"{marked} {word} {year}",
        }
        found |= {
            f"{marked} of {word} {year}",
            f"{marked} of {word}, {year}",
            f"{number} {word}, {year}",
        }
    return sorted(found)


def short_spellings(day: date) -> list[str]:
    """Return the ways the day may stand with two digits of its year, which say the day only to who knows it."""
    month, number, year = f"{day.month:02d}", f"{day.day:02d}", f"{day.year % 100:02d}"
    return [
        gap.join(parts) for gap in "/-." for parts in ((month, number, year), (number, month, year))
    ]

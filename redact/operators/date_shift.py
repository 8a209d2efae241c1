"""One shift of all dates of an app: every date and time in a text moved by the same whole weeks, written as it was.

In: a text, and the day it was written near. Out: the text with its dates moved: ISO days and weeks, numeric days, days
with a month's name, and numbers of seconds or days under keys that name a time. Times of day, zones and weekdays stay.
What is no valid day, or says a month or a year only, stays. Birth dates are `redact.values.dates`' and are not moved again.

The new text follows from the old one alone, save for days without a year: equal values stay equal wherever they stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from redact.bounds import NEAR
from redact.lists.word_lists import word_list
from redact.values.months import MONTH, month_like, month_number, ordinal

_DAY_NS: Final = 86_400 * 10**9
_TIME_WORDS: Final = word_list("time")
_DIGITS: Final = {10: 1, 13: 10**3, 16: 10**6, 19: 10**9}
"""How many digits a moment since 1970 has, and how many of its units make a second."""
_FIRST_MOMENT, _LAST_MOMENT = 10**9, 4_102_444_800
_EARLIEST, _LATEST = 1000, 9998
"""Years a date may have: 0001-01-01 and 9999-12-31 are written for "never"."""
_RUN: Final = re.compile(r"\d+")
_SIZES: Final = frozenset({1, 2, 4, 8, *_DIGITS})
"""Runs of other lengths are in no date."""
_BEGINNING: Final = re.compile(
    rf"""
      (?P<iy>\d{{4}})(?P<is>[-/._])(?P<im>\d{{1,2}})(?P=is)(?P<id>\d{{1,2}})(?!\d)
    | (?P<by>\d{{4}})(?P<bm>\d{{2}})(?P<bd>\d{{2}})(?=T\d{{4}})
    | (?P<wy>\d{{4}})(?P<ws>-?W)(?P<ww>\d{{2}})(?!\d)
    | (?P<cy>\d{{4}})(?P<c1>\ ?年\ ?)(?P<cm>\d{{1,2}})(?P<c2>\ ?月\ ?)(?P<cd>\d{{1,2}})(?=\ ?日)
    | (?<![\w.-])(?P<number>\d{{8}}|\d{{10}}|\d{{13}}|\d{{16}}|\d{{19}})(?!\w|[-.]\w*[^\W\d])
    | (?:(?<![\w./-])|(?<=[./]\d{{4}}-))(?P<na>\d{{1,2}})(?P<ns>[-/.])(?P<nb>\d{{1,2}})(?P=ns)(?P<ny>\d{{4}})(?![\d/])
    | (?:(?<![\w./-])|(?<=\d/\d\d-))(?P<sa>\d{{2}})/(?P<sb>\d{{2}})/(?P<sy>\d{{2}})(?![\d/])
    | (?<![\w./-])(?P<dd>\d{{1,2}})(?P<dth>st|nd|rd|th|\.|er)?(?P<dg>[ ](?:of[ ]|de[ ])?|[-/])(?P<dm>{MONTH})\b
      (?:(?P<dc>,?[ ](?:de[ ])?|[-/]|\.[ ])(?P<dy>\d{{4}})(?!\d))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What a date looks like from its first digit on."""
_MONTH_BEFORE: Final = re.compile(rf"(?<![^\W_])({MONTH})(\.?[ ])$", re.IGNORECASE)
_AFTER_MONTH: Final = re.compile(
    r"""(?P<md>\d{1,2})(?P<mth>st|nd|rd|th)?
    (?:(?P<mr>[ ]?[-\u2013][ ]?)(?P<me>\d{1,2})(?P<meth>st|nd|rd|th)?)?(?![\d.]\d|\d|:\d|%)
    (?:(?P<mc>,?[ ](?:\d\d:\d\d:\d\d[ ])?)(?P<my>\d{4})(?!\d))?""",
    re.VERBOSE | re.IGNORECASE,
)
_KEY_BEFORE: Final = re.compile(
    r"([^\W\d_][\w.-]{0,63})\\*[\"']?\s*[:=]\s*(?:\[[\d\s,.\"'\\]*)?\\*[\"']?$"
)
_WORD: Final = re.compile(r"[A-ZÀ-Þ]?[^\W\d_A-ZÀ-Þ]+|[A-ZÀ-Þ]+(?![^\W\d_A-ZÀ-Þ])")


class _MovedDate(NamedTuple):
    """A date of a text with what replaces it."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DateShift:
    """How far an app's dates are moved, and how its numeric days are read."""

    days: int = 0
    """A multiple of 7, so that weekdays stay; 0 moves nothing."""
    day_first: bool = False
    """`03/04/2024` is the third of April; with dots the day always comes first."""

    def moment(self, at: int) -> int:
        """Return a moment in nanoseconds, moved."""
        return at + self.days * _DAY_NS

    def text(self, text: str, near: int) -> str:
        """Return a text with its dates moved; a day without a year is in the year closest to the moment `near`."""
        if not self.days:
            return text
        out: list[str] = []
        done = 0
        for run in _RUN.finditer(text):
            start, end = run.span()
            if start < done or end - start not in _SIZES:
                continue
            begun = self._begun(text, start, near) or self._after_month(text, start, near)
            if begun is not None:
                out += (text[done : begun.start], begun.text)
                done = begun.end
        return "".join([*out, text[done:]]) if out else text

    def _begun(self, text: str, start: int, near: int) -> _MovedDate | None:
        """Return the date that begins at a digit, moved."""
        found = _BEGINNING.match(text, start)
        if found is None:
            return None
        try:
            if found["number"]:
                moved = self._number(found)
            elif found["dd"]:
                moved = self._day_first(found, near)
            elif found["na"] or found["sa"]:
                moved = self._numeric(found)
            else:
                moved = self._ordered(found)
        except (ValueError, OverflowError):
            return None  # no such day: a version, a fraction, a day for "never"
        return _MovedDate(found.start(), found.end(), moved)

    def _after_month(self, text: str, start: int, near: int) -> _MovedDate | None:
        """Return the date whose month's name ends before a digit, moved."""
        if text[start - 1 : start] != " ":
            return None
        first = max(0, start - NEAR)
        before = _MONTH_BEFORE.search(text[first:start])
        after = _AFTER_MONTH.match(text, start) if before else None
        if before is None or after is None:
            return None
        try:
            moved = self._month_first(before[1], before[2], after, near)
        except (ValueError, OverflowError):
            return None
        return _MovedDate(first + before.start(), after.end(), moved)

    def _day(self, year: int, month: int, day: int) -> date:
        if not _EARLIEST <= year <= _LATEST:
            raise ValueError(year)
        return date(year, month, day) + timedelta(days=self.days)

    def _ordered(self, found: re.Match[str]) -> str:
        """Return a date that begins with its year."""
        if found["iy"]:
            day = self._day(int(found["iy"]), int(found["im"]), int(found["id"]))
            gap, wide = found["is"], len(found["im"]) == len(found["id"]) == 2
            width = 2 if wide else 1
            return f"{day.year:04d}{gap}{day.month:0{width}d}{gap}{day.day:0{width}d}"
        if found["by"]:
            return f"{self._day(int(found['by']), int(found['bm']), int(found['bd'])):%Y%m%d}"
        if found["wy"]:
            monday = date.fromisocalendar(int(found["wy"]), int(found["ww"]), 1)
            moved = (monday + timedelta(days=self.days)).isocalendar()
            return f"{moved.year:04d}{found['ws']}{moved.week:02d}"
        day = self._day(int(found["cy"]), int(found["cm"]), int(found["cd"]))
        return f"{day.year}{found['c1']}{day.month}{found['c2']}{day.day}"

    def _numeric(self, found: re.Match[str]) -> str:
        """Return `05/15/2024` or `15.05.2024`, read in the app's order and, where that is no day, in the other."""
        short = found["sa"] is not None
        one, two, gap, year = (
            (found["sa"], found["sb"], "/", f"20{found['sy']}")
            if short
            else (found["na"], found["nb"], found["ns"], found["ny"])
        )
        first = self.day_first or gap == "."
        if int(two if first else one) > 12:
            first = not first
        month, number = (int(two), int(one)) if first else (int(one), int(two))
        day = self._day(int(year), month, number)
        width = 2 if len(one) == len(two) == 2 else 1
        pair = (day.day, day.month) if first else (day.month, day.day)
        tail = f"{day.year % 100:02d}" if short else f"{day.year:04d}"
        return f"{pair[0]:0{width}d}{gap}{pair[1]:0{width}d}{gap}{tail}"

    def _day_first(self, found: re.Match[str], near: int) -> str:
        """Return `15 May 2024`, `15. Mai`, `15 de mayo de 2024`."""
        day = self._with_year(found["dy"], month_number(found["dm"]), int(found["dd"]), near)
        mark = found["dth"] or ""
        mark = ordinal(day.day) if mark.lower() in {"st", "nd", "rd", "th"} else mark
        year = f"{found['dc']}{day.year}" if found["dy"] else ""
        width = len(found["dd"]) if found["dd"].startswith("0") else 1
        name = month_like(found["dm"], day.month)
        return f"{day.day:0{width}d}{mark}{found['dg']}{name}{year}"

    def _month_first(self, word: str, gap: str, found: re.Match[str], near: int) -> str:
        """Return `May 15, 2024`, `May 15th`, `May 15-20`."""
        month = month_number(word)
        day = end = self._with_year(found["my"], month, int(found["md"]), near)
        until = ""
        if found["me"]:
            end = self._with_year(found["my"], month, int(found["me"]), near)
            other = "" if end.month == day.month else f"{month_like(word, end.month)} "
            until = f"{found['mr']}{other}{end.day}{ordinal(end.day) if found['meth'] else ''}"
        year = f"{found['mc']}{end.year}" if found["my"] else ""
        mark = ordinal(day.day) if found["mth"] else ""
        width = len(found["md"]) if found["md"].startswith("0") else 1
        return f"{month_like(word, day.month)}{gap}{day.day:0{width}d}{mark}{until}{year}"

    def _with_year(self, year: str | None, month: int, day: int, near: int) -> date:
        if year:
            return self._day(int(year), month, day)
        around = datetime.fromtimestamp(near / 1e9, tz=UTC).date()
        there: list[date] = []
        for close in (around.year - 1, around.year, around.year + 1):
            try:
                there.append(date(close, month, day))
            except ValueError:
                continue  # the 29th of February
        if not there:
            raise ValueError(day)
        nearest = min(there, key=lambda found: abs(found - around))
        return nearest + timedelta(days=self.days)

    def _number(self, found: re.Match[str]) -> str:
        """Return a moment in seconds, or a day in eight digits, where the key before it names a time."""
        start = found.start()
        key = _KEY_BEFORE.search(found.string[max(0, start - 160) : start])
        if key is None or not names_time(key[1]):
            return found[0]
        digits = found["number"]
        if len(digits) == 8:
            return f"{self._day(int(digits[:4]), int(digits[4:6]), int(digits[6:])):%Y%m%d}"
        unit = _DIGITS[len(digits)]
        if not _FIRST_MOMENT * unit <= int(digits) < _LAST_MOMENT * unit:
            return digits
        return str(int(digits) + self.days * 86_400 * unit)


def names_time(key: str) -> bool:
    """Say whether a key names a time: `created_at`, `expiresAt`, `timestamp`."""
    return any(word.lower() in _TIME_WORDS for word in _WORD.findall(key))

"""Tokens that look like identifiers in text that no key explains: sentences, screens, segments, logs, addresses of pages.

In: a text. Out: the tokens. Knows no form: what stands between blanks and marks of punctuation is a token where its letters
and digits are those of a number that somebody or something is known by, and not of an amount, a size, a day or an hour.
Whether such a token is spared, because a key of the app explains it, is `redact.decisions.rules`'s question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from redact.bounds import BEFORE, CODE_LENGTH, LONG, LONGEST_LINE, LONGEST_PROSE, NEAR, SHORT, STEM
from redact.lists.gazetteer import is_name
from redact.values.months import DAYS, MONTH, MONTHS
from redact.values.ranges import is_range
from redact.values.shapes import EMAIL, digit_count, emails_in, is_phone, is_plain, letter_count

FREE: Final = "~"
"""The path of the place where tokens of free text are counted."""

_RUN: Final = re.compile(
    r"[^\s\"'<>|^~,;=()\[\]{}`*\u2013-\u2015\u2018-\u201f\u3001\u3002\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u0e00-\u0eff]+"
)
_GROUPED: Final = re.compile(
    r"(?<![\w.,$€£¥-])[+(]{0,2}(?=[A-Z]{0,4}\d)[\dA-Z]++\)?"
    r"(?:(?:[ ./-]{1,2}\(?|(?<=\)))(?=[A-Z]*\d)[\dA-Z]++\)?(?![.,]\d))*+(?!\w)"
)
"""Groups of digits and capitals with single marks between them: `0171 555 0123`, `482 1133-7`, `MH12 2011 0012`."""
_PLATE: Final = re.compile(
    r"(?<![\w.,$€£¥-])(?:\d{4} (?!GBP|PLN|CZK|HKD|BRL|MXN|DKK|CNY|NPR|PHP)[B-DF-HJ-NP-TV-Z]{3}|[A-Z]{1,3}-[A-Z]{1,2} ?\d{1,4})(?!\w)"
)
"""Number plates, whose letters are no unit: `4821 BGL`, `B-MW 421`."""
_CLOCK: Final = re.compile(r"(?<![\d.:])((?:[01]?\d|2[0-4]):[0-5]\d:[0-5]\d)\.\d{1,9}(?!\d)")
"""The hour to parts of a second: `20:25:55.669660`."""
_DECIMAL: Final = re.compile(r"(?<![\w.])-?\d{1,3}\.\d{4,}(?!\w)")
_WINDOW: Final = re.compile(r"\d\S*+(?: [^\s\d]*+\d\S*+)*(?: [A-Z]{3}(?!\w))?")
"""Words that hold digits, side by side, from the first digit on: the engine jumps to it."""
_REGION: Final = re.compile(r"(?<!\S)[A-Z]{1,3}-[A-Z]{1,2} \Z")
_WORD_END: Final = re.compile(r"\s|$")
_PARTS: Final = re.compile(r"[/?&#:]+")

_MOMENT: Final = re.compile(
    r"(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4})"
    r"(?:[T ].*|(?:\.{2,3}|/|--)(?:\d{4}-\d\d-\d\d|\d\d[/.]\d\d[/.]\d{4}))?|T?\d{1,2}:\d{2}\S*"
)
"""A day, perhaps with an hour, or from one day to another (`2026-04-02..2026-04-13`); an hour."""
_COMPACT: Final = re.compile(r"20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T?\d{4,8}Z?)?")
"""A day of this century without marks, perhaps with an hour."""
_AMOUNT: Final = re.compile(
    r"[-+]?(?:\d{1,3}(?:[.,\u2019]\d{3})+|\d+)(?:[.,]\d{1,3})?%?|[-+]?\d{1,6}\.\d+%?|\d+(?:[x\u00d7]\d+)+|[vV]?\d{1,3}(?:\.\d{1,3}){1,2}"
)
_MONEY: Final = re.compile(
    r"^[-+]?(?:[A-Z]{0,3}[$\u00a3\u00a5\u20ac]|(?:EUR|USD|CHF|JPY|SEK|NOK|INR|CAD|AUD|GBP|PLN|CZK|HKD|BRL|MXN|DKK|CNY|NPR|PHP)(?= )) ?"
)
_LONG_COUNT: Final = re.compile(r"0\d+|\d{9,}")
"""Digits that nobody groups, or with a 0 before them: a card's or a telephone's, whatever stands before."""
_SIZE: Final = re.compile(r"\d{1,5}[A-Za-z%°]{1,4}|[a-z]{1,3}\d{1,3}|[A-Za-z]+-\d{1,2}")
_TURN: Final = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_YEAR: Final = re.compile(r"19\d\d|20[01]\d")
_ANY_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_YEARS: Final = re.compile(r"(?:(?:1[6-9]|20)\d\d(?:[ /-]|$)){2,}")
"""Years side by side, or from one to another: `2019 2020`, `1889-1967`."""
_WHEN: Final = re.compile(
    r"20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|20\d\d[ -]?[QH][1-4]|[QH][1-4][ -]?20\d\d|(?:[01]?\d|2[0-4])h[0-5]\d"
)
"""A day of this century without marks, a quarter or half of a year, an hour of Romance languages (`14h00`)."""
_DATED: Final = re.compile(
    r"(?<!\d)20\d\d([-/_.])(?:0[1-9]|1[0-2])(?:\1(?:0[1-9]|[12]\d|3[01]))?(?![\d-])"
    r"|(?<=[/\\])20\d\d(?=[/\\]|\Z)"
)
"""A month or a day in the name of a file, or a year as a folder's: `logs/2023-11.log`, `photos/2024`."""
DAY: Final = re.compile(
    rf"(?<![\w.-])(?:(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:19|20)\d\d, \d{{1,2}}, \d{{1,2}}|(?:19|20)\d\d([-/.])\d\d\1\d\d|\d{{1,2}}([-/.])\d{{1,2}}\2(?:19|20)\d\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of | de | |-)(?:{MONTH})(?:,|\.| de)?[ -](?:19|20)\d\d"
    rf"|(?:{MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d)(?![\w-])",
    re.IGNORECASE,
)
_UNIT: Final = re.compile(r"\d{1,5}-([a-z]{3,})")
"""A number and what it counts: `1000-piece`."""
_CODE_LINE: Final = re.compile(r"[\w./$-]+\.[A-Za-z]{1,5}:\d{1,5}(?::\d+)?")
"""A line of a program: `UserMap.java:118`."""
_DIGITS: Final = re.compile(r"\d\D{0,2}\d\D{0,2}\d")
_TRIMMED: Final = ".:/-!?*_+&#\\"
_MARKS: Final = ".#!$%*@"
"""Marks inside a word with a number: of user names and passwords."""
_PAIRS: Final = re.compile(r"\d\d-\d\d-\d\d")
"""A code of a bank's branch, unless it is a day."""


def free_ids(text: str) -> Iterator[str]:
    """Yield the tokens of a text that look like identifiers, each as it stands."""
    if _DIGITS.search(text):
        for window in windows_of(text):
            yield from _ids_in(window)
        yield from _places_in(text)


def windows_of(text: str) -> Iterator[str]:
    """Yield the words that hold digits, those side by side as one, with a region before or a unit behind in capitals."""
    done = place = 0
    while found := _WINDOW.search(text, place):
        first, place = found.span()
        before = text[done:first]
        inside = before and not before[-1].isspace()
        start = first - len(before.rsplit(None, 1)[-1]) if inside else first
        if start == done > 0:  # in the word whose beginning was the last window's unit
            ended = _WORD_END.search(text, first)
            place = ended.start() if ended else len(text)
            continue
        if place - first < SHORT:
            done = place
            continue
        # Before the blank stands a capital, or no region: most windows are spared the search.
        region = (
            _REGION.search(text, max(done, start - LONG), start)
            if start > 1 and "A" <= text[start - 2] <= "Z"
            else None
        )
        done = place
        yield text[region.start() if region else start : place]


@lru_cache(maxsize=65_536)
def _ids_in(window: str) -> tuple[str, ...]:
    """Return the identifiers in words that hold digits, side by side."""
    digits = sum(map(str.isdigit, window))
    if digits < SHORT:
        return ()
    if "." in window and ":" in window:
        window = _CLOCK.sub(r"\1", window)
    if digits < LONG and "-" not in window and window.isascii() and not _has_letter(window):
        return ()  # half of all: amounts and hours
    return tuple(dict.fromkeys(_ids_among(window)))


def _ids_among(window: str) -> list[str]:
    """Return the identifiers in words that hold digits, whatever else stands in them."""
    found = []
    if " " in window or "-" in window or "/" in window or ")" in window:
        for grouped in _GROUPED.finditer(window):
            token = _balanced(grouped[0].strip(" .:/-"))
            marked = len(token) <= LONGEST_LINE and any(mark in token for mark in " /-()")
            if marked and _is_grouped(token):
                found.append(token)
        if window != window.lower():
            found += [plate[0] for plate in _PLATE.finditer(window)]
    for run in _RUN.finditer(window):
        if len(run[0]) >= STEM and sum(map(str.isdigit, run[0])) > 1:
            found += _ids_of(run[0])
    return found


def _places_in(text: str) -> Iterator[str]:
    """Yield the numbers of places on the map: two with four decimals or more, one near the other."""
    for one, other in pairwise(_DECIMAL.finditer(text)) if "." in text else ():
        if one.end() + CODE_LENGTH >= other.start():
            yield from (one[0], other[0])


def _has_letter(ascii_text: str) -> bool:
    """Say whether an ASCII text holds a letter."""
    return ascii_text.lower() != ascii_text.upper()


def _balanced(token: str) -> str:
    """Return a token without a bracket that it does not open and close, and without a pair around all of it."""
    if token.startswith("(") and token.find(")") == len(token) - 1:
        return token[1:-1].strip()
    if ")" in token and "(" not in token:
        return token.replace(")", "").strip()
    return token.partition("(")[0].strip() if "(" in token and ")" not in token else token


def _ids_of(run: str) -> tuple[str, ...]:
    """Return what of a run of characters is an identifier: all of it, or parts of an address."""
    if len(run) > LONGEST_LINE and "/" not in run:
        return ()
    token = run.strip(_TRIMMED)
    found = []
    if "/" in token or ":" in token or "&" in token or "?" in token:
        found = [part for part in map(_trimmed, _PARTS.split(token)) if is_free_id(part)]
    queried = "&" in token
    if not queried and "://" not in token and token.count("/") < SHORT and is_free_id(token):
        found.insert(0, token)
    return tuple(dict.fromkeys(found))


def _trimmed(part: str) -> str:
    return part.strip(_TRIMMED)


@lru_cache(maxsize=65_536)
def is_free_id(token: str) -> bool:
    """Say whether a token without blanks looks like an identifier."""
    if not STEM <= len(token) <= LONGEST_LINE or is_time_or_amount(token):
        return False
    digits, letters = digit_count(token), letter_count(token)
    if ("@" in token or "%40" in token) and EMAIL.fullmatch(token.replace("%40", "@")):
        return False
    if not letters:
        return digits >= LONG or is_phone(token)
    if digits < 2 or is_dated_title(token) or _SIZE.fullmatch(token):
        return False
    if _CODE_LINE.fullmatch(token) or _is_count(token):
        return False
    mixed = digits >= STEM or len(_TURN.findall(token)) >= SHORT
    code = digits > 2 and any(map(str.isupper, token)) and not any(map(str.islower, token))
    marked = digits > 2 and letters > 2 and any(mark in token for mark in _MARKS)
    return mixed or code or marked


def is_capital_code(key: str) -> bool:
    """Say whether a key of an object is a number with capitals, as nobody names a field: `WRN417`."""
    return not key.islower() and _CAPITAL_CODE.fullmatch(key) is not None and is_free_id(key)


_CAPITAL_CODE: Final = re.compile(r"(?=(?:.*[A-Z]){2})(?=(?:.*\d){3})[A-Z\d]{5,20}")


def _is_count(token: str) -> bool:
    counted = _UNIT.fullmatch(token)
    return counted is not None and not is_name(counted[1])


@lru_cache(maxsize=65_536)
def _is_grouped(token: str) -> bool:
    """Say whether groups of digits are a number by which somebody is known."""
    if is_time_or_amount(token):
        return False
    digits, letters = digit_count(token), letter_count(token)
    return (
        digits >= LONG
        or is_phone(token)
        or (letters > 0 and digits > STEM)
        or (_PAIRS.fullmatch(token) is not None and not _may_be_day(token))
    )


def _may_be_day(token: str) -> bool:
    """Say whether three pairs of digits are a day in any order."""
    first, second, third = map(int, token.split("-"))
    orders = ((first, second), (second, first), (third, second))
    return any(0 < day <= DAYS and 0 < month <= MONTHS for day, month in orders)


def free_days(text: str) -> Iterator[str]:
    """Yield the days of a text, as they stand."""
    for start, end in _around_years(text):
        for found in DAY.finditer(text, start, end):
            yield found[0]


def _around_years(text: str) -> list[tuple[int, int]]:
    """Return the parts of a text where its days can stand: the pattern tries every word, and few texts tell many years."""
    parts: list[tuple[int, int]] = []
    for year in _ANY_YEAR.finditer(text) if _YEAR.search(text) else ():
        start, end = max(0, year.start() - BEFORE), year.end() + NEAR
        if parts and start <= parts[-1][1]:
            start = parts.pop()[0]
        parts.append((start, end))
    return parts


def between_ids(text: str) -> list[str]:
    """Return what of a text stands before, between and after its identifiers and days."""
    if len(text) > LONGEST_PROSE:
        return [text]
    tokens = sorted({*emails_in(text), *free_ids(text), *free_days(text)}, key=len, reverse=True)
    parts = [text]
    for token in tokens:
        parts = [piece for part in parts for piece in part.split(token)]
    return parts


def is_when_or_sum(token: str) -> bool:
    """Say whether a token by its form can be nothing but a time, or a sum of money with its currency before it."""
    bare = _MONEY.sub("", token)
    is_sum = _AMOUNT.fullmatch(bare) is not None and _LONG_COUNT.fullmatch(bare) is None
    return _WHEN.fullmatch(token) is not None or (bare != token and is_sum)


def is_dated_title(text: str) -> bool:
    """Say whether a text is words that nobody bears with a day or a month, as files and reports are called: `Tax_Review_2024-11`."""
    rest, dated = _DATED.subn("", text)
    words = _PIECE.findall(rest) if dated and digit_count(rest) < STEM else []
    return bool(words) and all(
        (len(word) < STEM and not is_name(word.casefold())) or is_plain(word.casefold())
        for word in words
    )


_PIECE: Final = re.compile(r"[A-Z]?[a-z\u00df-\u00fe]+|[^\W\d_]+")


def is_time_or_amount(token: str) -> bool:
    """Say whether a token is a day, an hour, an amount, several years, or a range of such."""
    if is_range(token) or any(form.fullmatch(token) for form in (_WHEN, _MOMENT, _COMPACT, _YEARS)):
        return True
    token = _MONEY.sub("", token)
    return _AMOUNT.fullmatch(token) is not None and (
        not token.isdecimal()
        or len(token) < LONG
        or (len(token) <= CODE_LENGTH and token.endswith("000"))
    )

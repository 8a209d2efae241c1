"""Facts in a text: amounts, dates, times, ids and e-mail addresses, each in a form that compares whatever its spelling.

In: a text as a person or a tool wrote it. Out: its facts with all that each may mean (`1.234` is a decimal or a thousand), and
the text folded, for what is searched in it word by word. Standard library only: it travels with every task set.
Not here: which facts matter, and what they are compared with (`checks.told_values`, `checks.ground`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from math import isfinite
from typing import Final

from ..task.attempt import Json
from .months import MONTHS, WEEKDAYS
from .spelt_numbers import in_figures

NUMBER: Final = "number"
DATE: Final = "date"
TIME: Final = "time"
ID: Final = "id"
EMAIL: Final = "email"
COUNT: Final = "count"
"""A small whole number with the word for what it counts: `3 alarms`."""

LEAST_SPECIFIC: Final = 32
"""Smaller whole numbers are counts, places in a list and days of a month: they stand everywhere."""
MONTH_AND_DAY: Final = 5
"""Signs of a date without its year."""
LARGEST_SHARE: Final = 10
"""Two numbers with a slash up to this may be a share."""
LONGER_END: Final = 2
"""So many digits more than where it begins a range may end with: `1-100` is one, `26/141820` an id."""
LEAST_ID: Final = 5
"""So many letters and digits are an id with a single digit, too."""
LONGEST_TEXT: Final = 400_000
"""Characters of one text that are looked at: an answer of a megabyte is not read to its end."""
MOST_TEXTS: Final = 512

_MARKUP: Final = re.compile(r"\*\*|__|`|~~")
_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\uff0d", "-"),
        "\u2019": "'",
        "\u2018": "'",
        "\u066b": ".",
        "\u066c": ",",
    }
)
_SPACED_THOUSANDS: Final = re.compile(r"(?<=\d)[\u00a0\u2009\u202f'](?=\d{3}(?!\d))")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
"""Before a day; behind it any language's."""
_MONTHS: Final = "|".join(map(re.escape, MONTHS))
_SCALES: Final = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9, "千": 1e3, "万": 1e4, "萬": 1e4,
    "亿": 1e8, "億": 1e8, "lakh": 1e5, "crore": 1e7,
}  # fmt: skip
_FIGURE: Final = (
    r"(?:\d{1,3}(?:,\d{3}){1,6}(?:\.\d+)?|\d{1,3}(?:\.\d{3}){1,6}(?:,\d+)?|\d{1,3}(?:[ ]\d{3}){1,6}(?:,\d{1,2}|(?=[ ]?[%€]))"
    r"|\d+(?:[.,]\d+)?)"
)
_CURRENCY: Final = r"[$€£¥₹₩₽元円]"
_COINS: Final = (
    r"(?:[€£]|euros?|pounds?|dollars?|francs?|franken|kron(?:or|er|en)|reais|lir[ae]|zł(?:otych)?)"
)
_JOINS: Final = r"(?:and|und|et|y|con|e|en|og|och|i)"
_CENTS: Final = r"cents?|pence|rappen|centimes|c[eé]ntimos|centavos|centesimi|öre|øre|gr(?:oszy)?"
"""Money as people say it: `64 euros and 45 cents`, `64 euros con 45`."""
_CURRENCIES: Final = {
    "dollar": "$ dollar dollars usd cad aud nzd sgd hkd mxn ars cop clp peso pesos",
    "euro": "€ euro euros eur",
    "pound": "£ pound pounds gbp quid",
    "yen": "¥ 円 元 yen yuan jpy cny rmb",
    "rupee": "₹ rupee rupees inr",
    "won": "₩ won krw",
    "real": "real reais brl",
    "franc": "franc francs franken chf",
    "krone": "kr krone kroner kronor sek nok dkk",
    "zloty": "zł złoty złotych pln",
}
"""What people write for the money of one name; countries that share the name share the sign."""
UNITS: Final = {
    "%": "%",
    "percent": "%",
    "prozent": "%",
    **{sign: name for name, signs in _CURRENCIES.items() for sign in signs.split()},
}
"""What stands beside a number and says of what it is one, folded."""
_UNIT_BEHIND: Final = re.compile(rf"[ ]?({'|'.join(map(re.escape, UNITS))})(?!\w)")
_UNIT_BEFORE: Final = re.compile(r"(?<![^\W_])([a-z]{3})[ ]?-?\Z")
_LONGEST_UNIT: Final = 6
"""Characters of a code before a number, with a space, a sign and what stands before it."""
_WORD: Final = r"[a-z0-9]"
_BETWEEN: Final = r"""[\s,;!?()"'|=<>{}\[\]]"""
_NO_FACT: Final = rf"(?!jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]+(?:[_./+:\#-][a-z]+)*(?:{_BETWEEN}|\.\s)"
"""A word without a digit that is no month and does not go on behind: no fact begins in it. Most of a text is such words."""
_PARTS: Final = re.compile(
    rf"""
    (?P<words>(?:{_BETWEEN}|{_NO_FACT})+)
  | (?P<email>(?<![\w.+-])[\w.+-]{{1,64}}@[\w-]+(?:\.[\w-]+)+)
  | (?P<url>https?://[^\s<>")\]]+)
  | (?<!\d)(?P<iso>\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}})(?!\d)
  | (?<![\w#.,/:-])(?P<compact>(?:19|20)\d{{2}}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?![\w/]|[.,:-]\d)
  | (?P<cjk>(?:\d{{4}}\s?年\s?)?\d{{1,2}}\s?月\s?\d{{1,2}}\s?[日号號])
  | (?<!{_WORD})(?P<monthly>{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d|:|{_WORD})(?:,?\s+\d{{4}}(?!{_WORD}))?)
  | (?<![\w.])(?!\d\d?\.\smay\b)(?P<daily>\d{{1,2}}(?:st|nd|rd|th|er|[.º])?\s+(?:(?:of|del?|di)\s+)?(?:{_MONTHS})\b\.?(?:(?:,|\s+del?)?\s+\d{{4}}(?!{_WORD}))?)
  | (?<![\w.])(?P<dotted>(?:(?<=\bam\s)|(?<=\bab\s)|(?<=\b(?:vom|zum|bis|dem|den|der|auf|für)\s)|(?=\d{{1,2}}\.\d{{1,2}}\.[,;:)]))\d{{1,2}}\.\d{{1,2}}\.)(?!\d)
  | (?<![\w/.-])(?P<slashed>\d{{1,2}}(?P<mark>[/.])\d{{1,2}}(?P=mark)(?:\d{{4}}|\d{{2}}))(?![\w/]|[.-]\d)
  | (?:(?<=\d)t|(?<![a-z0-9_:]))(?P<time>\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d+)?(?:[+-]\d{{2}}:\d{{2}})?)?z?(?:\s?[ap](?:m\b|\.m\b\.?))?|\d{{1,2}}(?:\.\d{{2}})?\s?[ap](?:m\b|\.m\b\.?)|\d{{1,2}}(?:[.:]\d{{2}})?\s?(?:uhr|o'clock)\b|\d{{1,2}}h\d{{2}}\b|\d{{1,2}}\s?[时時点點](?:\d{{1,2}}\s?分)?)
  | (?<![\w#.,/-])(?P<coins>(?:\d{{1,3}}(?:[,.]\d{{3}}){{1,3}}|\d{{1,6}})\s?{_COINS}\s(?:(?:{_JOINS}\s)?\d\d\s(?:{_CENTS})\b|(?:con\s)?\d\d(?!\w|\s?%|[.,:/-]\d)))
  | (?<![\w#./])(?<!\w-)(?P<money>-?{_CURRENCY}\s?-?)?(?P<number>{_FIGURE})(?P<after>\s?(?:%|元|円|€|£|(?:thousand|million|billion|lakh|crore)\b|[千万萬亿億]))?(?![a-z0-9_]|[-/:.,]\d)
  | (?P<token>\#?[a-z0-9]+(?:[_./+:#-][a-z0-9]+)*)
    """,
    re.VERBOSE,
)
_POINT: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_COMMA: Final = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|(?![1-9]\d{0,2},\d{3}$)\d+,\d+")
"""A figure with a point, and with a comma, before its decimals. `310,000` is read as thousands: who may mean 310 is paid for both."""
_UNIT: Final = re.compile(
    rf"({_FIGURE})([a-z]{{1,3}}|secs|mins|hours?|days|weeks?|months?|years?|miles?|inch|feet|grams?)"
)
"""A number with its unit; more letters that are no word of measure make it an id."""
_RANGE: Final = re.compile(r"(\d{1,6})[-/](\d{1,6})")
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")
_MARKS: Final = frozenset(".,")
_ARTICLES: Final = frozenset({"the", "den", "dem", "der", "le", "el", "il", "op"})
"""Words between a day of the week and its date."""
_WORDS: Final = re.compile(r"(\S+?)(?:,?\s|$)")
_IN_BRACKETS: Final = re.compile(r" \(([^\W\d_]+)\)")
_LONGEST_WEEKDAY: Final = 32
"""Characters in which a day of the week, its article and the signs between stand."""
_YEARS: Final = range(2000, 2050)
"""Years in one of which a date without its year is meant."""
_ENUMERATED: Final = re.compile(rf"(?m)^\s*[0-3]?\d[.)]\s(?!\s*(?:{_MONTHS})\b)")
"""The number of a list's item; a larger one at the beginning of a line is an answer."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as a text tells it."""

    kind: str
    """`number`, `date`, `time`, `id` or `email`."""
    text: str
    """As it stands in the folded text."""
    readings: tuple[str | float, ...]
    """All that it may mean, in normal form: a number as a float, a date as `2024-05-15` or `05-15`, a time as `14:30`."""
    specific: bool
    """Whether it says something of its own: an amount, a large number, an id, a date."""
    unit: str = field(default="", compare=False)
    """Of a number, in which money or scale it is, or `%`; empty where nothing says so."""
    negative: bool = field(default=False, compare=False)
    """Whether a minus stands before the number; `readings` are without it, since tools differ in what they write below zero."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """All numbers that it may mean."""
        return tuple(n for n in self.readings if isinstance(n, float))


@lru_cache(maxsize=MOST_TEXTS)
def folded(text: str) -> str:
    """The text in one case, with plain digits, dashes and quotes, small numbers in figures, without marks of emphasis."""
    text = text[:LONGEST_TEXT]
    if not text.isascii():
        text = _SPACED_THOUSANDS.sub("", text)
        text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
        text = "".join(str(unicodedata.digit(c)) if c.isdigit() and c > "\x7f" else c for c in text)
    elif "'" in text:
        text = _SPACED_THOUSANDS.sub("", text)
    return in_figures(_MARKUP.sub("", text).casefold())


@lru_cache(maxsize=MOST_TEXTS)
def facts_in(text: str) -> tuple[Fact, ...]:
    """The facts of a text in order, without those that only number a list."""
    return tuple(_facts(_ENUMERATED.sub(" ", folded(text))))


def stands_in(form: str, text: str) -> bool:
    """Whether a folded text holds a form as words of its own; where words have no spaces, as characters."""
    if not form.isascii() and " " not in form:
        return form in text
    return any(not _touches(text, start, end) for start, end in places_in(form, text))


def figure_stands_in(form: str, text: str) -> bool:
    """Whether a folded text holds a written figure that does not go on before or behind it: `12` is not in `12.50`."""
    for start, end in places_in(form, text):
        longer = text[end : end + 1] in _MARKS and text[end + 1 : end + 2].isdigit()
        if not _touches(text, start, end) and text[start - 1 : start] not in _MARKS and not longer:
            return True
    return False


def places_in(form: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a form begins and ends in a text, overlapping ones too."""
    start = text.find(form) if form else -1
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def _touches(text: str, start: int, end: int) -> bool:
    """Whether a letter, digit or underscore stands directly before or behind."""
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return any(c.isalnum() or c == "_" for c in around)


def _facts(text: str) -> Iterator[Fact]:
    for match in _PARTS.finditer(text):
        kind, found = match.lastgroup, match[0]
        if kind == "words":
            continue
        if kind == "email":
            yield Fact(EMAIL, found.rstrip("."), (found.rstrip("."),), specific=True)
        elif kind == "url":
            yield Fact(ID, found.rstrip(".,;:!?"), (found.rstrip(".,;:!?"),), specific=True)
        elif kind in {"iso", "compact", "cjk", "monthly", "daily", "dotted", "slashed"}:
            yield _dated(match, kind, text)
        elif kind == "time":
            told, found = _time(match["time"]), match["time"]
            yield Fact(TIME if told else ID, found, (told or found,), specific=True)
        elif kind == "coins":
            *whole, cents = re.findall(r"\d+", found)
            yield Fact(NUMBER, found, (float(f"{''.join(whole)}.{cents}"),), specific=True)
        elif kind in {"number", "after"}:
            number = _number(
                match["number"], (match["after"] or "").strip(), money=bool(match["money"])
            )
            yield _measured(number, match, text)
        elif not found.lstrip("#").isalpha() and any(map(str.isdigit, found)):
            yield from _token(found)


def _dated(match: re.Match[str], kind: str, text: str) -> Fact:
    readings = tuple(dict.fromkeys(_dates(kind, match[0])))
    found = match[0].rstrip(".")  # the sentence's, or of a month cut short
    if beside := _weekday_beside(text, match.start(), match.end()):
        readings = tuple(_on_weekday(readings, WEEKDAYS[beside[1]]))
        found = (
            found
            if readings
            else text[min(beside.start(1), match.start()) : max(beside.end(1), match.end())]
        )
    # A day that no calendar has is still something that was told.
    return Fact(DATE if readings else ID, found, readings or (found,), specific=True)


def _number(text: str, after: str, *, money: bool = False) -> Fact:
    values, unit = readings_of(text), ""
    if after == "%":
        values += tuple(v / 100 for v in values)
    elif after in _SCALES:
        values += tuple(v * _SCALES[after] for v in values)
        unit = f"times {_SCALES[after]:.0f}"
    if not values:
        # More digits than a number has room for: a code.
        return Fact(ID, text, (text,), specific=True)
    whole = text.isdigit()
    specific = money or bool(after) or not whole or float(text) >= LEAST_SPECIFIC
    return Fact(NUMBER, text, values, specific, unit)


def _measured(number: Fact, match: re.Match[str], text: str) -> Fact:
    """The number with its unit, which stands before or behind it, and its sign."""
    money, start, end = match["money"] or "", match.start(), match.end("number")
    behind = _UNIT_BEHIND.match(text, end)
    code = _UNIT_BEFORE.search(text, max(0, start - _LONGEST_UNIT), start)
    sign = behind[1] if behind else money.strip(" -") or (code[1] if code else "")
    minus = "-" in money or (
        text[start - 1 : start] == "-" and not text[start - 2 : start - 1].isalnum()
    )
    return replace(number, unit=number.unit or UNITS.get(sign, ""), negative=minus)


def readings_of(text: str) -> tuple[float, ...]:
    """All that a written figure may mean: a comma and a point may each part thousands or decimals."""
    text = text.replace(" ", "")
    spelt = [text.replace(",", "")] if _POINT.fullmatch(text) else []
    if _COMMA.fullmatch(text):
        spelt.append(text.replace(".", "").replace(",", "."))
    found = (float(one) for one in spelt)
    return tuple(dict.fromkeys(value for value in found if isfinite(value)))


def _token(text: str) -> Iterator[Fact]:
    unit = _UNIT.fullmatch(text)
    if unit:
        yield _number(unit[1], unit[2] if unit[2] in _SCALES else "")
        return
    span = _RANGE.fullmatch(text)
    if span and "/" in text and (days := tuple(_days_of_a_year(int(span[1]), int(span[2])))):
        yield Fact(DATE, text, days, specific=not _is_share(int(span[1]), int(span[2])))
        return
    if span and int(span[1]) < int(span[2]) and len(span[2]) - len(span[1]) <= LONGER_END:
        yield from (_number(part, "") for part in span.groups())
        return
    plain = text.lstrip("#")
    digits = sum(map(str.isdigit, plain))
    if digits == len(plain):
        yield _number(plain, "")
        return
    yield Fact(ID, plain, (plain,), specific=digits > 1 or len(plain) >= LEAST_ID)


def _dates(kind: str, text: str) -> Iterator[str]:
    written = f"{text[:4]}-{text[4:6]}-{text[6:]}" if kind == "compact" else text
    parts = [int(n) for n in re.findall(r"\d+", written)]
    if kind in {"iso", "compact", "cjk"} and len(parts) == 3:
        yield from _date(*parts)
    elif kind == "cjk":
        yield from _date(None, *parts)
    elif kind == "dotted":
        yield from _date(None, parts[1], parts[0])
    elif kind == "slashed":
        year = parts[2] if parts[2] > 99 else 2000 + parts[2]
        yield from _date(year, parts[0], parts[1])
        yield from _date(year, parts[1], parts[0])
    else:
        month = next((MONTHS[word] for word in _LETTERS.findall(text) if word in MONTHS), 0)
        yield from _date(parts[1] if len(parts) > 1 else None, month, parts[0])


def _days_of_a_year(one: int, other: int) -> Iterator[str]:
    """`10/1` is a day of either month."""
    yield from dict.fromkeys([*_date(None, one, other), *_date(None, other, one)])


def _is_share(one: int, other: int) -> bool:
    """`4/5` is more often a share or a mark than a day, and `24/7` no day at all."""
    return one <= other <= LARGEST_SHARE or (one, other) == (24, 7)


def _date(year: int | None, month: int, day: int) -> Iterator[str]:
    try:
        found = date(year or 2000, month, day)
    except ValueError:
        return
    if year is not None:
        yield found.isoformat()
    yield f"{found:%m-%d}"


def _weekday_beside(text: str, start: int, end: int) -> re.Match[str] | None:
    """The day of the week before a date on its line, or behind it in brackets; none of two that begin and end a range."""
    near = max(text.rfind("\n", 0, start) + 1, start - _LONGEST_WEEKDAY)
    words = [*_WORDS.finditer(text, near, start)]
    while words and words[-1][1] in _ARTICLES:
        words.pop()
    days = [word for word in words if word[1] in WEEKDAYS]
    if days and days[-1] is words[-1]:
        return days[0] if len(days) == 1 else None
    behind = _IN_BRACKETS.match(text, end)
    return behind if behind and behind[1] in WEEKDAYS else None


def _on_weekday(readings: Iterable[str], weekday: int) -> Iterator[str]:
    """The readings of a date that fall on a day of the week; without a year also the days on which it does."""
    days = list(readings)
    full = [day for day in days if len(day) > MONTH_AND_DAY]
    fit = [day for day in full if date.fromisoformat(day).weekday() == weekday]
    if full and not fit:
        return
    kept = {day[-MONTH_AND_DAY:] for day in fit} if full else set(days)
    yield from (day for day in days if day in fit or day in kept)
    if not full:
        for day in days:
            yield from (
                one for one in _in_years(day) if date.fromisoformat(one).weekday() == weekday
            )


def _in_years(day: str) -> Iterator[str]:
    month, number = map(int, day.split("-"))
    for year in _YEARS:
        yield from (one for one in _date(year, month, number) if len(one) > MONTH_AND_DAY)


def may_be_one_date(readings: Iterable[Json], others: Iterable[Json]) -> bool:
    """Whether two dates, by all that each may mean, may be one: where both have a year, in that too."""
    mine, theirs = set(map(str, readings)), set(map(str, others))
    full, other_full = (
        {one for one in them if len(one) > MONTH_AND_DAY} for them in (mine, theirs)
    )
    if full and other_full:
        return not full.isdisjoint(other_full)
    days = {one[-MONTH_AND_DAY:] for one in theirs}
    return any(one[-MONTH_AND_DAY:] in days for one in mine)


def _time(text: str) -> str:
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    hour, minute = numbers[0], numbers[1] if len(numbers) > 1 else 0
    half = re.search(r"([ap])\.?m", text)
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half[1] == "p" else 0)
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else ""

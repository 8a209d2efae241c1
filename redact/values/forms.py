"""What a value under an unknown key looks like: its shape, the commonest shape of several, a day, a reference.

In: values. Out: names of shapes. Knows neither keys nor subjects: those are `redact.decisions.rules`'s.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache
from typing import Final

from redact.bounds import (
    A_THIRD,
    CODE_LENGTH,
    LONG,
    LONG_NUMBER,
    LONGEST_LINE,
    NEAR,
    SEVERAL,
    SHORT,
    STEM,
)
from redact.lists.word_lists import PARTICLES
from redact.values.dates import read_date
from redact.values.free_ids import is_dated_title, is_when_or_sum
from redact.values.ranges import is_span
from redact.values.scripts import is_unspaced
from redact.values.shapes import digit_count, is_company, is_net_address, is_phone, is_street

_NUMBER: Final = re.compile(r"[\s\d.,:;%$€£¥+\-*/()=<>^x°#T]*(?:[A-Za-z]{0,3})?")
URL: Final = re.compile(r"[a-z][a-z+.-]{1,12}://\S+$")
_MOMENT: Final = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.{0,30}|\d{1,2}:\d{2}.{0,20}")
IDENTIFIER: Final = re.compile(r"#?[\w.:@/+\u00b7-]{4,200}={0,2}")
_CHOICE: Final = re.compile(
    r"[a-z0-9]+(?:[_/ -][a-z0-9()%.]+){0,5}|[A-Z0-9]{1,4}|[A-Z]+(?:_[A-Z0-9]+)+"
)
_PARTED: Final = re.compile(r"\d{2,}(?:[-/ ]\d{2,})+|\d+(?:[-/]\d+){2,}")
_GROUPS: Final = re.compile(r"\d{1,3}(?: \d{3})+")
_PARTED_DIGITS: Final = 9
_JOINED: Final = re.compile(r"(\d+)[-/](\d+)")
_MONTH: Final = re.compile(r"(?:19|20)\d\d[-/]\d{1,2}")
_TURN: Final = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_DOTTED: Final = re.compile(r"\d{3}\.\d{3}\.(?!000)\d{3}(?:-\d{1,2})?")
"""Three groups of three: the number of a policy or a taxpayer, and hardly a sum."""
_UNIT: Final = re.compile(r"\d{1,5}[A-Za-z]{1,4}")
_POSTAL: Final = re.compile(
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{5}-\d{4}"
)


@lru_cache(maxsize=65_536)
def shape_of(value: str) -> str:
    """Return what a value looks like: `number`, `moment`, `choice`, `identifier`, `names` or `text`."""
    text = value.strip()
    digits = sum(map(str.isdigit, text))
    if digits:
        shape = _with_digits(text, digits)
    elif URL.match(text):
        shape = "identifier"
    elif not text:
        shape = "number"
    elif _CHOICE.fullmatch(text) or is_company(text):
        shape = "choice"
    else:
        shape = "names" if len(text) <= 60 and _is_name_like(text) else "text"
    return shape


def _with_digits(text: str, digits: int) -> str:
    """Return the shape of a text with so many digits; the first that fits, so that most questions need not be asked."""
    return next((shape for shape, fits in _WITH_DIGITS if fits(text, digits)), "text")


_WITH_DIGITS: Final[tuple[tuple[str, Callable[[str, int], object]], ...]] = (
    ("moment", lambda text, _digits: is_when_or_sum(text)),
    ("moment", lambda text, _digits: is_span(text)),
    ("street", lambda text, _digits: is_street(text)),
    ("code", lambda text, digits: 3 <= digits <= 5 and text.isdigit()),
    ("identifier", lambda text, digits: digits >= 6 and text.isdigit()),
    ("identifier", lambda text, _digits: URL.match(text)),
    ("phone", lambda text, _digits: is_phone(text)),
    ("moment", lambda text, _digits: _MOMENT.fullmatch(text) or plain_day(text)),
    ("code", lambda text, _digits: _POSTAL.fullmatch(text)),
    ("choice", lambda text, _digits: is_dated_title(text)),
    ("identifier", lambda text, digits: digits >= LONG_NUMBER and _is_mixed(text)),
    ("identifier", lambda text, _digits: _DOTTED.fullmatch(text)),
    ("identifier", lambda text, digits: digits >= _PARTED_DIGITS and _is_parted(text)),
    ("identifier", lambda text, digits: digits >= LONG and _is_joined(text)),
    ("identifier", lambda text, _digits: is_net_address(text)),
    ("number", lambda text, _digits: _NUMBER.fullmatch(text)),
    ("identifier", lambda text, _digits: IDENTIFIER.fullmatch(text)),
    ("choice", lambda text, _digits: _CHOICE.fullmatch(text)),
)


def _is_parted(text: str) -> bool:
    """Say whether groups of digits are one number, `880918-5161`: not thousands, nor two numbers from lower to higher."""
    if not _PARTED.fullmatch(text) or _GROUPS.fullmatch(text):
        return False
    groups = re.split(r"[-/ ]", text)
    return len(groups) != SEVERAL or len(groups[0]) != len(groups[1]) or groups[0] > groups[1]


def _is_joined(text: str) -> bool:
    """Say whether two groups of digits are one number, `1007861-8`: no range, which rises, and no month of a year."""
    joined = _JOINED.fullmatch(text)
    return joined is not None and int(joined[1]) > int(joined[2]) and not _MONTH.fullmatch(text)


def _is_mixed(text: str) -> bool:
    return any(map(str.isalpha, text)) and IDENTIFIER.fullmatch(text) is not None


def _is_name_like(text: str) -> bool:
    """Say whether a text is one to four words that begin as names do; scripts without case pass."""
    words = text.split()
    if any(map(is_unspaced, text)) and (len(text) > CODE_LENGTH or not _MARKS.isdisjoint(text)):
        return False
    return len(words) <= 4 and all(
        word[0].isalpha()
        and (not word[0].islower() or word in PARTICLES)
        and not set(word) & set(",;:!?()/")
        for word in words
    )


_MARKS: Final = frozenset("\uff0c。、\uff1b\uff1a\uff01\uff1f\uff08\uff09「」")


def is_code(value: str) -> bool:
    """Say whether a value is groups of a few capitals and digits without a word: `TN69 WZL`, `VT*04*E024`."""
    groups = code_groups(value)
    return (
        len(value) <= NEAR
        and len(groups) > 1
        and sum(map(str.isdigit, value)) >= SEVERAL
        and value.upper() == value
        and not is_unspaced(value[-1])  # a unit, `12元`
        and '"' not in value  # which JSON writes as two
        and all(sum(map(str.isalpha, group)) <= STEM for group in groups)
    )


def is_mark(value: str) -> bool:
    """Say whether a value is one word of capitals, as a booking's key is: `QKXVTR`."""
    return value.isascii() and value.isalpha() and value.isupper() and len(value) >= LONG_NUMBER


def code_groups(value: str) -> list[str]:
    """Return the groups of letters and digits of a code."""
    return _GROUP.findall(value)


_GROUP: Final = re.compile(r"[^\W_]+")


def is_reference(value: str) -> bool:
    """Say whether a value can hardly be anything but a key: `w_d74849f6`, `131053-F`, and not `6-inch` or `512GB`."""
    if shape_of(value) == "phone":
        return True
    if shape_of(value) != "identifier" or URL.match(value.strip()) or _UNIT.fullmatch(value):
        return False
    return sum(map(str.isdigit, value)) >= LONG_NUMBER or len(_TURN.findall(value)) >= SHORT


def is_version(value: str) -> bool:
    """Say whether a value is a word in small letters with a short number behind it: `utf-8`, `top_3`."""
    return _VERSION.fullmatch(value) is not None


_VERSION: Final = re.compile(r"[a-z]{2,}(?:[-_.][a-z]+)*[-_.]?\d{1,2}")


def is_random(value: str) -> bool:
    """Say whether a value was drawn by chance and counts nothing: 128 bits in hexadecimals, a token of as many signs."""
    if len(value) >= NEAR and _RANDOM.fullmatch(value) is not None:
        return True
    return " " not in value and next(drawn_in(value), None) is not None


def drawn_in(text: str) -> Iterator[str]:
    """Yield the runs of signs that were drawn by chance, as keys and tokens are, however few digits are among them."""
    for run in _LONG_RUN.findall(text):
        if _is_drawn(run):
            yield run


@lru_cache(maxsize=20_000)
def _is_drawn(run: str) -> bool:
    """Say whether capitals, small letters and digits change as chance has it: not as in `getUserByName2`."""
    if len(run) > LONGEST_LINE or run.lower() == run or run.upper() == run:
        return False
    return digit_count(run) >= SEVERAL and len(_CHANGE.findall(run)) >= A_THIRD * len(run)


_LONG_RUN: Final = re.compile(r"(?<![\w+/-])[\w-]{20,}+(?![\w+/])", re.ASCII)
_CHANGE: Final = re.compile(r"(?<=[a-z])(?![a-z])|(?<=[A-Z])(?![A-Z])|(?<=\d)(?!\d)")


_RANDOM: Final = re.compile(
    r"(?=(?:\D*\d){6})(?=(?:[^a-zA-Z]*[a-zA-Z]){4})(?:[0-9a-fA-F]{24,64}|[0-9a-fA-F-]{36}|(?=.*[a-z].*[A-Z]|.*[A-Z].*[a-z])[\w+/-]{24,128}={0,2})"
)


def commonest(values: list[str]) -> str:
    """Return the shape most of the values have; no values look like a choice, which is kept."""
    counts: dict[str, int] = {"choice": 0}
    for value in values:
        shape = "text" if value.startswith("\x00") else shape_of(value)
        counts[shape] = counts.get(shape, 0) + 1
    return max(sorted(counts), key=lambda shape: counts[shape])


def plain_day(value: str) -> date | None:
    """Return the day that a value is, None where it is none or says a time of day too."""
    return read_date(value) if len(value) <= NEAR and ":" not in value else None


def parts_of_reference(value: str) -> list[str]:
    """Return what of a value is personal: of a URL the parts that look like identifiers, else all of it."""
    if not URL.match(value):
        return [value]
    parts = re.split(r"[/?&=#;]", value.partition("://")[2])[1:]
    return [
        part for part in parts if sum(map(str.isdigit, part)) >= 3 and IDENTIFIER.fullmatch(part)
    ]

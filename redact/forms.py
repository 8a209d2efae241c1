"""What a value under an unknown key looks like: its shape, the commonest shape of several, a day, a reference.

In: values. Out: names of shapes. Knows neither keys nor subjects: those are `redact.judge`'s.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from redact.dates import read_date
from redact.shapes import is_phone, is_street
from redact.surrogates import PARTICLES

_NUMBER: Final = re.compile(r"[\s\d.,:;%$€£¥+\-*/()=<>^x°#T]*(?:[A-Za-z]{0,3})?")
URL: Final = re.compile(r"[a-z][a-z+.-]{1,12}://\S+$")
_MOMENT: Final = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.{0,30}|\d{1,2}:\d{2}.{0,20}")
IDENTIFIER: Final = re.compile(r"#?[\w.:@/+-]{4,200}")
_CHOICE: Final = re.compile(
    r"[a-z0-9]+(?:[_/ -][a-z0-9()%.]+){0,5}|[A-Z0-9]{1,4}|[A-Z]+(?:_[A-Z0-9]+)+"
)
_DAY: Final = 28
"""A day without a time of day is at most so long: "28 de setembro de 1981"."""
_LONG: Final = 5
"""So many digits with a letter are an identifier, not a number with its unit."""
_TURN: Final = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_TURNS: Final = 3
"""So many changes between letters and digits are no word with a number."""
_UNIT: Final = re.compile(r"\d{1,5}[A-Za-z]{1,4}")
_POSTAL: Final = re.compile(
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{5}-\d{4}"
)


def shape_of(value: str) -> str:
    """Return what a value looks like: `number`, `moment`, `choice`, `identifier`, `names` or `text`."""
    text = value.strip()
    digits = sum(map(str.isdigit, text))
    letters = any(map(str.isalpha, text))
    for shape, fits in (
        ("street", is_street(text)),
        ("code", 3 <= digits <= 5 and text.isdigit()),
        ("identifier", digits >= 6 and text.isdigit()),
        ("identifier", URL.match(text)),
        ("phone", is_phone(text)),
        ("moment", _MOMENT.fullmatch(text) or plain_day(text)),
        ("code", _POSTAL.fullmatch(text)),
        ("identifier", digits >= _LONG and letters and IDENTIFIER.fullmatch(text)),
        ("number", not text or (digits and _NUMBER.fullmatch(text))),
        ("identifier", digits and IDENTIFIER.fullmatch(text)),
        ("choice", _CHOICE.fullmatch(text)),
        ("names", not digits and len(text) <= 60 and _is_name_like(text)),
    ):
        if fits:
            return shape
    return "text"


def _is_name_like(text: str) -> bool:
    """Say whether a text is one to four words that begin as names do; scripts without case pass."""
    words = text.split()
    return len(words) <= 4 and all(
        word[0].isalpha()
        and (not word[0].islower() or word in PARTICLES)
        and not set(word) & set(",;:!?()/")
        for word in words
    )


def is_reference(value: str) -> bool:
    """Say whether a value can hardly be anything but a key: `w_d74849f6`, `131053-F`, and not `6-inch` or `512GB`."""
    if shape_of(value) == "phone":
        return True
    if shape_of(value) != "identifier" or URL.match(value.strip()) or _UNIT.fullmatch(value):
        return False
    return sum(map(str.isdigit, value)) >= _LONG or len(_TURN.findall(value)) >= _TURNS


def commonest(values: list[str]) -> str:
    """Return the shape most of the values have; no values look like a choice, which is kept."""
    counts: dict[str, int] = {"choice": 0}
    for value in values:
        shape = "text" if value.startswith("\x00") else shape_of(value)
        counts[shape] = counts.get(shape, 0) + 1
    return max(sorted(counts), key=lambda shape: counts[shape])


def plain_day(value: str) -> date | None:
    """Return the day that a value is, None where it is none or says a time of day too."""
    return read_date(value) if len(value) <= _DAY and ":" not in value else None

"""E-mail addresses and long numbers as people say them: `mia dot lee at example dot com`, `one seven three double five ...`.

In: the text of a message. Out: the mentions, and what they say in signs; a replaced mention is said in words again. Not here: whether
the address or the number is known, and numbers of a few digits, which count things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from redact.bounds import LONG, STEM

_DOT: Final = r"(?: dot | \(dot\) | \[dot\] |\[dot\]|\(dot\))"
_AT: Final = r"(?: at | \(at\) | \[at\] |\(at\)|\[at\]| @ )"
_PART: Final = r"[^\W_][\w+-]*"
_EMAIL: Final = re.compile(
    # A full stop stands in an address said in words too; a sign for the `@` or a spoken dot must be there.
    rf"(?<![\w.@-]){_PART}(?:(?:{_DOT}|\.| underscore | dash ){_PART}){{0,5}}(?:{_AT.replace(' at |', '', 1)}{_PART}(?:(?:{_DOT}|\.){_PART}){{1,4}}"
    rf"| at {_PART}(?:{_DOT}{_PART}){{1,4}})(?![\w@])",
    re.IGNORECASE,
)
_AS_DOT: Final = re.compile(_DOT, re.IGNORECASE)
_AS_AT: Final = re.compile(_AT, re.IGNORECASE)
_NUMERALS: Final = (
    "zero oh null cero zéro",
    "one eins uno",
    "two zwei zwo dos deux",
    "three drei tres trois",
    "four vier cuatro quatre",
    "five fünf fuenf cinco cinq",
    "six sechs seis six",
    "seven sieben siete sept",
    "eight acht ocho huit",
    "nine neun nueve neuf",
)
_DIGIT_OF: Final = {word: str(d) for d, words in enumerate(_NUMERALS) for word in words.split()}
_ENGLISH: Final = tuple(words.split()[0] for words in _NUMERALS)
_TIMES: Final = {"double": 2, "triple": 3}
_WORD: Final = re.compile(r"[^\W\d_]+")
NUMERALS: Final = tuple(sorted({*_DIGIT_OF, *_TIMES}, key=len, reverse=True))
_ONE: Final = "|".join(NUMERALS)
_NUMBER: Final = re.compile(
    rf"(?<!\w)(?:{_ONE})(?:[ ,.-]{{1,3}}(?:{_ONE})){{3,39}}(?!\w)", re.IGNORECASE | re.ASCII
)
_COUNTED: Final = "0123456789"
"""So many digits, one by one, are nobody's count of things."""


def emails_said(text: str) -> Iterator[str]:
    """Yield the e-mail addresses that a text says in words."""
    yield from (found[0] for found in _EMAIL.finditer(text))


def numbers_said(text: str) -> Iterator[str]:
    """Yield the long numbers that a text says digit by digit."""
    for found in _NUMBER.finditer(text):
        digits = digits_said(found[0])
        if len(digits) >= LONG or (len(digits) >= STEM and not _counts_up(digits)):
            yield found[0]


def _counts_up(digits: str) -> bool:
    """Say whether digits follow each other as who counts says them, up or down."""
    return digits in _COUNTED or digits[::-1] in _COUNTED


@lru_cache(maxsize=20_000)
def email_said(mention: str) -> str:
    """Return the address that a mention in words says."""
    plain = _AS_AT.sub("@", _AS_DOT.sub(".", mention), count=1)
    return re.sub(
        r" (underscore|dash) ", lambda sign: "_" if sign[1] == "underscore" else "-", plain
    )


def say_email(address: str, mention: str) -> str:
    """Return an address with the words for its signs that a mention has."""
    local, _, domain = address.rpartition("@")
    at = _AS_AT.search(mention)
    before, after = (mention[: at.start()], mention[at.end() :]) if at else (mention, mention)
    first, second = _AS_DOT.search(before), _AS_DOT.search(after)
    local = local.replace(".", first[0]) if first else local
    domain = domain.replace(".", second[0]) if second else domain
    return f"{local}{at[0] if at else '@'}{domain}"


def digits_said(mention: str) -> str:
    """Return the digits that a mention in words says."""
    digits, times = "", 1
    for word in map(str.casefold, _WORD.findall(mention)):
        if word in _TIMES:
            times = _TIMES[word]
        elif word in _DIGIT_OF:
            digits += _DIGIT_OF[word] * times
            times = 1
    return digits


def say_digits(mention: str, moved: Callable[[str], str]) -> str:
    """Return what other digits are in words, in English."""
    return " ".join(_ENGLISH[int(digit)] for digit in moved(digits_said(mention)))

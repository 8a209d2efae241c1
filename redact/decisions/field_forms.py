"""What a value of a field in text of unknown form looks like: a name, a line of an address, a plate, a day.

In: values. Out: yes or no. Knows neither keys nor subjects.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from redact.bounds import CODE_LENGTH, LONG_NUMBER, NEARLY_ALL, SHORT, STEM, VARIED
from redact.fold import fold_value
from redact.lists.dictionary import ENGLISH
from redact.lists.gazetteer import ORDINARY, is_compound, nobodys_words
from redact.lists.word_lists import PARTICLES, STREET_WORDS
from redact.recognizers.addresses_without_blanks import addresses_without_blanks
from redact.values.forms import plain_day
from redact.values.free_ids import DAY, is_free_id
from redact.values.months import MONTH
from redact.values.scripts import SIGNS, is_unspaced
from redact.values.segments import is_sentence

_PLAIN: Final = re.compile(r"[\W_]+")
_AMOUNT: Final = re.compile(r"\d[.,]\d")
_NUMBER: Final = re.compile(r"\d+")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_MONTH: Final = re.compile(MONTH)
_OF_LINES: Final = PARTICLES | STREET_WORDS
_DIGIT: Final = re.compile(r"\d")
_ALPHA: Final = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{SIGNS}])+")
_GROUP: Final = re.compile(rf"(?:[^\W\d_]|[{SIGNS}])+")
_BETWEEN: Final = re.compile(r"\d{1,4}[ -][A-Z]{1,3}[ -]\d{2,5}")
_CONSONANTS: Final = re.compile(
    r"\d{4}[ -]?(?!RPM|PCS|KMS|LBS|MHZ|PPM|KWH|GBP|PLN|CZK|HKD|BRL|MXN|DKK|CNY|NPR|PHP)[B-DF-HJ-NP-TV-Z]{3}"
)
_LETTERS_FIRST: Final = re.compile(r"[A-Z]{1,3} \d{2,4}[ -]\d{2,4}|[A-Z]{1,2} \d{3,5}")
"""`CA 145-401`: of three letters and one number `EUR 450` is made as well."""


@lru_cache(maxsize=65_536)
def is_day(token: str) -> bool:
    """Say whether a token of free text is a day and not a number."""
    return (" " in token or not is_free_id(token)) and plain_day(token) is not None


def bare_token(token: str) -> str:
    """Return a token without its marks: `#W123-4` and `w1234` are one, and `37.2550` and `37.255`."""
    if "." in token:
        token = without_zeros(token)
    return (token if token.isalnum() else _PLAIN.sub("", token)).casefold()


@lru_cache(maxsize=65_536)
def without_zeros(token: str) -> str:
    """Return a decimal as JSON writes it, without zeros behind its last digit; other tokens as they are."""
    return token.rstrip("0") if _DECIMAL.fullmatch(token) else token


_DECIMAL: Final = re.compile(r"-?\d{1,3}\.\d{2,}")


def is_name_like(value: str) -> bool:
    """Say whether a field's value is a few words without numbers, not all of them ordinary, none a mere mark."""
    words = _ALPHA.findall(value)
    if not words or any(map(str.isdigit, value)) or len(words) > LONG_NUMBER or "://" in value:
        return False
    if is_sentence(value):
        return False
    if all(word.islower() and word.isascii() for word in words):
        return False  # nobody writes a name so; user names have their own rules
    return not all(fold_value(word) in ORDINARY or is_compound(word) for word in words)


def is_line(value: str) -> bool:
    """Say whether a value is a few words with a short number, as a line of an address is."""
    if any(map(is_unspaced, value)):
        return any(addresses_without_blanks(value))
    value = _NO_HOUSE.sub(" ", value)
    words = _ALPHA.findall(value)
    if not 0 < len(words) <= LONG_NUMBER or not any(map(str.isdigit, value)) or " " not in value:
        return False
    if any(word.islower() and word not in _OF_LINES for word in words):
        return False  # `Goal G3 updated for user U7` is a sentence
    if all(map(_YEAR.fullmatch, _NUMBER.findall(value))):
        return False  # `2024 Main Conference`
    folded = [fold_value(word) for word in words]
    if len(folded) == 1 and _is_plain(folded[0]):
        return False  # `Figure 1`, `September 15`
    return not _AMOUNT.search(value) and any(
        len(word) >= STEM and plain not in ORDINARY and not word.islower()
        for word, plain in zip(words, folded, strict=True)
    )


_NO_HOUSE: Final = re.compile(
    rf"\([^)]*(?:\)|\Z)|(?<![\d:.])\d{{1,2}}(?::|h)\d\d(?!\d)| [\u2013-] \d+(?= )|{DAY.pattern}",
    DAY.flags,
)
"""What stands in brackets, an hour, a count behind a dash, a day: none numbers a house."""


def _is_plain(word: str) -> bool:
    return word in nobodys_words(ENGLISH) or _MONTH.fullmatch(word) is not None


def are_numbered(values: Collection[str]) -> bool:
    """Say whether nearly all values are a few texts with a long number each: what it is, and whose, as `Basic Plan - Line 555-0100-22`.

    The number is judged as a token; an address has none so long.
    """
    texts = Counter(_LONG_NUMBER.sub("0", value) for value in values)
    alike = sum(count for text, count in texts.items() if count >= VARIED and text[-1:] == "0")
    return alike >= NEARLY_ALL * len(values)


_LONG_NUMBER: Final = re.compile(r"(?:\d[ .-]?){6,14}\d")


def is_letters_between(value: str) -> bool:
    """Say whether a value is a few letters between numbers (`34 ABC 942`) or three consonants behind four digits (`4821-BGL`): a plate, no amount with its unit."""
    return _BETWEEN.fullmatch(value) is not None or _CONSONANTS.fullmatch(value) is not None


def is_plate(value: str) -> bool:
    """Say whether a value is a number between groups of a few letters, or the other way round, as plates have them.

    A unit is one group, behind its number.
    """
    if is_letters_between(value) or _LETTERS_FIRST.fullmatch(value):
        return True
    groups = _GROUP.findall(value)
    return (
        len(value) <= CODE_LENGTH
        and not is_unspaced(value[-1])  # a unit
        and len(_DIGIT.findall(value)) >= SHORT
        and len(groups) > 1
        and all(len(group) <= SHORT and not group.islower() for group in groups)
    )

"""The forms in which people write one fact, for the check that looks for it.

In: a fact and the language of the conversation. Out: folded texts beside what digits already say: numbers in words, dates and
times as that language writes them. babel and num2words know the languages; they work at build time alone, the runtime
compares texts. Not here: which facts are asked for (`facts.told_facts`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time
from functools import lru_cache
from typing import Final

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time
from babel.numbers import format_decimal
from num2words import CONVERTER_CLASSES, num2words

from environments.runtime.checks.final_answer import words_of
from environments.runtime.values.facts import DATE, NUMBER, TIME, Fact, folded
from redact.values.months import ordinal

ENGLISH: Final = "en"
LARGEST_IN_WORDS: Final = 1e9
JOINING: Final = frozenset({"and", "und", "et", "y", "e", "a"})
"""Words of numbers that join other words, too."""
BEFORE_DAY: Final = {"en": "the ", "es": "día ", "pt": "dia ", "de": "den "}
"""What stands before the number of a day behind its weekday, beside nothing."""
DAYS: Final = ("d MMMM y", "d MMMM", "MMMM d", "d. MMMM", "d MMM")
"""How a day is written, in the letters of Unicode's date patterns."""


@lru_cache(maxsize=4096)
def forms_of(fact: Fact, language: str = ENGLISH) -> tuple[str, ...]:
    """Return other forms of a fact, folded; `language` is an ISO 639 code, and English is always among them."""
    known = _locale(language)
    languages = (ENGLISH,) if known is None or language == ENGLISH else (ENGLISH, language)
    found = (folded(form) for one in languages for form in _forms(fact, one))
    return tuple(dict.fromkeys(form for form in found if form != fact.text))


@lru_cache(maxsize=64)
def number_words(language: str = ENGLISH) -> tuple[str, ...]:
    """Return the words of which a language makes numbers, and English, folded; one that joins words in all of them is none."""
    numbers = (*range(101), 1_000, 10**6, 10**9, 0.5)
    found: set[str] = set()
    for one in dict.fromkeys((ENGLISH, language)):
        if one in CONVERTER_CLASSES:
            spelt = (folded(num2words(n, lang=one)) for n in numbers)
            found |= {word for text in spelt for word in words_of(text)}
    return tuple(sorted(found - JOINING))


def _forms(fact: Fact, language: str) -> Iterator[str]:
    value = fact.readings[0]
    if fact.kind == NUMBER and isinstance(value, float):
        yield from _number(value, language)
    elif fact.kind == DATE:
        # `05/06/2026` may be a day of May or of June.
        yield from (form for day in map(str, fact.readings) for form in _date(day, language))
    elif fact.kind == TIME and isinstance(value, str):
        yield format_time(time.fromisoformat(value), "short", locale=language)


def _date(value: str, language: str) -> Iterator[str]:
    full = len(value) == len("2024-05-15")
    day = date.fromisoformat(value if full else f"2000-{value}")
    if language != ENGLISH:
        for pattern in DAYS if full else DAYS[1:]:
            yield format_date(day, pattern, locale=language)
    if full:
        # With its weekday a day needs no month: it is the next one of that number.
        weekday = format_date(day, "EEEE", locale=language)
        numbers = [f"{day.day}", f"{BEFORE_DAY.get(language, '')}{day.day}"]
        if language == ENGLISH:
            numbers = [f"{end}{ordinal(day.day)}" for end in numbers]
        yield from (f"{weekday} {number}" for number in numbers)


def _number(value: float, language: str) -> Iterator[str]:
    if value != round(value, 2) or value > LARGEST_IN_WORDS:
        return
    plain = int(value) if value == int(value) else value
    grouped = format_decimal(plain, locale=language)
    yield grouped
    yield f"{plain:,}".replace(",", " ")
    if language in CONVERTER_CLASSES:
        words = num2words(plain, lang=language)
        yield words
        yield words.replace(",", "")
        yield words.replace(",", "").replace(" and ", " ").replace("-", " ")


def _locale(language: str) -> Locale | None:
    try:
        return Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return None

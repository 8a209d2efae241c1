"""What the words of an outcome say: its name, and its value where that is no number.

In: a name (`task_success`, `overallScore`) or a value (`THUMBS_UP`, `nicht gelöst`). Out: whether it can only mean good or bad, or measures
how good something was. The words are in `words.toml`; none belongs to one app or one harness.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from pathlib import Path
from typing import Final

_TRANSCRIPTION: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe"})
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_BETWEEN: Final = re.compile(r"[\W_]+")
_INFLECTION: Final = re.compile(r"[eao]?s?\Z")
_MOST_WORDS: Final = 3
"""A longer text is a remark, no verdict."""


def _stem(word: str) -> str:
    """A word as people write it in names (`gelöst` is `geloest`, `éxito` is `exito`), without gender and number (`résolues`)."""
    spelt = unicodedata.normalize("NFKD", word.translate(_TRANSCRIPTION))
    return _INFLECTION.sub("", "".join(s for s in spelt if not unicodedata.combining(s)))


def _stems(text: str) -> list[str]:
    """The words of a name or a short value, as stems; a sign such as a thumb is a word."""
    whole = text.strip().casefold()
    if not any(map(str.isalnum, whole)):
        return [whole[:1]]
    words = _BETWEEN.split(_CAMEL.sub("_", text.strip()).casefold())
    return [_stem(word) for word in words if word]


_LISTS: Final[dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)
_STEMS: Final = {key: frozenset(map(_stem, words.split())) for key, words in _LISTS.items()}
_GOOD_NAMES: Final = _STEMS["good"] | _STEMS["good_in_names"]
_GOOD_VALUES: Final = _STEMS["good"] | _STEMS["good_values"]
_YES: Final = frozenset(_LISTS["yes"].split())
_NO: Final = frozenset(_LISTS["no"].split())
_BEGINNINGS: Final = tuple(_LISTS["negating_beginnings"].split())


def means_good(name: str) -> bool:
    """Whether 1 under this name can only mean that it went well: `answer_correct`, but not `not_resolved`."""
    words = _stems(name)
    while words and words[-1] in _STEMS["bare"]:
        words.pop()
    return bool(words) and words[-1] in _GOOD_NAMES and _STEMS["negations"].isdisjoint(words)


def is_measure(name: str) -> bool:
    """Whether more is better of what has this name: `overall_score`, but not `risk_score`."""
    words = set(_stems(name))
    return not words.isdisjoint(_STEMS["measures"]) and words.isdisjoint(_STEMS["other_ways"])


def good_or_bad(value: str, name: str) -> bool | None:
    """Whether a value in words says under any name that it went well (`like`, `not resolved`); None where it does not say."""
    words = _stems(value)
    if not 0 < len(words) <= _MOST_WORDS or not _STEMS["parts"].isdisjoint(words):
        return None
    if not _STEMS["other_ways"].isdisjoint(_stems(name)):
        return None
    last = words[-1]
    negated = not _STEMS["negations"].isdisjoint(words[:-1])
    if last in _GOOD_VALUES:
        return not negated
    if last in _STEMS["bad_values"] or any(_turned_round(last, one) for one in _BEGINNINGS):
        return None if negated else False
    return None


def _turned_round(word: str, beginning: str) -> bool:
    return word.startswith(beginning) and word[len(beginning) :] in _GOOD_VALUES


def yes_or_no(value: str) -> bool | None:
    """Whether a value affirms what its name says."""
    said = value.strip().casefold()
    return True if said in _YES else False if said in _NO else None

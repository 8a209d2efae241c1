"""Places that hold names of people whom several subjects know: officers, mediators, coaches.

In: the evidence of an app, what was judged of it, the app's language. Out: places. What k people share is a list of choices, unless
its values are names: words that the language lacks, half of which begin with a listed name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from redact.fold import fold_value
from redact.forms import commonest
from redact.gazetteer import ORDINARY, is_name
from redact.people_places import UNKNOWN
from redact.place import Place
from redact.surrogates import PARTICLES, STREET_WORDS
from redact.value_sets import PLACES

_BOTH: Final = 2
_MOSTLY: Final = 0.8


def shared_names(
    evidence: Mapping[str, Mapping[str, list[int]]],
    judged: Collection[str],
    language: Collection[str],
) -> Iterator[str]:
    """Yield the keys of places whose values are names of people that nothing else showed."""
    for key, seen in evidence.items():
        if key in judged or Place.of(key).kind != UNKNOWN or len(seen) < _BOTH:
            continue
        values = list(seen)
        if commonest(values) != "names":
            continue
        own = [value for value in values if not _says_something(value, language)]
        listed = sum(is_name(fold_value(value.split()[0])) for value in own)
        if len(own) >= _MOSTLY * len(values) and listed >= max(_BOTH, len(values) / _BOTH):
            yield key


def _says_something(value: str, language: Collection[str]) -> bool:
    """Say whether a word of a value is one of the language."""
    words = [word.strip(".") for word in fold_value(value).split()]
    return any(
        word in ORDINARY or word in PLACES or word in STREET_WORDS or word in language
        for word in words
        if word not in PARTICLES and len(word) > 1
    )

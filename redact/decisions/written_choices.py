"""Choices that programs write with lines between the words: where an answer says `Late Entry`, `late_entry` is meant.

In: the evidence of an app and its verdicts. Out: values of places of people's own words that are such a choice elsewhere.
Fails closed: a place where one of the words is a listed name holds user names, and what few people chose shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from redact.bounds import SEVERAL
from redact.decisions.verdicts import OWN_WORDS, Verdict
from redact.evidence.subjects import subjects_up_to
from redact.lists.gazetteer import is_name
from redact.readers.place import UNKNOWN, Place

_WRITTEN: Final = re.compile(r"[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+")

Evidence = Mapping[str, Mapping[str, list[int]]]


def choices_in_words(
    evidence: Evidence, verdicts: Mapping[str, Verdict], *, k: int
) -> frozenset[str]:
    """Return the values judged people's own words that stay elsewhere as programs write choices."""
    judged = [key for key, verdict in verdicts.items() if verdict is OWN_WORDS]
    said = {value: " ".join(value.casefold().split()) for key in judged for value in evidence[key]}
    if not said:
        return frozenset()
    written = {
        choice.casefold().replace("_", " ")
        for key, seen in evidence.items()
        if key not in verdicts and Place.of(key).kind == UNKNOWN
        for choice in _choices(seen, k)
    }
    return frozenset(value for value, words in said.items() if words in written)


def _choices(seen: Mapping[str, list[int]], k: int) -> Iterator[str]:
    """Yield the choices of a place; none where a word of what is written so is a name that some locale lists."""
    written = {value: value.casefold().split("_") for value in seen if _WRITTEN.fullmatch(value)}
    if not written or any(map(is_name, (word for words in written.values() for word in words))):
        return
    listed = len(written) == len(seen) and subjects_up_to([seen], k) == k
    for value, words in written.items():
        least = SEVERAL if listed and len(words) > SEVERAL else k
        if len(seen[value]) >= least:
            yield value

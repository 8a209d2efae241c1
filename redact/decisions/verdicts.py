"""What is decided about a place: the actions, the verdicts that several files ask for, and which values a verdict makes personal.

In: values and what is known of them. Out: `Verdict`, and folded values. Decides nothing: that is `redact.decisions.rules`'s.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from redact.bounds import SHORT
from redact.fold import fold_value
from redact.readers.place import RESULT, UNKNOWN, Place
from redact.recognizers.composites import is_composite
from redact.values.forms import (
    code_groups,
    commonest,
    is_code,
    parts_of_reference,
)
from redact.values.free_ids import is_time_or_amount
from redact.values.numbers import ASKED

KEEP: Final = "keep"
OPAQUE: Final = "opaque_id"
NAME: Final = "full_name"
STREET: Final = "street"
CODE: Final = "code"
CITY: Final = "city"
BIRTH: Final = "birth_date"
PHONE: Final = "phone"
WITHHOLD: Final = "withhold"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is done with the values under one path, and why."""

    action: str
    """`keep`, `withhold`, or the kind of personal value they are."""
    reason: str


KEPT: Final = Verdict(KEEP, "")
OF_EVERYBODY: Final = Verdict(NAME, "looks like names of people whom several subjects know")
UNKNOWN_NAME: Final = Verdict(NAME, "words in prose that nothing explains")
UNKNOWN_WORD: Final = Verdict("first_name", "a listed name in prose that nothing explains")
STREETS: Final = Verdict(STREET, "looks like address lines")
OLD_DAY: Final = Verdict(BIRTH, "looks like birth dates: days of many years ago in text")
IN_TEXT: Final = Verdict(OPAQUE, "looks like an identifier in text that no key explains")
OWN_WORDS: Final = Verdict(NAME, "words that are each person's own, in text of unknown form")
IDENTIFIERS: Final = Verdict(OPAQUE, "looks like an identifier and differs from person to person")
NAMELIKE: Final = Verdict(WITHHOLD, "looks like names and differs from person to person")
TEXTS: Final = Verdict(WITHHOLD, "free text that differs from person to person")


def made_personal(
    seen: Iterable[str], verdict: Verdict, public: frozenset[str], recorded: frozenset[str]
) -> Iterator[str]:
    """Yield the folded values that a verdict makes personal in the whole app."""
    if verdict.action == WITHHOLD:
        return
    # An identifier that several people share is still one: half a key's values cannot be other than the rest.
    spared = recorded if verdict.action in {OPAQUE, NAME} else public
    for value in seen:
        if value.startswith("\x00"):
            continue  # a long text, of which only a digest is known
        for part in parts_of_reference(value) if value not in spared else ():
            folded = fold_value(part)
            if is_time_or_amount(folded) and not folded.isdecimal():
                continue
            code = verdict.action == OPAQUE and _is_code(folded)
            if code or is_composite(verdict.action, folded):
                yield folded


def _is_code(folded: str) -> bool:
    """Say whether a short identifier can be nothing else in its app, so that it reads alike in every episode: `a-101`."""
    digits = sum(map(str.isdigit, folded))
    return len(folded) >= SHORT and digits > 1 and any(map(str.isalpha, folded))


def kept_places(
    evidence: Mapping[str, Mapping[str, list[int]]], verdicts: Mapping[str, Verdict]
) -> list[Mapping[str, list[int]]]:
    """Return what was seen at each place of which no verdict speaks."""
    return [
        seen
        for key, seen in evidence.items()
        if key not in verdicts and not Place.from_key(key).free
    ]


def kept_values(
    evidence: Mapping[str, Mapping[str, list[int]]],
    verdicts: Mapping[str, Verdict],
    recorded: Collection[str],
) -> Iterator[str]:
    """Yield the values that keys explain and that stay, and the groups of codes that go as a whole."""
    yield from recorded
    for key, seen in evidence.items():
        place = Place.from_key(key)
        verdict = verdicts.get(key)
        if verdict and verdict.action == OPAQUE and not place.free:
            yield from (group for code in seen if is_code(code) for group in code_groups(code))
        if verdict or place.free or place.kind == ASKED:
            continue
        if place.kind != UNKNOWN or place.origin == RESULT or commonest(list(seen)) == "identifier":
            yield from seen

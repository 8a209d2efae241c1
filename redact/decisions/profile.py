"""What is known of one place of an app: what stood there, who saw it, and what it looks like; and of all its places together.

In: a place of the evidence, its values with their subjects, and what the app says of values. Out: `Profile`, whose facts are worked out once,
when the first rule asks for them. Decides nothing: that is `redact.decisions.rules`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from redact.bounds import A_THIRD, ENOUGH, MOST, SEVERAL
from redact.decisions.field_forms import is_letters_between, is_line, is_plate
from redact.decisions.free_text import are_own
from redact.decisions.verdicts import NAME, Verdict
from redact.evidence.app_values import AppLearnt
from redact.evidence.catalogues import Catalogues
from redact.evidence.subjects import enough_of, least_of, subjects_of
from redact.readers.place import (
    ARGUMENT,
    RESULT,
    UNKNOWN,
    Place,
    last_key,
)
from redact.values.forms import commonest, is_version
from redact.values.free_ids import FREE
from redact.values.numbers import NUMBERED, are_days, says_amount, says_id, shape_of_numbers
from redact.values.value_sets import (
    are_old,
    are_round,
    is_key,
    span_lives,
)

Evidence = Mapping[str, Mapping[str, list[int]]]
JUDGED: Final = frozenset({UNKNOWN, NUMBERED})
"""Kinds of places that no rule of the lexicon explains."""
WORDS: Final = "words"
LINE: Final = "line"
PLATE: Final = "plate"
DAY: Final = "day"
_MARKS: Final = frozenset({"identifier", "phone", "street"})
_LITERALS: Final = frozenset({"true", "false", "none", "null", "nil", "n/a", "nan"})
"""What programs write for yes, no and nothing."""
_OF_NUMBERS: Final = {"day": "moment", "identifier": "identifier"}
"""What numbers without quotes are; others count something."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One place with what was seen there."""

    place: Place
    seen: Mapping[str, list[int]]
    """Values to the subjects who saw them."""
    public: frozenset[str]
    """Values that are nobody's in the app."""
    latest: int
    """When the app's last episode started."""
    k: int

    @cached_property
    def values(self) -> list[str]:
        """Every value."""
        return list(self.seen)

    @cached_property
    def own_values(self) -> list[str]:
        """The values that are not public."""
        return [value for value in self.seen if value not in self.public]

    @cached_property
    def subjects(self) -> int:
        """How many subjects saw anything here."""
        return subjects_of([self.seen])

    @property
    def key(self) -> str:
        """The last key of the path."""
        return self.place.path.rpartition(".")[2]

    @property
    def is_shown(self) -> bool:
        """Whether a tool returned it."""
        return self.place.origin == RESULT

    @property
    def is_labelled(self) -> bool:
        """Whether anything names the place; one that no label names holds anything."""
        return not (self.place.free and last_key(self.place.path).startswith(FREE))

    @property
    def by_person(self) -> bool:
        """Whether the values can differ from person to person."""
        return self.place.personal or self.subjects >= SEVERAL

    @cached_property
    def shape(self) -> str:
        """What the values look like, whoever saw them: in text of unknown form the words, lines and days of people come first."""
        place = self.place
        if place.kind == NUMBERED:
            return _OF_NUMBERS.get(shape_of_numbers(self.own_values, self.key, self.latest), "")
        if place.free and not all(map(_is_literal, self.seen)) and are_own(self.seen, k=self.k):
            return WORDS
        if place.free and are_own(self.seen, k=self.k, fits=is_line):
            return LINE
        if place.free and are_days(self.values):
            return DAY
        # In a record `512GB SSD` is shaped like a plate as well.
        plates = is_plate if place.free else is_letters_between
        if (place.free or place.personal) and are_own(self.seen, k=self.k, fits=plates):
            return PLATE
        return "" if all(map(_is_literal, self.own_values)) else commonest(self.own_values)

    @cached_property
    def own_shape(self) -> str:
        """The shape of values that are each person's own; empty where they count something or several subjects share them."""
        return "" if self._is_counted() or self.is_shared else self.shape

    @cached_property
    def shape_of_all(self) -> str:
        """What public values and others look like together."""
        return self.shape if len(self.own_values) == len(self.seen) else commonest(self.values)

    @cached_property
    def is_closed(self) -> bool:
        """Whether k subjects share every value."""
        return all(len(listed) >= self.k for listed in self.seen.values())

    @cached_property
    def are_lives(self) -> bool:
        """Whether days lie so far apart, or so far back, that they date people's lives."""
        return span_lives(self.own_values) or are_old(self.own_values, self.latest)

    @cached_property
    def is_shared(self) -> bool:
        """Whether a catalogue stands behind the key: many of its values belong to several subjects or to none."""
        if self.subjects < SEVERAL:
            return False
        some = self.place.personal and self.shape == "names" and self.subjects < ENOUGH
        enough = MOST if some else A_THIRD
        shared = sum(
            len(listed) >= self._least_subjects or value in self.public
            for value, listed in self.seen.items()
        )
        return shared >= enough * len(self.seen)

    @property
    def _least_subjects(self) -> int:
        """How many subjects make a value everybody's; who comes back under another request is two subjects."""
        asked = self.place.personal or self.place.origin == ARGUMENT
        if self.place.kind == NUMBERED:
            return least_of(self.k, self.subjects) if asked else SEVERAL
        keys = self.place.personal or 2 * sum(map(is_key, self.own_values)) > len(self.own_values)
        if self.shape in _MARKS and asked and keys:
            return least_of(self.k, self.subjects)
        return enough_of(self.k, self.subjects)

    def _is_counted(self) -> bool:
        """Say whether values count or number something: amounts under a key that says so, round numbers, versions."""
        if self.place.kind == NUMBERED:
            return False
        told = says_amount(self.key) and not says_id(self.key)
        if (told and all(map(str.isdecimal, self.own_values))) or are_round(self.own_values):
            return True
        return self.shape == "identifier" and 2 * sum(map(is_version, self.own_values)) > len(
            self.own_values
        )


def _is_literal(value: str) -> bool:
    return value.casefold() in _LITERALS


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """An app's places, and what is known of all of them together."""

    learnt: AppLearnt
    places: Mapping[str, Place]
    profiles: Mapping[str, Profile]
    """Of the places that no key explains."""
    people: Mapping[str, str]
    """Places that hold people known from elsewhere, with their kind."""
    catalogues: Catalogues
    public: frozenset[str]
    language: frozenset[str]
    """The app's own words."""
    dictionary: frozenset[str]
    """The same with those of its languages."""
    k: int
    decided: dict[str, Verdict] = field(default_factory=dict)

    @property
    def evidence(self) -> Evidence:
        """What stood at each place, and who saw it."""
        return self.learnt.evidence

    def open(self) -> list[tuple[str, Profile]]:
        """Return the places that no rule has spoken of."""
        return [(key, one) for key, one in self.profiles.items() if key not in self.decided]

    def keys_of_names(self) -> set[str]:
        """Return the places in text of unknown form that were decided to hold names."""
        return {
            key for key, one in self.decided.items() if one.action == NAME and self.places[key].free
        }

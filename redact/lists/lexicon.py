"""What a key says about its value: a kind of personal value, the key of a mere record, or nothing.

In: `lexicon.toml` and a policy's own lines. Out: `Lexicon.kind_of(...)`. Judges keys only: whether a value can be of
that kind is `redact.values.shapes`' job, and what to do with a key that says nothing is `redact.decisions.rules`'s.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final

from redact.bounds import PARTS_REMEMBERED, REMEMBERED, SHORT

RECORD: Final = "record"
PUBLIC: Final = "public"
TEXT: Final = "text"
DATA: Final = "*"
"""What stands in a path for a key that is data."""

_PARTS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
COORDINATE: Final = "coordinate"
_IN_ADDRESS: Final = frozenset({"city", COORDINATE})
_OF_ONE_PERSON: Final = frozenset({"first_name", "last_name", "full_name", "birth_date", "ssn"})
_OF_PLACES: Final = frozenset({"street", "city", "postcode", "phone", "email", "coordinate"})


@lru_cache(maxsize=65_536)
def key_words(key: str) -> tuple[str, ...]:
    """Return a key's words in lower case without accents: `userFirst-name` is (user, first, name)."""
    plain = unicodedata.normalize("NFKD", key)
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return tuple(part.casefold() for part in _PARTS.findall(plain))


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """Phrases and words by what they mean."""

    phrases: Mapping[str, str]
    """Fused phrase to kind."""
    words: Mapping[str, frozenset[str]]
    """Group (`person`, `payment`, `address`, `name`, `id`, `record`, ...) to its words."""
    rules: tuple[tuple[str, str], ...] = ()
    """A policy's own (key pattern, kind) lines; the first that matches decides."""

    @cached_property
    def kind_of(self) -> Callable[[str, tuple[str, ...], frozenset[str]], str | None]:
        """The kind that a key means below the keys `above` (outermost first) and among the kinds `beside`."""
        return lru_cache(maxsize=PARTS_REMEMBERED)(self._judge)

    def phrase_kind(self, label: str) -> str | None:
        """Return the kind that a label means by itself, whatever stands around it."""
        words = key_words(label)
        return self._phrase_kind(words) if words else None

    def kinds_beside(self, key: str, keys: tuple[str, ...]) -> frozenset[str]:
        """Return the kinds that the other keys of an object mean by themselves."""
        return frozenset(kind for name, kind in self._kinds_of(keys).items() if name != key)

    @cached_property
    def _kinds_of(self) -> Callable[[tuple[str, ...]], dict[str, str]]:
        return lru_cache(maxsize=REMEMBERED)(self._phrases_among)

    def _phrases_among(self, keys: tuple[str, ...]) -> dict[str, str]:
        kinds = ((name, self._phrase_kind(key_words(name))) for name in keys)
        return {name: kind for name, kind in kinds if kind}

    def _judge(self, key: str, above: tuple[str, ...], beside: frozenset[str]) -> str | None:
        ruled = self._ruled(key, above)
        if ruled is not None:
            return ruled
        words = self._parted(key_words(key))
        if not words:
            return None
        kind = self._phrase_kind(words)
        around = self._group_around(words[:-1], above)
        if kind in _OF_PLACES and around == "place":
            return PUBLIC if kind == COORDINATE else None
        if kind in _IN_ADDRESS and not self._addressed(words[:-1], above, beside):
            return _coordinate_kind(beside) if kind == COORDINATE else None
        return (
            kind
            or self._kind_of_name(words, around, beside)
            or self._kind_of_number(words, around, beside)
        )

    def is_ruled(self, key: str, above: tuple[str, ...]) -> bool:
        """Say whether a policy's own line decides about a key."""
        return self._ruled(key, above) is not None

    def _ruled(self, key: str, above: tuple[str, ...]) -> str | None:
        if not self.rules:
            return None
        path = ".".join((*above, key)).casefold()
        for pattern, kind in self.rules:
            if (
                fnmatchcase(key.casefold(), pattern)
                or fnmatchcase(path, pattern)
                or fnmatchcase(path, f"*.{pattern}")
            ):
                return kind
        return None

    def _phrase_kind(self, words: tuple[str, ...]) -> str | None:
        for start in range(len(words)):
            fused = "".join(words[start:])
            kind = self.phrases.get(fused)
            if kind is None:
                continue
            if len(fused) > SHORT or start == 0 or self._group(words[start - 1]):
                return kind
        return None

    def _kind_of_name(
        self, words: tuple[str, ...], around: str | None, beside: frozenset[str]
    ) -> str | None:
        if words[-1] not in self.words["name"]:
            return None
        # `restaurant_name` beside a telephone number names no person.
        if around in {"person", "account", "address"} or (
            len(words) == 1 and beside & _PERSONAL_BESIDE
        ):
            return "full_name"
        return PUBLIC if around in {"record", "place"} else None

    def _kind_of_number(
        self, words: tuple[str, ...], around: str | None, beside: frozenset[str]
    ) -> str | None:
        if not {words[-1], words[-1].removesuffix("s")} & self.words["id"]:
            group = self._group(words[-1])
            if group == "record" and words != _RUNG:
                return RECORD
            return "person_id" if group == "person" and len(words) == 1 else None
        if len(words) == 1 and around is None and beside & _ONE_PERSON_BESIDE:
            return "person_id"
        return {
            "person": "person_id",
            "account": "person_id",
            "payment": "payment_id",
            "record": RECORD,
            "place": RECORD,
        }.get(around or "")

    @cached_property
    def _parted(self) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
        return lru_cache(maxsize=REMEMBERED)(self._unfused)

    def _unfused(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Split a last word such as `kundennummer` or `orderid` into its two parts."""
        if not words or "".join(words) in self.phrases:
            return words
        last = words[-1]
        for end in (*self.words["id"], *self.words["name"]):
            if len(end) > 1 and last.endswith(end) and self._group(last[: -len(end)]):
                return (*words[:-1], last[: -len(end)], end)
        return words

    def _group_around(self, before: tuple[str, ...], above: tuple[str, ...]) -> str | None:
        """Return the group of the nearest telling word: earlier in the key, else in the key right above.

        No farther: the appointments inside a patient's record have ids and names of their own.
        """
        if before:
            return self._telling(before)
        nearest = next((key for key in reversed(above) if key != DATA), None)
        if nearest is None:
            return None
        words = key_words(nearest)
        told = self._telling(words)
        if nearest == above[0] and told == "person" and "record" in map(self._group, words):
            # A tool that is named after a record and people (`add_event_participants`) answers with either.
            return None
        return told

    def _telling(self, words: tuple[str, ...]) -> str | None:
        return next((group for group in map(self._group, reversed(words)) if group), None)

    def _addressed(
        self, before: tuple[str, ...], above: tuple[str, ...], beside: frozenset[str]
    ) -> bool:
        if beside & {"street", "postcode"}:
            return True
        near = [*before, *(word for key in above[-2:] for word in key_words(key))]
        return any(self._group(word) in {"address", "person"} for word in near)

    def _group(self, word: str) -> str | None:
        single = word[:-1] if word.endswith("s") and len(word) > 3 else word
        for group in ("address", "person", "account", "payment", "place", "record"):
            if word in self.words[group] or single in self.words[group]:
                return group
        return None


def _coordinate_kind(beside: frozenset[str]) -> str | None:
    """Return what a place on the map is: a person's beside her name, a town's beside the town's, else unknown."""
    if beside & _OF_ONE_PERSON:
        return COORDINATE
    return PUBLIC if "city" in beside else None


_RUNG: Final = ("call",)
"""By itself it says whom to ring."""
_ONE_PERSON_BESIDE: Final = frozenset({"first_name", "last_name", "email", "birth_date", "ssn"})
_PERSONAL_BESIDE: Final = frozenset(
    {"first_name", "last_name", "email", "phone", "birth_date", "ssn", "person_id", "document_id"}
)


def load_lexicon(rules: Mapping[str, str] | None = None) -> Lexicon:
    """Return the shipped lexicon with a policy's own lines before it."""
    table = _table()
    phrases = {
        "".join(key_words(phrase)): kind
        for kind, listed in table["kinds"].items()
        for phrase in listed
    }
    words = {group: frozenset(listed) for group, listed in table["words"].items()}
    own = tuple((pattern.casefold(), kind) for pattern, kind in (rules or {}).items())
    return Lexicon(phrases=phrases, words=words, rules=own)


@cache
def word_group(group: str) -> frozenset[str]:
    """Return the words of one group of the lexicon."""
    return frozenset(_table()["words"][group])


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    table: dict[str, dict[str, list[str]]] = tomllib.loads(
        (Path(__file__).parent / "lexicon.toml").read_text("utf-8")
    )
    return table

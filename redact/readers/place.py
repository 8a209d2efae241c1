"""Where a value nobody explained was seen: what evidence about unknown keys is counted by.

In: the origin of a text, what the lexicon says of a key, and its path. Out: `Place`, to a key of the evidence table and
back. Judges nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from redact.values.free_ids import FREE

ARGUMENT: Final = "argument"
RESULT: Final = "result"
MESSAGE: Final = "message"
UNKNOWN: Final = "?"
"""The kind of a place whose key no rule knows."""
UNKNOWN_NAMES: Final = "~^"
"""The path of the place where runs of capitalised words of prose are counted."""
_OF_PROSE: Final = frozenset({FREE, UNKNOWN_NAMES})


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the evidence."""

    origin: str
    """`argument` or `result`."""
    kind: str
    """What the lexicon says: `record`, `public`, `text`, or `?`."""
    personal: bool
    """The document holds personal values besides."""
    path: str
    free: bool = False
    """It stands in text that is no JSON: its record is a person's until the evidence says otherwise."""

    def key(self) -> str:
        """Return the place as a key of the evidence table."""
        return place_key(self.origin, self.kind, self.path, personal=self.personal, free=self.free)

    @staticmethod
    @lru_cache(maxsize=65_536)
    def from_key(key: str) -> Place:
        """Return the place of a key of the evidence table."""
        origin, kind, personal, path = key.split("|", 3)
        return Place(origin, kind, personal != "n", path, personal == "f")


def place_key(origin: str, kind: str, path: str, *, personal: bool, free: bool = False) -> str:
    """Return the key of a place in the evidence table."""
    return keyed_place(origin, kind, "f" if free else "p" if personal else "n", path)


@lru_cache(maxsize=65_536)
def keyed_place(origin: str, kind: str, whose: str, path: str) -> str:
    """Return the key of a place in text that is no JSON (`f`), in a document with personal values (`p`) or in another (`n`)."""
    return f"{origin}|{kind}|{whose}|{path}"


WORDS: Final = "~w."
"""What the path begins with of a place where the words of long texts are counted, whose own texts are not kept."""


@lru_cache(maxsize=65_536)
def words_place(key: str) -> str | None:
    """Return the key of the place where the words of a place's long texts are counted; None where they are not."""
    place = Place.from_key(key)
    if place.origin != RESULT or place.free or place.kind != "?":
        return None
    return place_key(RESULT, place.kind, WORDS + place.path, personal=True, free=True)


def object_of(path: str) -> str:
    """Return the path of the object that holds a path's last key."""
    return path.rpartition(".")[0]


def is_within(path: str, above: str) -> bool:
    """Say whether a path's key stands in the object of another path, or below it."""
    return object_of(path) == above or path.startswith(f"{above}.")


def tool_of(path: str) -> str:
    """Return the tool that a path begins with."""
    return path.partition(".")[0]


def last_key(path: str) -> str:
    """Return a path's last key, whatever its casing."""
    return path.rpartition(".")[2].casefold()


def is_free(key: str) -> bool:
    """Say whether a key of the evidence counts tokens of free text, runs of capitalised words of prose, or words of long texts."""
    path = Place.from_key(key).path
    return path in _OF_PROSE or path.startswith(WORDS)

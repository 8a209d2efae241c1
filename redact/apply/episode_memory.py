"""What an episode's values make of texts, kept for the next episode with the same values.

In: texts, the places of values in them, clean texts. Out: the same again. A person who comes back has the same values, and
reads and is told much of the same. Decides nothing: it is filled by `redact.apply.redactor`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

from redact.apply.matcher import Match, Matcher
from redact.bounds import CHARACTERS, EPISODES_REMEMBERED


class Note(NamedTuple):
    """One removal, told without its text; a named tuple, because one is made per removal."""

    kind: str
    path: str
    """`steps[4].tool_calls[0].arguments`."""
    length: int


class Cleaned(NamedTuple):
    """A clean text with the kind and the length of each removal."""

    text: str
    removed: tuple[tuple[str, int], ...] = ()


class CleanTools(NamedTuple):
    """Definitions that everybody has, with their removals: most episodes of an app have the same."""

    tools: tuple[str, ...]
    notes: tuple[Note, ...]


class Memory:
    """What is known of texts beside one set of values."""

    __slots__ = ("_matcher", "done", "kinds", "own", "same")

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self.kinds = kinds
        """The values that are looked for, with their kinds."""
        self._matcher: Matcher | None = None
        self.own: dict[str, list[Match]] = {}
        """Where the values stand."""
        self.done: dict[str, Cleaned] = {}
        self.same: set[str] = set()
        """Texts in which nothing stands that could be replaced."""

    @property
    def matcher(self) -> Matcher:
        """The values' own automaton, for the few texts that were not searched with those of other episodes."""
        if self._matcher is None:
            self._matcher = Matcher(self.kinds)
        return self._matcher


class Memories:
    """Memories by what they depend on; all are dropped when they hold much text."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Memory] = {}
        self._characters = 0

    def get(self, asked: Hashable) -> Memory | None:
        """Return what is remembered beside these values."""
        return self._kept.get(asked)

    def keep(self, asked: Hashable, memory: Memory) -> None:
        """Remember what is known beside these values."""
        if self._characters > CHARACTERS or len(self._kept) >= EPISODES_REMEMBERED:
            self._kept.clear()
            self._characters = 0
        self._kept[asked] = memory

    def count(self, texts: Iterable[str]) -> None:
        """Count texts that a memory begins to hold."""
        self._characters += sum(map(len, texts))

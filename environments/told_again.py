"""Values that are told again: what a call tells of a thing, and the next call about the same thing tells too, is state.

Comes from recorded calls and the values at one place of their results. Goes out: whether a place holds state, and the tools that tell it anew
with every call. A look leaves things as they are, so it repeats what a change before it told. A value that says nothing of an answer is
repeated by chance alone; how often that is, results show that have nothing to do with each other. It does not matter what was called between
two calls, nor whether the backend lives on. Learning asks before it takes a value for noise, and measuring asks once more, of calls that
learning never saw. Not here: calls that are made twice (`synth.world.volatile.idle_values`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import read_time
from environments.runtime.values.literals import parse_json
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import stable
from environments.runtime.views.clock_and_ids import PUNCTUATION

MIN_ANEW: Final = 5
"""Results that by chance would not repeat a value, before it says anything that they do, or do not."""
REPEATED: Final = 0.1
"""Of what chance makes anew, at most this share is told anew where a tool repeats: other people's changes, slips."""
STEADY: Final = 0.25
"""The same where a tool may be said to repeat at all: what is told anew more often was changed."""
ANEW: Final = 0.5
"""From this share on a tool tells anew."""
_Place = tuple[int, int]
"""An episode and a position in it."""


class ToldCall(Protocol):
    """One recorded call with its result."""

    @property
    def tool(self) -> str:
        """What was called."""
        ...

    @property
    def arguments(self) -> Mapping[str, Json]:
        """What it was given."""
        ...

    @property
    def content(self) -> str:
        """What it was answered."""
        ...

    @property
    def episode(self) -> int:
        """Index of the episode."""
        ...

    @property
    def position(self) -> int:
        """Index of the call in its episode."""
        ...


Rows = Sequence[tuple[ToldCall, Json]]
"""Calls with the value at one place of their results."""


@dataclass(frozen=True, slots=True)
class _Repeats:
    """How many results do not tell what the call beside them told, and how many would not by chance."""

    anew: int
    by_chance: int

    @property
    def is_tried(self) -> bool:
        """Whether there are enough of them."""
        return self.by_chance >= MIN_ANEW

    def is_at_most(self, share: float) -> bool:
        """Whether values are told anew in at most this share of what chance makes it."""
        return self.anew <= share * self.by_chance


class Neighbours:
    """The calls about one thing that stand side by side in an episode, whatever was called between them about other things."""

    def __init__(self, episodes: Iterable[Sequence[ToldCall]]) -> None:
        self._episodes = episodes
        self._told: dict[int, tuple[str, frozenset[str]]] = {}

    @cached_property
    def _calls_beside(self) -> dict[_Place, tuple[ToldCall | None, ToldCall | None]]:
        """By call the one before it and the one after it."""
        before: dict[_Place, ToldCall] = {}
        after: dict[_Place, ToldCall] = {}
        calls: list[_Place] = []
        for episode in self._episodes:
            last: dict[str, ToldCall] = {}
            for seen in episode:
                calls.append((seen.episode, seen.position))
                things = _things_of(seen)
                earlier = [last[thing] for thing in things if thing in last]
                if earlier:
                    nearest = max(earlier, key=lambda one: one.position)
                    before[calls[-1]] = nearest
                    after.setdefault((nearest.episode, nearest.position), seen)
                last |= dict.fromkeys(things, seen)
        return {call: (before.get(call), after.get(call)) for call in calls}

    def hold_state(self, rows: Rows) -> bool:
        """Whether the values of one place are state: some tool repeats there what another told nearly always, and some other does not.

        What every tool repeats may be the episode's own. A time that goes on with the calls is repeated by whoever is quick, so times say nothing here.
        """
        if all(read_time(str(value)) is not None for _, value in rows):
            return False
        groups: dict[tuple[str, str, bool], list[tuple[Json, ToldCall]]] = defaultdict(list)
        for seen, value in rows:
            for at, other in enumerate(self._calls_beside.get((seen.episode, seen.position), ())):
                if other is not None:
                    groups[seen.tool, other.tool, bool(at)].append((value, other))
        tried = [found for pairs in groups.values() if (found := self._repeats(pairs)).is_tried]
        is_repeated = any(found.is_at_most(REPEATED) for found in tried)
        return is_repeated and not all(found.is_at_most(STEADY) for found in tried)

    def tell_anew(self, rows: Rows) -> set[str]:
        """The tools that tell another value at one place than the call before told, wherever chance would."""
        groups: dict[str, list[tuple[Json, ToldCall]]] = defaultdict(list)
        for seen, value in rows:
            before, _ = self._calls_beside.get((seen.episode, seen.position), (None, None))
            if before is not None:
                groups[seen.tool].append((value, before))
        found = {tool: self._repeats(pairs) for tool, pairs in groups.items()}
        return {t for t, one in found.items() if one.is_tried and not one.is_at_most(ANEW)}

    def _repeats(self, pairs: Sequence[tuple[Json, ToldCall]]) -> _Repeats:
        half = len(pairs) // 2
        apart = [*pairs[half:], *pairs[:half]]
        return _Repeats(
            anew=sum(not self._tells(other, value) for value, other in pairs),
            by_chance=sum(
                not self._tells(other, value)
                for (value, _), (_, other) in zip(pairs, apart, strict=True)
            ),
        )

    def _tells(self, seen: ToldCall, value: Json) -> bool:
        """Whether a result holds a value, at any place."""
        content = seen.content
        known, told = self._told.get(id(seen), ("", frozenset[str]()))
        if known != content:
            told = frozenset(text.strip(PUNCTUATION) for text in _values_told(seen))
            self._told[id(seen)] = content, told
        texts = [str(leaf).strip(PUNCTUATION) for leaf in leaves(value)]
        return all(text in told or (" " in text and text in content) for text in texts)


def _things_of(seen: ToldCall) -> set[str]:
    """What a call is about: the values that it is given; calls without any are about one thing."""
    return {stable(leaf) for leaf in leaves(dict(seen.arguments))} or {""}


def _values_told(seen: ToldCall) -> Iterator[str]:
    parsed = parse_json(seen.content)
    if parsed is not None:
        yield from map(str, leaves(parsed.value))
    else:
        yield from seen.content.split()

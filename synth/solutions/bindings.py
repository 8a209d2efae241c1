"""Where the arguments of a write come from, learnt from resolved attempts, so that they can be bound in another episode.

In: resolved calls of one tool, each with what its episode knew. Out: sources per argument: an id the user said, a field
of a record (chosen by what the user said where there are several), a share of an amount, words of the user for one of
few values, values written in one pattern, or a constant. A source is kept only if it is right for every example that it
says anything about; what the user said comes before what records hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import is_number
from environments.verification.readable_values import leaves_of
from synth.recordings.known_values import (
    Example,
    KnownValues,
    Path,
    bare_id,
    is_id,
    names_one_of,
    plain_text,
    shape,
    shaped,
    values_at,
)
from synth.recordings.sample import sample_evenly
from synth.solutions.fillers.described_things import DescribedThing
from synth.solutions.fillers.element_words import Meanings
from synth.solutions.fillers.guarded_sources import Source, guard_sources
from synth.solutions.fillers.value_words import worded_of

FEWEST: Final = 3
"""Examples that a source must be right about."""
RIGHT: Final = 0.87
"""Expected share of examples that a source is right about, of those that it speaks of: three of three, 12 of 13."""
SHOWN: Final = 12
"""Examples that sources are read off."""
DECIDE: Final = 300
"""Examples that decide whether a source is right; of more, so many spread over all."""
MOST_GUARDED: Final = 40
"""Sources that are often wrong for which words are looked for."""
TOGETHER: Final = 3
"""Neighbouring texts that make a pattern."""

CHOICES: Final = ("only", "first", "said", "opened")


@dataclass(frozen=True, slots=True)
class Constant:
    """Always the same."""

    value: Json

    def __hash__(self) -> int:
        # The value may be an object or a list, which Python does not hash.
        return hash(str(self.value))

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:  # noqa: ARG002 - the protocol's arguments
        """The value."""
        return self.value


@dataclass(frozen=True, slots=True)
class SaidId:
    """The id of one shape in what the user said: the only one, or the only one in the first or last turn with any."""

    shapes: frozenset[str]
    turn: str
    """`any`, `first` or `last`."""

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:  # noqa: ARG002 - the protocol's arguments
        """The id."""
        every = [[shaped(i, self.shapes) for i in turn] for turn in known.ids]
        turns = [found for turn in every if (found := [i for i in turn if i is not None])]
        if turns and self.turn != "any":
            turns = turns[:1] if self.turn == "first" else turns[-1:]
        chosen = {i for turn in turns for i in turn}
        return next(iter(chosen)) if len(chosen) == 1 else None


@dataclass(frozen=True, slots=True)
class Subject:
    """Who the episode is about."""

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:  # noqa: ARG002 - the protocol's arguments
        """The subject's id."""
        return known.subject


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record that the call is about."""

    tool: str
    path: Path
    choose: str
    """`only`, `first`, `said`: the elements that the user's last words about them name, or `opened`: the first words."""
    as_list: bool = False

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:
        """The field's value, or the list of them."""
        about = self._find_record(known, others)
        found = [
            (way or [value], leaf) for value in about for way, leaf in values_at(value, self.path)
        ]
        chosen = self._choose_values(found, known)
        values = list(dict.fromkeys(str(v) for v in chosen))
        if self.as_list:
            return list(chosen) or None
        return chosen[0] if len(values) == 1 else None

    def _find_record(self, known: KnownValues, others: Sequence[Json]) -> list[Json]:
        """The record of the tool that the other arguments name, else the user, the last time; else the only one."""
        mine = [r for r in known.records if r.tool == self.tool]
        named = [r for r in mine if any(v in others for v in r.arguments.values())]
        for turn in reversed(known.ids) if not named else ():
            ids = {bare_id(one) for one in turn}
            named = named or [r for r in mine if names_one_of(r, ids)]
        asked = {shape(bare_id(str(v))) for r in mine for v in r.arguments.values()}
        if not named and any(shape(bare_id(one)) in asked for turn in known.ids for one in turn):
            # The user named one whose record nobody has seen: another one's says nothing about it.
            return []
        distinct = {str(sorted(r.arguments.items(), key=str)): r for r in named or mine}
        several = self.choose == "said" and not named and "*" not in self.path
        return [r.value for r in distinct.values()] if len(distinct) == 1 or several else []

    def _choose_values(
        self, found: Sequence[tuple[list[Json], Json]], known: KnownValues
    ) -> list[Json]:
        if self.choose == "only":
            return [v for _, v in found]
        if self.choose == "first":
            return [found[0][1]] if found else []
        last = [heard.text for heard in reversed(known.meant_texts)]
        for turn in known.plain_turns if self.choose == "opened" else last:
            named = [(_named_length(way[0], turn), v) for way, v in found if way]
            best = max((length for length, _ in named), default=0)
            if best:
                return [v for length, v in named if length == best or (self.as_list and length)]
        return []


@dataclass(frozen=True, slots=True)
class Scaled:
    """A fixed share of an amount, to the cent."""

    field: Field
    factor: float

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:
        """The share."""
        base = self.field.find(known, others)
        return round(base * self.factor + 1e-9, 2) if is_number(base) else None


@dataclass(frozen=True, slots=True)
class TurnPattern:
    """A value between fixed separators in a turn, as part of one pattern with its neighbours (an address)."""

    pattern: str
    group: int

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:  # noqa: ARG002 - the protocol's arguments
        """The value in the last turn that fits."""
        for turn in reversed(known.said):
            found = re.findall(self.pattern, turn)
            if found:
                parts = found[-1]
                return str(parts if isinstance(parts, str) else parts[self.group])
        return None


def sources_of(examples: Sequence[Example], meanings: Meanings | None = None) -> tuple[Source, ...]:
    """The sources that are right about nearly every example they speak of, those first that were never wrong."""
    if len(examples) < FEWEST:
        return ()
    examples = sample_evenly(examples, DECIDE)
    found: list[tuple[int, bool, int, int, Source]] = []
    often_wrong: list[tuple[Source, list[bool]]] = []
    for source in dict.fromkeys(_candidates(examples, meanings)):
        values = [source.find(e.known, e.others) for e in examples]
        rights = [same_value(value, e.value) for value, e in zip(values, examples, strict=True)]
        right = sum(rights)
        wrong = sum(value is not None for value in values) - right
        if right < FEWEST:
            continue
        if (right + 0.5) / (right + wrong + 1) >= RIGHT:
            found.append((wrong, isinstance(source, Field | Scaled), -right, len(found), source))
        elif len(often_wrong) < MOST_GUARDED:
            often_wrong.append((source, rights))
    worded = worded_of(examples)
    ranked: list[Source] = [source for *_, source in sorted(found, key=lambda entry: entry[:4])]
    better = [*([worded] if worded else []), *ranked]
    return (*better, *guard_sources(examples, often_wrong, better))


def bind(sources: Iterable[Source], known: KnownValues, others: Sequence[Json]) -> Json:
    """The value of the first source that says something: what the user said before what records hold."""
    return next((v for s in sources if (v := s.find(known, others)) is not None), None)


def same_value(one: Json, other: Json) -> bool:
    """Whether two values mean the same."""
    if is_number(one) and is_number(other):
        return abs(one - other) < 0.0051
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return one == other and one is not None


def _candidates(examples: Sequence[Example], meanings: Meanings | None) -> Iterable[Source]:
    values = {str(e.value) for e in examples}
    if len(values) == 1 and len(examples) > FEWEST:
        yield Constant(examples[0].value)
    shapes = frozenset(
        shape(e.value) for e in examples if isinstance(e.value, str) and is_id(e.value)
    )
    if shapes:
        for turn in ("any", "first", "last"):
            yield SaidId(shapes, turn)
        yield Subject()
    if meanings is not None:
        yield from meanings.sources(examples)
    for example in examples[:: max(1, len(examples) // SHOWN)]:
        yield from _fields(example)
        yield from _turn_patterns(example)


def _fields(example: Example) -> Iterable[Source]:
    """Every field that holds the example's value, and for amounts every share that others may confirm."""
    value, as_list = example.value, isinstance(example.value, list)
    wanted = value if isinstance(value, list) else [value]
    for record in example.known.records:
        for path, leaf in record.leaves:
            if any(same_value(leaf, item) for item in wanted):
                if "*" in path and isinstance(leaf, str) and is_id(leaf):
                    yield DescribedThing(record.tool, path, as_list)
                for choose in CHOICES if "*" in path else ("only", "said"):
                    yield Field(record.tool, path, choose, as_list)
            elif is_number(value) and is_number(leaf) and leaf and value:
                factor = round(value / leaf, 3)
                if 0 < factor <= 1 and abs(factor * leaf - value) < 0.006:
                    for choose in ("said", "only"):
                        yield Scaled(Field(record.tool, path, choose), factor)


def _turn_patterns(example: Example) -> Iterable[Source]:
    """The pattern in which a turn names the value together with the call's other texts."""
    value = example.value
    if not isinstance(value, str) or (is_id(value) and shape(value) != "9"):
        return
    for turn in example.known.said:
        texts = {v for v in (value, *example.others) if isinstance(v, str) and v and v in turn}
        if value not in texts or len(texts) < TOGETHER:
            continue
        placed = sorted(texts, key=turn.index)
        spans = [(turn.index(t), turn.index(t) + len(t)) for t in placed]
        if any(b[0] < a[1] for a, b in pairwise(spans)):
            continue
        between = [turn[a[1] : b[0]] for a, b in pairwise(spans)]
        if any(len(gap) > 3 for gap in between):
            continue
        pattern = _group(placed[0])
        for gap, text in zip(between, placed[1:], strict=True):
            pattern += re.escape(gap) + _group(text)
        yield TurnPattern(rf"(?<!\w){pattern}(?!\w)", placed.index(value))


def _group(text: str) -> str:
    """What a text of this kind looks like: a code in capitals, one that starts with a digit, or words."""
    if text.isupper() and text.isalpha():
        return rf"([A-Z]{{{len(text)}}})"
    if not any(c.islower() for c in text):
        return r"([A-Z0-9][A-Z0-9 ]*)"
    return r"(\d[^,:;!?]*)" if text[0].isdigit() else r"([^\W\d][^,:;!?\d]*)"


def _named_length(element: Json, turn: str) -> int:
    """How much of the turn names an element: the longest of its texts that stands there as words."""
    texts = (plain_text(leaf) for _, leaf in leaves_of(element) if isinstance(leaf, str))
    # Few texts stand in the turn at all: only those are looked for as words.
    near = (t for t in texts if len(t) > 2 and t in turn)
    hits = [t for t in near if re.search(rf"(?<!\w){re.escape(t)}(?!\w)", turn)]
    return max(map(len, hits), default=0)

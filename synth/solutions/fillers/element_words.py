"""An element that the user means in words of their own: "to my PayPal" for the one whose kind is `online_wallet`.

In: resolved calls whose argument stands in a list of a record. Out: sources that find the element by a field beside it,
whose values are named by words that users say only with them. Not here: elements whose own texts the user says (`bindings`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.task.attempt import Json
from synth.recordings.known_values import Example, KnownValues, Path, is_id, values_at
from synth.recordings.sample import sample_evenly
from synth.solutions.fillers.value_words import WordedValue, vocabulary_of, worded_of

SHOWN: Final = 8
"""Examples that paths are read off."""
LEARNT_FROM: Final = 1_000
"""Examples of all arguments that words are learnt from; of more, so many spread over all."""


@dataclass(frozen=True, slots=True)
class MeantElement:
    """A leaf of the one element whose `field` has the value that the user's words mean."""

    tool: str
    path: Path
    field: str
    words: WordedValue

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:
        """The leaf; None where no word tells, or several elements are of that kind."""
        meant = self.words.find(known, others)
        if meant is None:
            return None
        found = {str(v): v for e, v in _elements(known, self) if e.get(self.field) == meant}
        return next(iter(found.values())) if len(found) == 1 else None


class Meanings:
    """What users mean by their words, learnt over all arguments that name an element of the same list."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = sample_evenly(
            [e for e in examples if isinstance(e.value, str)], LEARNT_FROM
        )
        self._found: dict[tuple[str, Path], tuple[MeantElement, ...]] = {}

    def sources(self, examples: Sequence[Example]) -> Iterable[MeantElement]:
        """The sources of this kind for one argument."""
        for tool, path in sorted(_places(examples)):
            if (tool, path) not in self._found:
                self._found[tool, path] = tuple(self._learn(tool, path))
            yield from self._found[tool, path]

    def _learn(self, tool: str, path: Path) -> Iterable[MeantElement]:
        blank = MeantElement(tool, path, "", WordedValue({}, {}, {}))
        chosen = [
            (example, element)
            for example in self._examples
            for element in [e for e, v in _elements(example.known, blank) if v == example.value][:1]
        ]
        fields = {
            name
            for _, element in chosen
            for name, value in element.items()
            if isinstance(value, str) and not is_id(value)
        }
        for name in sorted(fields):
            kinds = [
                Example(example.known, element[name], example.others)
                for example, element in chosen
                if name in element
            ]
            learnt = (vocabulary_of(kinds), worded_of(kinds), worded_of(kinds, last=True))
            for words in learnt:
                if words is not None:
                    yield MeantElement(tool, path, name, words)


def kinds_of(known: KnownValues, place: MeantElement, value: Json) -> set[str]:
    """Of which kinds the elements are that hold a value."""
    found = [e.get(place.field) for e, v in _elements(known, place) if v == value]
    return {kind for kind in found if isinstance(kind, str)}


def _places(examples: Sequence[Example]) -> set[tuple[str, Path]]:
    """Where lists hold the argument."""
    return {
        (record.tool, path)
        for example in examples[:: max(1, len(examples) // SHOWN)]
        if isinstance(example.value, str)
        for record in example.known.records
        for path, leaf in record.leaves
        if "*" in path and leaf == example.value
    }


def _elements(known: KnownValues, place: MeantElement) -> list[tuple[dict[str, Json], Json]]:
    """The innermost elements at the path in the tool's answers, each with its leaf."""
    return [
        (way[-1], leaf)
        for record in known.records
        if record.tool == place.tool
        for way, leaf in values_at(record.value, place.path)
        if way and isinstance(way[-1], dict)
    ]

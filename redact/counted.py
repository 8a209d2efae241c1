"""Who saw what: an app's evidence and choices, counted by text and by list of definitions, and spread over values once.

In: the findings of an episode's texts, its tool definitions, whom it counts for. Out: the app's evidence and choices. A catalogue's
text is read in many episodes, and everybody has the same definitions: what each holds is gone through once. Judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from redact.definitions import EVERYBODY, choices_in, definition_key
from redact.findings import Findings
from redact.learnt import VALUE_SIZE, AppLearnt, evidence_value, merge_subjects

_TOGETHER: Final = 50_000
"""So many texts are counted before they are spread."""


class Counted:
    """Counts for one app; `spread` writes what was counted into its record."""

    def __init__(self, app: AppLearnt) -> None:
        self.app: Final = app
        self._texts: dict[Findings, list[int]] = {}
        self._definitions: dict[tuple[str, ...], list[int]] = {}

    def add(self, subject: int, texts: Iterable[Findings], definitions: tuple[str, ...]) -> None:
        """Count one episode's distinct texts and its definitions for a subject."""
        mine = [subject]
        seen = self._texts
        for text in texts:
            if text.sightings:
                known = seen.get(text)
                seen[text] = mine if known is None else merge_subjects(known, mine)
        if definitions:
            had = self._definitions
            had[definitions] = merge_subjects(had.get(definitions, []), mine)
        if len(seen) >= _TOGETHER or len(self._definitions) >= _TOGETHER:
            self.spread()

    def spread(self) -> None:
        """Write what was counted into the app's record; any order gives the same."""
        evidence = self.app.evidence
        for text, subjects in self._texts.items():
            for place, leaf in text.sightings:
                value = leaf.value
                if len(value) > VALUE_SIZE:
                    value = evidence_value(value)
                values = evidence.get(place)
                if values is None:
                    values = evidence[place] = {}
                known = values.get(value)
                if known is None:
                    values[value] = subjects
                elif known is not subjects:
                    values[value] = merge_subjects(known, subjects)
        choices = self.app.choices
        for definitions, subjects in self._definitions.items():
            for definition in definitions:
                for counted in (EVERYBODY, definition_key(definition), *choices_in(definition)):
                    choices[counted] = merge_subjects(choices.get(counted, []), subjects)
        self._texts.clear()
        self._definitions.clear()

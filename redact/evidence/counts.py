"""Who saw what: an app's evidence and choices, counted by text and by list of definitions, and spread over values once.

In: the findings of an episode's texts, its tool definitions, whom it counts for. Out: the app's evidence and choices. A catalogue's
text is read in many episodes, and everybody has the same definitions: what each holds is gone through once. Judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ingest.records.episode import Step
from redact.bounds import LONGEST_LINE, LONGEST_VALUE, REMEMBERED
from redact.evidence.app_values import AppLearnt, evidence_value, merge_subjects
from redact.evidence.definitions import EVERYBODY, choices_in, definition_key, name_key, names_in
from redact.readers.place import words_place
from redact.recognizers.analyzer import Findings
from redact.values.segments import small_words, told_words, words_told

_OTHERS: Final = frozenset({"user", "tool"})
"""Whose words are not the app's own."""


class AppCounts:
    """Counts for one app; `write_counts` writes what was counted into its record."""

    def __init__(self, app: AppLearnt) -> None:
        self.app: Final = app
        self._texts: dict[Findings, list[int]] = {}
        self._definitions: dict[tuple[str, ...], list[int]] = {}
        self._prompts: dict[str, list[int]] = {}
        self._said: list[str] = []

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
        if len(seen) >= REMEMBERED or len(self._definitions) >= REMEMBERED:
            self.write_counts()

    def meet(self, subject: int, agents: Iterable[str | None]) -> None:
        """Count the names of an episode's agents for a subject: agents of many subjects are the app's, as its tools are."""
        choices = self.app.choices
        for agent in filter(None, dict.fromkeys(agents)):
            key = name_key(agent)
            choices[key] = merge_subjects(choices.get(key, []), [subject])

    def hear(self, subject: int, steps: Iterable[Step]) -> None:
        """Count the words of an episode's prompts for a subject, and keep those that its assistant writes."""
        for step in steps:
            role, content = step.role, step.content
            if role in _OTHERS or not content:
                continue
            if role == "assistant":
                self._said.append(content)
            else:
                had = self._prompts
                had[content] = merge_subjects(had.get(content, []), [subject])

    def write_counts(self) -> None:
        """Write what was counted into the app's record; any order gives the same."""
        evidence = self.app.evidence
        for text, subjects in self._texts.items():
            for place, leaf in text.sightings:
                value = leaf.value
                if len(value) > LONGEST_VALUE:
                    self._spread_text(place, value, subjects)
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
                named = map(name_key, names_in(definition))
                listed = choices_in(definition)
                for counted in (EVERYBODY, definition_key(definition), *named, *listed):
                    choices[counted] = merge_subjects(choices.get(counted, []), subjects)
        self._spread_words()
        self._texts.clear()
        self._definitions.clear()

    def _spread_text(self, place: str, text: str, subjects: list[int]) -> None:
        """Count the words of a long text that no rule explains; the text itself is not kept."""
        told = words_place(place)
        if told is None:
            return
        counted = self.app.evidence.setdefault(told, {})
        for word in words_told(text):
            known = counted.get(word)
            if known is None:
                counted[word] = subjects
            elif known is not subjects:
                counted[word] = merge_subjects(known, subjects)

    def _spread_words(self) -> None:
        """Write the words of prompts, definitions and the assistant."""
        told = self.app.told
        defined = {"\n".join(listed): subjects for listed, subjects in self._definitions.items()}
        for text, subjects in (*self._prompts.items(), *defined.items()):
            for word in told_words(text):
                known = told.get(word)
                if known is None:
                    told[word] = subjects
                elif known is not subjects:
                    told[word] = merge_subjects(known, subjects)
        small: set[str] = set()
        for text in self._said:
            if len(text) < LONGEST_LINE or not len(text) % 4:  # of long ones a fourth says it all
                small.update(text.split())
        self.app.small.update(small_words(small))
        self._prompts.clear()
        self._said.clear()

"""Leaves under keys that nobody knows, and names in prose that the policy flags: what goes, what is held back.

In: what an episode's texts revealed, and the app's gate. Out: further personal values, and the leaves that a marker replaces.
Not here: replacing them (`desk`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from redact.apply.app_gate import AppGate
from redact.apply.coverage import spellings_of, texts_elsewhere
from redact.apply.learn import Reads, local_values
from redact.bounds import SEVERAL
from redact.decisions.verdicts import NAMELIKE, Verdict
from redact.fold import fold, fold_value
from redact.readers.documents import FoundValue, Unexplained
from redact.recognizers.composites import doors_in

NAMES_IN_PROSE: Final = "names somebody whom no tool returned"


@dataclass(frozen=True, slots=True, kw_only=True)
class WithheldLeaf:
    """One leaf that was replaced by a marker because nobody could judge it."""

    path: str
    key: str
    """The evidence path; the policy line to add names it."""
    reason: str


@dataclass(frozen=True, slots=True)
class HeldLeaf:
    """A leaf that is held back, as it stands in texts."""

    held: WithheldLeaf
    spellings: dict[str, str]
    """The leaf's text as it stands in JSON and in prose, to be replaced by the marker."""


def judged_leaves(
    reads: Reads, gate: AppGate, episode_id: str, known: tuple[FoundValue, ...]
) -> tuple[list[FoundValue], list[HeldLeaf]]:
    """Return what the app's verdicts make of an episode's leaves under unknown keys."""
    found: list[FoundValue] = []
    doubted: list[tuple[int, Unexplained, Verdict]] = []
    for row, findings in enumerate(reads.findings):
        for leaf, verdict in gate.doubts(findings) if findings.sightings else ():
            parts = gate.personal_parts(leaf, verdict)
            if parts is not None:
                found += parts
            else:
                doubted.append((row, leaf, verdict))
    if not doubted:
        return found, []
    held: list[HeldLeaf] = []
    own = gate.own_words(episode_id, local_values([*known, *found]))
    withheld = {leaf.value for _, leaf, _ in doubted}
    told = texts_elsewhere(reads.texts, withheld, gate.judgement.words)
    for row, leaf, verdict in doubted:
        if gate.accounts_for(leaf, verdict, own, told):
            continue
        note = WithheldLeaf(path=reads.path(row), key=leaf.path, reason=verdict.reason)
        held.append(HeldLeaf(note, _held_spellings(leaf.value)))
        if verdict == NAMELIKE:
            found += _words_of_a_name(leaf.value, gate)
        elif leaf.value.count(" ") <= SEVERAL:
            found += (FoundValue("code", d, "") for d in doors_in(fold_value(leaf.value)))
    return found, held


def _words_of_a_name(value: str, gate: AppGate) -> Iterator[FoundValue]:
    """Yield the words of what may be a name: as words of its episode they go from file names and greetings too."""
    words = value.split()
    if len(words) > 1:
        yield from (
            FoundValue("last_name", word, "")
            for word in words
            if len(word) > SEVERAL and not gate.vocabulary.holds(word)
        )


def flagged(reads: Reads, values: Mapping[str, str]) -> Iterator[HeldLeaf]:
    """Yield the texts that name somebody whom the episode's tools did not, where the policy flags them."""
    for row, findings in enumerate(reads.findings):
        if not findings.flagged:
            continue
        names = [one.value for one in findings.flagged if fold_value(one.value) not in values]
        if not names:
            continue
        listed = [leaf for _, leaf in findings.sightings]
        inside = [(leaf.path, leaf.value) for leaf in listed if any(n in leaf.value for n in names)]
        for key, value in inside or [("message", reads.texts[row])]:
            note = WithheldLeaf(path=reads.path(row), key=key, reason=NAMES_IN_PROSE)
            yield HeldLeaf(note, _held_spellings(value))


def _held_spellings(value: str) -> dict[str, str]:
    return {fold(text).text: "withheld" for text in spellings_of(value)}

"""How often evidence and a model agree with people about failures that people labelled.

Comes in: failure records with their opinions. Goes out: a row for each of them, all on the same failures; and whether labels show that the model is
right more often. A model is never measured on failures that it was shown as examples. Not here: opinions (`opinion`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from synth.failures.judging.opinion import EVIDENCE, LABELS, MODEL, Opinion, of_people

LEAST_TO_RENAME: Final = 2
"""Labels of failures with one cause by the evidence that make people's word for it count."""
LEAST: Final = 10
"""Labelled failures below which nothing is said of who is right more often."""
NEAR: Final = 2
Pair = tuple[Opinion, Opinion]
"""What a person says, and what somebody else says."""


class LabelledFailure(Protocol):
    """A failure with what is said of it."""

    @property
    def opinions(self) -> Sequence[Opinion]:
        """What everybody says."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How often one of them says what people say."""

    by: str
    examples: int
    """A model's: how many labels it was shown first."""
    labelled: int
    cause: int
    step: int
    near: int
    """Within two steps."""
    agent: int
    agents: int
    """Labelled failures of which a person named an agent."""

    @property
    def name(self) -> str:
        """Who it is, for people."""
        if self.by == EVIDENCE:
            return "evidence"
        if self.by == LABELS:
            return "evidence after the other labels"
        shown = f" after {self.examples} labels" if self.examples else ""
        return f"model{shown}"


def agreement_of(failures: Iterable[LabelledFailure]) -> list[Agreement]:
    """A row for the evidence and for the model, before and after labels, on the failures of which each of them says something."""
    labelled = [
        (person, tuple(one.opinions)) for one in failures if (person := of_people(one.opinions))
    ]
    most = max((o.examples for _, said in labelled for o in said if o.by == MODEL), default=0)
    rows: list[tuple[str, int]] = [(EVIDENCE, 0), (MODEL, 0)]
    if most:
        rows.append((MODEL, most))
    known = [row for row in rows if any(_opinion_of(said, row) for _, said in labelled)]
    shared = [(p, said) for p, said in labelled if all(_opinion_of(said, row) for row in known)]
    found = {row: [(p, o) for p, said in shared if (o := _opinion_of(said, row))] for row in known}
    told = [_row(row, pairs) for row, pairs in found.items()]
    if (EVIDENCE, 0) in found:
        told[1:1] = [_row((LABELS, 0), _renamed_without_itself(found[EVIDENCE, 0]))]
    return told


def _renamed_without_itself(pairs: Sequence[Pair]) -> list[Pair]:
    """The evidence's opinions in people's words for them, each by the other labels only."""
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for person, evidence in pairs:
        words[evidence.cause][person.cause] += 1
    found = []
    for person, evidence in pairs:
        others = words[evidence.cause] - Counter([person.cause])
        found.append((person, replace(evidence, cause=_agreed_word(others) or evidence.cause)))
    return found


def renamed(labelled: Iterable[LabelledFailure]) -> dict[str, str]:
    """What people call the causes that the evidence names: those of which two labels or more say one thing and none another."""
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in labelled:
        person = of_people(one.opinions)
        evidence = _opinion_of(one.opinions, (EVIDENCE, 0))
        if person is not None and evidence is not None:
            words[evidence.cause][person.cause] += 1
    agreed = {cause: _agreed_word(said) for cause, said in words.items()}
    return {cause: word for cause, word in agreed.items() if word and word != cause}


def _agreed_word(words: Counter[str]) -> str | None:
    ((word, count),) = words.most_common(1) or [("", 0)]
    return word if count >= LEAST_TO_RENAME and len(words) == 1 else None


def trusts_model(rows: Sequence[Agreement]) -> bool:
    """Whether enough labels show that the model is right more often than the evidence."""
    evidence = next((row for row in rows if row.by == EVIDENCE), None)
    models = [row for row in rows if row.by == MODEL]
    if evidence is None or not models or evidence.labelled < LEAST:
        return False
    taught = max(models, key=lambda row: row.examples)
    return taught.cause + taught.step > evidence.cause + evidence.step


def _opinion_of(said: Sequence[Opinion], row: tuple[str, int]) -> Opinion | None:
    return next((one for one in said if (one.by, one.examples) == row), None)


def _row(row: tuple[str, int], pairs: Sequence[Pair]) -> Agreement:
    def count(agrees: Callable[[Opinion, Opinion], bool]) -> int:
        return sum(agrees(person, other) for person, other in pairs)

    named = [(person, other) for person, other in pairs if person.agent is not None]
    return Agreement(
        by=row[0],
        examples=row[1],
        labelled=len(pairs),
        cause=count(lambda p, o: p.cause == o.cause),
        step=count(lambda p, o: p.step == o.step),
        near=count(lambda p, o: abs((p.step or 0) - (o.step or 0)) <= NEAR),
        agent=sum(person.agent == other.agent for person, other in named),
        agents=len(named),
    )

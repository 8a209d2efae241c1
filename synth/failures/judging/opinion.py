"""An opinion: what somebody says went wrong in a failed episode, at which step, and who did it.

Comes in: what evidence, a model and people say. Goes out: the opinion that is in force. Not here: how evidence is added up
(`synth.failures.causes`), how a model is asked (`judge`), how often each of them is right (`agreement`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ingest.records.columns import Int32

EVIDENCE: Final = "evidence"
MODEL: Final = "model"
PERSON: Final = "person"
"""Who has an opinion."""
LABELS: Final = "labels"
"""Who named a cause: what people call, without exception, what the evidence names so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What one of them says."""

    by: str
    """`EVIDENCE`, `MODEL` or `PERSON`."""
    cause: str
    """One of `causes.PARTIES`."""
    step: Int32 | None = None
    agent: str | None = None
    examples: Int32 = 0
    """A model's: how many labels of people it was shown first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOpinions:
    """What others than the evidence say of one episode."""

    opinions: tuple[Opinion, ...] = ()
    trusts_model: bool = False
    """The app's labels show that the model is right more often than the evidence."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """What people call the causes that the evidence names, where they agree."""

    def in_force(self, *, evidence_names_one: bool) -> Opinion | None:
        """The opinion that holds in place of the evidence's; None where the evidence's holds.

        A person's before all; a model's where the evidence names no cause, or where labels show that the model is better.
        """
        person = of_people(self.opinions)
        if person is not None:
            return person
        taught = best_of_model(self.opinions)
        return taught if self.trusts_model or not evidence_names_one else None


NOTHING: Final = SaidOpinions()


def of_people(opinions: Sequence[Opinion]) -> Opinion | None:
    """What people say, where they agree."""
    said = {opinion for opinion in opinions if opinion.by == PERSON}
    return next(iter(said)) if len(said) == 1 else None


def best_of_model(opinions: Sequence[Opinion]) -> Opinion | None:
    """The model's opinion after it was shown most examples."""
    said = [opinion for opinion in opinions if opinion.by == MODEL]
    return max(said, key=lambda one: one.examples, default=None)

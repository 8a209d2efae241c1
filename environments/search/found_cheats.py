"""Found cheats: attempts that were paid though they are bad by construction, kept so that the gate tries them for ever.

In: cheats as a search found them. Out: probes for the gate. A cheat that the oracle does not call bad any more (the world has
learnt more, another attempt turned out to be good) proves nothing then. Not here: where they are kept (`dagster_project`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action, RecordedAttempt
from environments.runtime.task.typed import record_json
from environments.runtime.values.canonical import digest
from environments.search.oracle import KINDS, Oracle, Terms
from environments.search.stock import foreign_words
from environments.verification.material import Material
from environments.verification.probe import ZERO, Probe

PREFIX: Final = "found_cheat"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCheat:
    """One attempt that a rubric paid though it does not do the job."""

    app: str
    task_id: str
    task_version: str
    """The version that paid it."""
    kind: str
    """Why it is bad (`environments.search.oracle.KINDS`)."""
    did: tuple[str, ...]
    """What its policy did, a sentence without a subject each."""
    actions: tuple[Action, ...]
    reward: float
    share: float | None = None
    policy: str = ""

    @property
    def cheat_id(self) -> str:
        """The same attempt at the same task is one cheat, whoever finds it."""
        return digest({"task_id": self.task_id, "actions": list(map(dict, self.actions))})[:32]

    @property
    def says(self) -> str:
        """What it does and why that is bad, in one sentence without any text of the conversation."""
        return f"{' and '.join(self.did)}: {KINDS[self.kind]}"

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values."""
        return record_json(self)


def digest_of(found: Sequence[FoundCheat]) -> str:
    """Which cheats are known of one task; empty where none is."""
    return digest(sorted(one.cheat_id for one in found)) if found else ""


def found_probes(
    found: Sequence[FoundCheat], material: Material, recorded: Sequence[Attempt], known: str
) -> Iterator[Probe]:
    """A probe for each cheat; `recorded` are the attempts with a good outcome, `known` is what the tools' definitions say."""
    if not found:
        return
    oracle = Oracle(
        [material.good, *recorded],
        Terms.from_rubric(material.candidate.rubric, (other.rubric for other in material.others)),
        foreign=foreign_words(other.solution for other in material.others),
        known=known,
    )
    for number, one in enumerate(sorted(found, key=lambda one: one.cheat_id), 1):
        yield Probe(
            name=f"{PREFIX}_{number}",
            actions=one.actions,
            expected=ZERO,
            proves=lambda attempt: bool(oracle.why_bad(attempt)),
        )


def good_ones(attempts: Sequence[RecordedAttempt]) -> list[tuple[Action, ...]]:
    """The actions of the recorded attempts whose users got what they asked for."""
    return [one.actions for one in attempts if one.resolved]

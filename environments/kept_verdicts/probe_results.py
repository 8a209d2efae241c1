"""What each probe of a task got, kept beside the answers of its run: only probes that are new, or answered otherwise, are run.

In: the probes of today, and what those of the build before got. Out: what each got, the same as if all had been run. A
result of before holds where probe, task, deciding checks, rules and the good attempt's end are the same and today's world
answers its run alike. Not here: which probes there are (`environments.verify`), whole verdicts that stand (`reads`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from environments.kept_verdicts.answers import Answer, AnswerNode, HeardWorld, ends_alike
from environments.kept_verdicts.graded_by import GradedBy, digest
from environments.runtime.play.environment import World
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.verification.probe import Grade, Probe, ProbeOutcome

Run = tuple[str, int, ProbeOutcome]
"""Digest of a probe, where among the answers its run ended, and what it got."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResults:
    """What the probes of one task got."""

    basis: str = ""
    """Digest of what the results hang on beside probe and world."""
    runs: tuple[Run, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {"basis": self.basis, "runs": [[key, end, list(got)] for key, end, got in self.runs]}

    @staticmethod
    def from_json(found: Mapping[str, Any]) -> ProbeResults:
        """What `to_json` wrote."""
        runs = tuple((probe, end, ProbeOutcome(*got)) for probe, end, got in found["runs"])
        return ProbeResults(basis=found["basis"], runs=runs)


NOTHING: Final = ProbeResults()


class Probing:
    """The probes of one task, graded in a world that is heard."""

    def __init__(
        self,
        world: World,
        one: Candidate,
        *,
        rules: str,
        before: ProbeResults = NOTHING,
        answers: Sequence[Answer] = (),
    ) -> None:
        self.heard = HeardWorld(world, one.task)
        self._world = world
        self._task = one.task
        self._rubric = GradedBy(one)
        self._rules = rules
        self._before = before
        self._answers = answers
        self._basis = ""
        self._ended: list[tuple[str, AnswerNode, ProbeOutcome]] = []

    def keeper(self, basis: Json, grade: Grade) -> Grade:
        """Runs what is not known."""
        self._basis = digest([self._rules, self._rubric.always, basis])
        stands = self._standing()

        def known_or_run(probe: Probe) -> ProbeOutcome:
            if probe.proves is not None:
                return grade(probe)
            key = self._key(probe)
            kept = stands.get(key)
            if kept is None:
                got = grade(probe)
            else:
                _, end, got = kept
                self.heard.take(self._answers, end)
            self._ended.append((key, self.heard.last, got))
            return got

        return known_or_run

    def results(self) -> ProbeResults:
        """What was graded; to be asked after the world's answers were listed."""
        return ProbeResults(
            basis=self._basis,
            runs=tuple((key, place.at, got) for key, place, got in self._ended),
        )

    def _key(self, probe: Probe) -> str:
        """Digest of which attack it is, what it must score, and what grading it alone reads of the rubric."""
        actions = list(map(dict, probe.actions))
        told = [probe.name, actions, probe.expected, probe.in_gate, probe.voidable]
        text = json.dumps([told, self._rubric.grading_inputs(probe.actions)], default=repr)
        return hashlib.blake2b(text.encode("ascii"), digest_size=12).hexdigest()

    def _standing(self) -> dict[str, Run]:
        """The results of before that hold."""
        if self._before.basis != self._basis:
            return {}
        runs = self._before.runs
        alike = ends_alike(self._world, self._task, self._answers, {end for _, end, _ in runs})
        return {run[0]: run for run in runs if run[1] in alike}

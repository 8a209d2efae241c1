"""What a verdict of the gate was made of: kept beside it, it says whether the gate would say the same today.

In: a candidate, the app's others, and what was heard while it was attacked. Out: `Reads`, and whether a verdict stands:
the same task, deciding checks and attempts, the same others to draw attacks from, the same answers of the world, the
same habits of the app. Not here: the verdict (`environments.verify`), where reads are kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from environments.kept_verdicts.answers import Answer, answers_alike
from environments.kept_verdicts.graded_by import check_as_read, digest, task_as_read
from environments.kept_verdicts.probe_results import NOTHING, ProbeResults, Probing
from environments.runtime.play.environment import World, run_actions
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.task import Task
from environments.search.found_cheats import FoundCheat
from environments.verification.knowable import Asked, Given
from environments.verification.material import OtherTasks, answers_in
from environments.verify import Verification, verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """What one verdict was made of."""

    made_of: str
    """Digest of the candidate, of the others that attacks drew from, and of the rules."""
    answers: tuple[Answer, ...]
    given: tuple[Given, ...]
    """What its good run gave each argument."""
    asked: tuple[Asked, ...]
    """What was asked of the app's habits."""
    probed: ProbeResults = NOTHING
    """What each of its probes got: where the verdict falls, they are not all run again."""

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "made_of": self.made_of,
            "answers": self.answers,
            "given": self.given,
            "asked": self.asked,
            "probed": self.probed.to_json(),
        }

    @staticmethod
    def from_json(found: Mapping[str, Any]) -> Reads:
        """What `to_json` wrote."""
        return Reads(
            made_of=found["made_of"],
            answers=tuple((b, t, x, a, e) for b, t, x, a, e in found["answers"]),
            given=tuple(((t, tuple(p)), x, s) for (t, p), x, s in found["given"]),
            asked=tuple(((t, tuple(p)), v, a) for (t, p), v, a in found["asked"]),
            probed=ProbeResults.from_json(found["probed"]) if "probed" in found else NOTHING,
        )


class KeptVerdicts:
    """The verdicts of an app that stand, and what new ones are made of."""

    def __init__(
        self,
        candidates: Iterable[Candidate],
        world: World,
        *,
        known: Mapping[str, Reads],
        cheats: Mapping[str, Sequence[FoundCheat]],
        rules: str,
    ) -> None:
        listed = list(candidates)
        self._world = world
        self._cheats = cheats
        self._rules = rules
        self._shown = {one.task.task_id: digest(_attack_material(one)) for one in listed}
        self.others = OtherTasks(listed)
        alike = {
            one.task.task_id: reads
            for one in listed
            if (reads := known.get(one.task.task_id)) is not None
            and reads.made_of == self._made_of(one)
            and answers_alike(world, one.task, reads.answers)
        }
        self.others.given.update({name: reads.given for name, reads in alike.items()})
        self._alike = alike

    def standing(self) -> dict[str, Reads]:
        """What the verdicts were made of that the gate would give again, by task id."""
        if not self._alike:
            return {}
        habits = self.others.habits(self.run)
        return {
            name: reads
            for name, reads in self._alike.items()
            if habits.would_say(reads.asked, name)
        }

    def verify(
        self, one: Candidate, *, world_digest: str, before: Reads | None = None
    ) -> tuple[Verification, Reads | None]:
        """Attack a candidate; with the verdict comes what it is made of, None where that says nothing of another day.

        `before` is what its verdict of another day was made of: probes that would get the same are not run.
        """
        probing = Probing(
            self._world,
            one,
            rules=self._rules,
            before=NOTHING if before is None else before.probed,
            answers=() if before is None else before.answers,
        )
        heard = probing.heard
        habits = self.others.habits(self.run)
        asked: list[Asked] = []
        habits.asked = asked
        name = one.task.task_id

        def run(task: Task, actions: Sequence[Action]) -> Attempt:
            return run_actions(task, heard, actions)

        try:
            found = verify(
                one,
                others=self.others,
                run=run,
                world_digest=world_digest,
                found=self._cheats.get(name, ()),
                keeper=probing.keeper,
            )
        finally:
            habits.asked = None
        if not one.solution or not heard.whole:
            return found, None
        answers = heard.answers()
        reads = Reads(
            made_of=self._made_of(one),
            answers=answers,
            given=tuple(self.others.given.get(name, ())),
            asked=tuple(_distinct_questions(asked)),
            probed=probing.results(),
        )
        return found, reads

    def run(self, task: Task, actions: Sequence[Action]) -> Attempt:
        """An attempt of a task's actions."""
        return run_actions(task, self._world, actions)

    def _made_of(self, one: Candidate) -> str:
        """The candidate as far as verdicts look at it, the others as far as attacks draw from them, and the rules."""
        cheats = [[cheat.cheat_id, cheat.kind] for cheat in self._cheats.get(one.task.task_id, ())]
        others = [self._shown[other.task.task_id] for other in self.others.drawn_for(one)]
        changing = sorted(self.others.changing)
        return digest([self._rules, _verdict_material(one), cheats, others, changing])


def _verdict_material(one: Candidate) -> list[Json]:
    """What a verdict looks at in a candidate."""
    checks: list[Json] = list(map(check_as_read, one.rubric.checks))
    return [task_as_read(one.task), checks, _attack_material(one), *_remaining_material(one)]


def _remaining_material(one: Candidate) -> list[Json]:
    attempts: list[Json] = [
        [
            [dict(action) for action in attempt.actions],
            attempt.resolved,
            list(attempt.tells),
            list(attempt.without_ground),
        ]
        for attempt in one.attempts
    ]
    return [attempts, list(one.reasons)]


def _attack_material(one: Candidate) -> list[Json]:
    """What attacks on other tasks draw from a candidate."""
    solution: list[Json] = [dict(action) for action in one.solution]
    return [one.task.task_id, solution, list(answers_in(one.rubric))]


def _distinct_questions(asked: Iterable[Asked]) -> list[Asked]:
    seen: dict[str, Asked] = {}
    for one in asked:
        seen.setdefault(json.dumps(one), one)
    return list(seen.values())

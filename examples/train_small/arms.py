"""The three arms of the experiment: practised in exported environments, practised at the real backend, not practised.

In: exports, an app, a plan. Out: per arm and seed, the exam at the real backend and what each step saw, as JSON files. A file that
is there is not made again, so a run that was stopped goes on.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

from environments.runtime.task.task_set import TaskSet
from examples.train_small.grpo import Step, reinforce
from examples.train_small.imitation import Lessons, imitate, lessons_of, vocabulary_of
from examples.train_small.learner import LinearPolicy
from examples.train_small.linear import Weights
from examples.train_small.plan import Plan
from examples.train_small.practice import Exported, Practice, Real, Sitting, serve

UNTRAINED: Final = "untrained"
EXPORTED: Final = "exported"
REAL: Final = "real"
ARMS: Final = (UNTRAINED, EXPORTED, REAL)


class App(Protocol):
    """An app whose real backend is at hand."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    def production(self, count: int) -> Sequence[Sitting]:
        """Requests that production had."""
        ...

    def unseen(self, count: int) -> Sequence[Sitting]:
        """Requests that it never had."""
        ...


class Experiment:
    """One app with its exports; everything is made when it is first needed."""

    def __init__(self, app: App, exports: Path, plan: Plan, out: Path) -> None:
        self.app, self.plan, self.out = app, plan, out
        self._exports = exports

    @cached_property
    def lessons(self) -> Lessons:
        """What the good attempts teach."""
        with (self._exports / "sft" / "train.jsonl").open(encoding="utf-8") as lines:
            conversations = [json.loads(line) for line in lines]
        return lessons_of(conversations, vocabulary_of(conversations))

    @cached_property
    def exam(self) -> Sequence[Sitting]:
        """Unseen requests."""
        return self.app.unseen(self.plan.unseen)

    @cached_property
    def _task_set(self) -> TaskSet:
        return TaskSet.load(self._exports / "taskset")

    @cached_property
    def _sittings(self) -> Sequence[Sitting]:
        return self.app.production(self.plan.practised)

    def _practice(self, arm: str) -> Practice:
        if arm == REAL:
            return Real(self._sittings)
        return Exported(self._task_set, known_failures=self.plan.known_failures)

    def run(self, say: Callable[[str], None]) -> dict[str, list[dict[str, Any]]]:
        """Every arm with every seed."""
        found: dict[str, list[dict[str, Any]]] = {arm: [] for arm in ARMS}
        for seed in range(self.plan.seeds):
            for arm in ARMS:
                path = self.out / f"{self.app.name}-{arm}-{seed}.json"
                if not path.is_file():
                    document = self._one(arm, seed)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(json.dumps(document), encoding="utf-8")
                found[arm].append(json.loads(path.read_text(encoding="utf-8")))
                solved = found[arm][-1]["exam"]
                say(f"{self.app.name} {arm} {seed}: {sum(solved)} of {len(solved)} unseen requests")
        return found

    def _one(self, arm: str, seed: int) -> dict[str, Any]:
        weights, _ = imitate(self.lessons, epochs=self.plan.epochs, rate=self.plan.rate, seed=seed)
        looks: dict[int, dict[str, float | None]] = {}
        steps: list[Step] = []
        if arm != UNTRAINED:
            weights, steps = reinforce(
                LinearPolicy(arm, self.lessons.vocabulary, weights),
                self._practice(arm),
                self.plan.schedule,
                seed=seed,
                look=lambda step, now: looks.update({step: self._look(now)}),
            )
        return {
            "exam": self._served(weights),
            "looks": looks,
            "steps": [asdict(step) for step in steps],
        }

    def _look(self, weights: Weights) -> dict[str, float | None]:
        """What the policy earns now, by dice, at some exported tasks and at some of production's requests."""
        found: dict[str, float | None] = {}
        for place in (EXPORTED, REAL):
            practice = self._practice(place)
            ids = Random(place).sample(practice.tasks, min(self.plan.looked, len(practice.tasks)))
            policy = LinearPolicy(place, self.lessons.vocabulary, weights, salt="look")
            rewards = [one.reward for one in practice.play(policy, ids, 1)]
            known = [reward for reward in rewards if reward is not None]
            found[place] = sum(known) / len(known) if known else None
        return found

    def _served(self, weights: Weights) -> list[bool]:
        """The exam: the likeliest choices at every unseen request."""
        policy = LinearPolicy(self.app.name, self.lessons.vocabulary, weights)
        return [serve(policy, sitting) for sitting in self.exam]

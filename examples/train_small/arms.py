"""The three arms of the experiment: practised in exported environments, practised at the real backend, not practised.

In: exports, an app, a plan. Out: per arm and seed, the exam at the real backend and what each step saw, as JSON files. A file that
is there is not made again, so a run that was stopped goes on.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
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
from examples.train_small.rounds import Beginner, practise
from examples.train_small.writing import Vocabulary
from synth.task_parts import task_id_of

UNTRAINED: Final = "untrained"
EXPORTED: Final = "exported"
REAL: Final = "real"
ARMS: Final = (UNTRAINED, EXPORTED, REAL)
SAME: Final = "real_at_tasks"
"""A look at the real backend, at the requests of which the held-out tasks were made."""
MOST_REQUESTS: Final = 1000
"""Requests of production among which those of the held-out tasks are looked for."""


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
    def _conversations(self) -> Sequence[dict[str, Any]]:
        with (self._exports / "sft" / "train.jsonl").open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def lessons(self, seed: int) -> Lessons:
        """What the good attempts teach, or as many of them as the plan says."""
        shown, most = self._conversations, self.plan.demonstrations
        if most is not None and most < len(shown):
            shown = Random(seed).sample(shown, most)
        return lessons_of(shown, vocabulary_of(shown))

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
        plan, lessons = self.plan, self.lessons(seed)
        weights, _ = imitate(lessons, epochs=plan.epochs, rate=plan.rate, seed=seed)
        looks: dict[int, dict[str, float | None]] = {}
        steps: list[Step] = []

        def look(number: int, now: Weights) -> None:
            looks[number] = self._look(arm, lessons.vocabulary, now)

        practice = self._practice(arm)
        if arm != UNTRAINED and plan.rounds is not None:
            weights, steps = practise(
                Beginner(lessons, weights), practice, plan.rounds, seed=seed, look=look
            )
        if arm != UNTRAINED and plan.schedule.steps:
            start = LinearPolicy(arm, lessons.vocabulary, weights)
            done = len(steps)
            weights, more = reinforce(
                start,
                practice,
                plan.schedule,
                seed=seed,
                look=lambda number, now: look(done + number, now),
            )
            steps += [replace(step, step=done + step.step) for step in more]
        return {
            "exam": self._served(lessons.vocabulary, weights),
            "looks": looks,
            "steps": [asdict(step) for step in steps],
        }

    def _look(self, arm: str, vocabulary: Vocabulary, weights: Weights) -> dict[str, float | None]:
        """What the policy earns now, by dice, where it never practised: at unseen requests, and in its arm at held-out tasks."""
        found: dict[str, float | None] = {EXPORTED: None}
        for place in dict.fromkeys((arm, REAL)):
            practice = Real(self.exam) if place == REAL else self._practice(place)
            tasks = self._held_out if place == EXPORTED else practice.tasks
            policy = LinearPolicy(place, vocabulary, weights, salt="look")
            rewards = [one.reward for one in practice.play(policy, tasks[: self.plan.looked], 1)]
            found[place] = _mean(rewards)
        same = self._requests_of(self._held_out[: self.plan.looked]) if arm == EXPORTED else []
        policy = LinearPolicy(SAME, vocabulary, weights, salt="look")
        found[SAME] = _mean([float(serve(policy, sitting)) for sitting in same])
        return found

    def _requests_of(self, tasks: Sequence[str]) -> Sequence[Sitting]:
        """The requests of production of which these tasks were made; none where production does not name its requests."""
        return [found for task in tasks if (found := self._by_task.get(task)) is not None]

    @cached_property
    def _by_task(self) -> Mapping[str, Sitting]:
        apps = {task.app for task in self._task_set.tasks}
        requests = self.app.production(MOST_REQUESTS)
        return {
            task_id_of(app, task_key=sitting.task_key, anchor=""): sitting
            for sitting in requests
            if sitting.task_key is not None
            for app in apps
        }

    @cached_property
    def _held_out(self) -> Sequence[str]:
        """Tasks that nobody practises on; where there is none, those of the training split."""
        held_out = (Exported(self._task_set, split).tasks for split in ("held_out", "validation"))
        return [task for tasks in held_out for task in tasks] or self._practice(EXPORTED).tasks

    def _served(self, vocabulary: Vocabulary, weights: Weights) -> list[bool]:
        """The exam: the likeliest choices at every unseen request."""
        policy = LinearPolicy(self.app.name, vocabulary, weights)
        return [serve(policy, sitting) for sitting in self.exam]


def _mean(rewards: Sequence[float | None]) -> float | None:
    known = [reward for reward in rewards if reward is not None]
    return sum(known) / len(known) if known else None

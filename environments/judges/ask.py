"""Asking a judge: questions go out in batches, replies come back as recordings.

In: questions, a function that sends one request to a model, and the replies known already. Out: recordings by question
key, for `grade(task, actions, seed, recordings)`. What nobody answers has no recording and is not graded: a malformed
reply is asked again with its whole batch, a dead endpoint is left alone after a few failures. Not here: which model
(`environments.llm`), where recordings are kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from environments.judges.batch import Batch, batches
from environments.judges.question import Question, questions_of
from environments.rollout.errors import EndpointError, RefusedError
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.rubric import Rubric

Complete = Callable[[str, str], Awaitable[str]]
"""Sends instructions and a request to a model, and gives its reply's text; raises `EndpointError`."""

FATAL: Final = frozenset({401, 403, 404})
"""Refusals that every other request would get as well."""


@cache
def instructions() -> str:
    """What every judge is told before its questions."""
    return files("environments.judges").joinpath("prompt.txt").read_text("utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """How patient a judge's client is."""

    attempts: int = 3
    """How often one batch is sent until its reply is well-formed."""
    concurrency: int = 8
    """Batches in flight."""
    give_up_after: int = 4
    """Batches in a row that the endpoint left unanswered, after which it counts as dead."""


@dataclass(slots=True, kw_only=True)
class JudgeCounts:
    """What became of the questions."""

    asked: int = 0
    """Questions that somebody wanted an answer to."""
    known: int = 0
    """Of them answered before."""
    batches: int = 0
    malformed: int = 0
    """Replies that were not what was asked for."""
    unanswered: int = 0
    """Questions without a recording in the end."""
    discarded: int = 0
    """Replies that the control or a made-up quote refuted: recorded as not graded."""


@dataclass
class Judge:
    """One model with what it has said so far."""

    model: str
    complete: Complete
    settings: JudgeSettings = field(default_factory=JudgeSettings)
    replies: dict[str, Json] = field(default_factory=dict)
    """Every recording known, by question key."""
    fresh: dict[str, dict[str, Json]] = field(default_factory=dict)
    """Recordings made since they were last taken, by app and key."""
    counts: JudgeCounts = field(default_factory=JudgeCounts)
    silent: int = 0
    """Batches in a row that the endpoint left unanswered."""
    may_ask: Callable[[], bool] = lambda: True
    """Asked before each request: whether what the model may take is not used up."""

    @property
    def dead(self) -> bool:
        """Whether the endpoint is given up."""
        return self.silent >= self.settings.give_up_after

    async def recordings(self, rubric: Rubric, attempt: Attempt, *, app: str) -> Mapping[str, Json]:
        """The recordings that grading this attempt needs, asking for those that are missing."""
        questions = questions_of(rubric, attempt)
        if questions:
            await self.answer(questions, app=app)
        return self.replies

    async def answer(self, questions: Iterable[Question], *, app: str) -> None:
        """Ask everything that is not answered yet, each question once."""
        wanted = {question.key: question for question in questions}
        missing = [one for key, one in wanted.items() if key not in self.replies]
        self.counts.asked += len(wanted)
        self.counts.known += len(wanted) - len(missing)
        gate = asyncio.Semaphore(self.settings.concurrency)

        async def ask(batch: Batch) -> None:
            async with gate:
                found = await self._ask(batch)
            self.replies |= found
            self.fresh.setdefault(app, {}).update(found)
            self.counts.discarded += sum(isinstance(r, dict) and "why" in r for r in found.values())

        try:
            async with asyncio.TaskGroup() as group:
                for batch in batches(missing):
                    group.create_task(ask(batch))
        except BaseExceptionGroup as faults:
            raise faults.exceptions[0] from None
        self.counts.unanswered += sum(one.key not in self.replies for one in missing)

    def take_fresh(self) -> dict[str, dict[str, Json]]:
        """What was recorded since the last time, for whoever keeps it."""
        taken, self.fresh = self.fresh, {}
        return taken

    async def _ask(self, batch: Batch) -> dict[str, Json]:
        """One batch, sent again until its reply is well-formed; empty where it never is."""
        request = batch.request()
        heard = False
        for _ in range(self.settings.attempts):
            if self.dead or not self.may_ask():
                return {}
            try:
                text = await self.complete(instructions(), request)
            except EndpointError as fault:
                if isinstance(fault, RefusedError) and fault.status in FATAL:
                    raise
                continue
            heard = True
            self.counts.batches += 1
            found = batch.read(text)
            if found is not None:
                self.silent = 0
                return found
            self.counts.malformed += 1
        self.silent = 0 if heard else self.silent + 1
        return {}

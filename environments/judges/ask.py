"""Asking a judge: questions go out in batches, replies come back as recordings.

In: questions, a function that sends one request to a model, and the replies known already. Out: recordings by question
key, for `grade(task, actions, seed, recordings)`. What nobody answers has no recording and is not graded: a malformed
reply is asked again with its whole batch, a dead endpoint is left alone after a few failures. Not here: which model
(`environments.llm`), how patiently (`client`), where recordings are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from environments.judges.batch import Batch, batches
from environments.judges.client import Client
from environments.judges.question import Question, questions_of
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.rubric import Rubric


@cache
def instructions() -> str:
    """What every judge is told before its questions."""
    return files("environments.judges").joinpath("prompt.txt").read_text("utf-8")


@dataclass(kw_only=True)
class Judge(Client):
    """One model with what it has said so far."""

    replies: dict[str, Json] = field(default_factory=dict)
    """Every recording known, by question key."""
    fresh: dict[str, dict[str, Json]] = field(default_factory=dict)
    """Recordings made since they were last taken, by app and key."""

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

        async def ask(batch: Batch) -> None:
            # Empty where no reply to it is well-formed.
            found = await self.send(instructions(), batch.request(), batch.read) or {}
            self.replies |= found
            self.fresh.setdefault(app, {}).update(found)
            self.counts.discarded += sum(isinstance(r, dict) and "why" in r for r in found.values())

        await self.ask_all(batches(missing), ask)
        self.counts.unanswered += sum(one.key not in self.replies for one in missing)

    def take_fresh(self) -> dict[str, dict[str, Json]]:
        """What was recorded since the last time, for whoever keeps it."""
        taken, self.fresh = self.fresh, {}
        return taken

"""A model's opinion on failed conversations: all at once, then step by step, each request asked once and for all.

Comes in: conversations to ask about, and what the model answered before. Goes out: an opinion per conversation; none where the model does not answer as asked,
its budget is used up, or the conversation is too long or must not be trained on: there the evidence decides. Not here: the requests (`question`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from environments.judges.client import Client
from environments.runtime.values.canonical import digest
from redact.records.clean_episode import CleanEpisode
from synth.failures.judging.opinion import Opinion
from synth.failures.judging.question import CauseQuestion, LabelledExample, instructions, is_mistake

AT_ONCE: Final = "all_at_once"
BY_STEP: Final = "step_by_step"
Reply = TypeVar("Reply")


@dataclass(kw_only=True)
class CauseJudge(Client):
    """One model with what it answered so far."""

    replies: dict[str, str] = field(default_factory=dict)
    """Well-formed replies, by the digest of what was asked."""
    fresh: dict[str, str] = field(default_factory=dict)
    """Those of them that came since they were last taken."""

    def opinions(self, asked: Sequence[CauseQuestion]) -> list[Opinion | None]:
        """What the model says of each conversation; None where it says nothing that can be used."""
        return asyncio.run(self._ask_all(asked))

    def take_fresh(self) -> dict[str, str]:
        """What came since the last time, for whoever keeps it."""
        taken, self.fresh = self.fresh, {}
        return taken

    async def _ask_all(self, asked: Sequence[CauseQuestion]) -> list[Opinion | None]:
        found = await self.ask_all(filter(may_be_asked, asked), self._opinion)
        self.counts.unanswered += found.count(None)
        said = iter(found)
        return [next(said) if may_be_asked(of) else None for of in asked]

    async def _opinion(self, asked: CauseQuestion) -> Opinion | None:
        first = await self._ask(AT_ONCE, asked.at_once(), asked.opinion)
        if first is None:
            return None
        steps = asked.candidates(first)
        for step in steps if len(steps) > 1 else ():
            mistake = await self._ask(BY_STEP, asked.one_step(step, first.cause), is_mistake)
            if mistake is None:
                return None
            if mistake:
                return asked.at_step(first, step)
        return first

    async def _ask(
        self, how: str, request: str, read: Callable[[str], Reply | None]
    ) -> Reply | None:
        """One request's reply as it was read, from before or from the model."""
        self.counts.asked += 1
        key = digest([instructions(how), request])
        known = self.replies.get(key)
        found = read(known) if known is not None else None
        if found is not None:
            self.counts.known += 1
            return found
        said = await self.send(instructions(how), request, lambda text: _with_text(text, read))
        if said is None:
            return None
        text, reply = said
        self.replies[key] = self.fresh[key] = text
        return reply


def to_ask(
    episodes: Iterable[CleanEpisode], examples: Sequence[LabelledExample], labelled: Collection[str]
) -> list[CauseQuestion]:
    """What to ask about failed conversations: with the examples where there are some, and without them where people can be compared with both.

    No conversation is asked about with itself as an example.
    """
    shown = {one.episode.episode_id for one in examples}
    asked: list[CauseQuestion] = []
    for episode in episodes:
        if examples and episode.episode_id not in shown:
            asked.append(CauseQuestion(episode=episode, examples=examples))
        if not examples or episode.episode_id in labelled:
            asked.append(CauseQuestion(episode=episode))
    return asked


def may_be_asked(asked: CauseQuestion) -> bool:
    """Whether a conversation may go to a model, and all of it fits."""
    return bool(asked.turns) and not asked.episode.do_not_train and not asked.too_long


def _with_text(text: str, read: Callable[[str], Reply | None]) -> tuple[str, Reply] | None:
    found = read(text)
    return None if found is None else (text, found)

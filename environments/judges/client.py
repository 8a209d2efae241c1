"""One model that is asked many things: sent again until a reply is well-formed, left alone once the endpoint is dead.

In: instructions, a request, and a function that reads a reply's text. Out: what was read, or None where nobody answered well. Not here: what
is asked (`ask` for judge checks, `synth.failures.judging` for causes), which model (`environments.llm`), where replies are kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from environments.rollout.errors import EndpointError, RefusedError

Complete = Callable[[str, str], Coroutine[Any, Any, str]]
"""Sends instructions and a request to a model, and gives its reply's text; raises `EndpointError`."""
Reply = TypeVar("Reply")
Item = TypeVar("Item")
Made = TypeVar("Made")

FATAL: Final = frozenset({401, 403, 404})
"""Refusals that every other request would get as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """How patient a client is."""

    attempts: int = 3
    """How often one request is sent until its reply is well-formed."""
    concurrency: int = 8
    """Requests in flight."""
    give_up_after: int = 4
    """Requests in a row that the endpoint left unanswered, after which it counts as dead."""


@dataclass(slots=True, kw_only=True)
class ClientCounts:
    """What became of the questions."""

    asked: int = 0
    """Questions that somebody wanted an answer to."""
    known: int = 0
    """Of them answered before."""
    batches: int = 0
    """Replies that came."""
    malformed: int = 0
    """Replies that were not what was asked for."""
    unanswered: int = 0
    """Questions without an answer in the end."""
    discarded: int = 0
    """Replies that the control or a made-up quote refuted: recorded as not graded."""


@dataclass(kw_only=True)
class Client:
    """One model behind one endpoint."""

    model: str
    complete: Complete
    settings: ClientSettings = field(default_factory=ClientSettings)
    counts: ClientCounts = field(default_factory=ClientCounts)
    silent: int = 0
    """Requests in a row that the endpoint left unanswered."""
    may_ask: Callable[[], bool] = lambda: True
    """Asked before each request: whether what the model may take is not used up."""

    @property
    def dead(self) -> bool:
        """Whether the endpoint is given up."""
        return self.silent >= self.settings.give_up_after

    async def ask_all(
        self, items: Iterable[Item], ask: Callable[[Item], Awaitable[Made]]
    ) -> list[Made]:
        """What `ask` makes of each item, so many at a time as the settings allow; the first fault is raised."""
        gate = asyncio.Semaphore(self.settings.concurrency)

        async def ask_one(item: Item) -> Made:
            async with gate:
                return await ask(item)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(ask_one(item)) for item in items]
        except BaseExceptionGroup as faults:
            raise faults.exceptions[0] from None
        return [task.result() for task in tasks]

    async def send(
        self, instructions: str, request: str, read: Callable[[str], Reply | None]
    ) -> Reply | None:
        """One request, sent again until its reply is well-formed; None where it never is."""
        heard = False
        for _ in range(self.settings.attempts):
            if self.dead or not self.may_ask():
                return None
            try:
                text = await self.complete(instructions, request)
            except EndpointError as fault:
                if isinstance(fault, RefusedError) and fault.status in FATAL:
                    raise
                continue
            heard = True
            self.counts.batches += 1
            found = read(text)
            if found is not None:
                self.silent = 0
                return found
            self.counts.malformed += 1
        self.silent = 0 if heard else self.silent + 1
        return None

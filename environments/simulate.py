"""The simulator: asks a model for a tool's answer, grounded on recorded examples, where a world does not know.

Goes in: a world file, a function that sends one request to a model (`environments.llm.LlmJudge` is one). Comes out: what
`environments.runtime.sessions.simulated_session` takes as `ask`, and the simulated worlds of a task set. Off unless someone makes
one; replies become recordings, so grading never calls a model. Not here: which tools may be simulated (their policy).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import islice
from threading import Lock, Thread
from typing import Any, Final

from environments.judges.client import Complete
from environments.rollout.errors import EndpointError
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.sessions.simulated_session import Request, SimulatedWorld
from environments.runtime.task.attempt import Json
from environments.runtime.task.task_set import TaskSet
from environments.runtime.views.envelopes import Enveloped
from environments.runtime.world.world import World

MOST_EXAMPLES: Final = 8
MOST_TEXT: Final = 2_000
"""Characters of one example or earlier answer that a model is shown."""
NO_ANSWER: Final = "UNKNOWN"


@cache
def instructions() -> str:
    """What a simulating model is told first."""
    return files("environments").joinpath("simulate.txt").read_text("utf-8")


class Background:
    """An event loop in a thread of its own: runs may themselves be inside one, and many may wait at once."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._lock = Lock()

    def run(self, work: Coroutine[Any, Any, str]) -> str:
        """Wait for work done over there."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=self._loop.run_forever, daemon=True)
                self._thread.start()
            loop = self._loop
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    def close(self) -> None:
        """Give up what is still waited for."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return

        async def stop() -> None:
            rest = asyncio.all_tasks() - {asyncio.current_task()}
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        self._loop = self._thread = None


@dataclass(slots=True, kw_only=True)
class SimulatorCounts:
    """What became of the questions."""

    asked: int = 0
    no_answer: int = 0
    """Questions that the model said it could not answer."""
    failed: int = 0
    """Requests that the endpoint left unanswered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulator:
    """One model over one world's recordings."""

    document: WorldDocument
    """The world file: its examples ground the answers."""
    complete: Complete
    background: Background = field(default_factory=Background)
    counts: SimulatorCounts = field(default_factory=SimulatorCounts)
    breaks: bool = False
    """Whether an endpoint's fault breaks the run, so that it is made again, or leaves the call unknown."""

    def __call__(self, request: Request) -> str | None:
        """The model's answer to one call; None where it has none or the endpoint failed."""
        self.counts.asked += 1
        try:
            text = self.background.run(self.complete(instructions(), self._prompt(request))).strip()
        except EndpointError:
            self.counts.failed += 1
            if self.breaks:
                raise
            return None
        if not text or text == NO_ANSWER:
            self.counts.no_answer += 1
            return None
        return text

    def _prompt(self, request: Request) -> str:
        shown = {
            "tool": request.tool,
            "recorded examples": list(islice(examples(self.document, request.tool), MOST_EXAMPLES)),
            "earlier calls": [
                {"tool": tool, "arguments": arguments[:MOST_TEXT], "answer": answer[:MOST_TEXT]}
                for tool, arguments, answer in request.earlier
            ],
            "new call": dict(request.arguments),
        }
        return json.dumps(shown, ensure_ascii=False, indent=1)


class Simulation:
    """One simulating model over the worlds of a task set, shared by all its runs."""

    def __init__(
        self,
        task_set: TaskSet,
        *,
        model: str,
        complete: Complete,
        replies: Mapping[str, Json] | None = None,
    ) -> None:
        self.model = model
        self.counts = SimulatorCounts()
        self._task_set = task_set
        self._complete = complete
        self._replies = dict(replies or {})
        self._background = Background()
        self._worlds: dict[str, tuple[str, SimulatedWorld]] = {}

    def world(self, task_id: str) -> SimulatedWorld | World:
        """What answers the calls of one task."""
        world = self._task_set.world(task_id)
        if not world.simulates:
            return world
        name = self._task_set.entry(task_id).world
        if name not in self._worlds:
            ask = Simulator(
                document=world.document,
                complete=self._complete,
                background=self._background,
                counts=self.counts,
                breaks=True,
            )
            app = self._task_set.task(task_id).app
            self._worlds[name] = app, SimulatedWorld(world, self._replies, ask=ask)
        return self._worlds[name][1]

    def take_fresh(self) -> dict[str, dict[str, Json]]:
        """By app, the replies since the last time: whoever keeps them can grade the runs again."""
        found: dict[str, dict[str, Json]] = {}
        for app, world in self._worlds.values():
            for key in list(world.fresh):
                reply = world.fresh.pop(key)
                self._replies[key] = reply
                found.setdefault(app, {})[key] = reply
        return found

    def close(self) -> None:
        """Ask nothing more."""
        self._background.close()


def examples(document: WorldDocument, tool: str) -> Iterator[dict[str, str]]:
    """Recorded calls of a tool with their answers, as the tool sent them."""
    enveloped = Enveloped(document.views.enveloped)
    for arguments, entries in document.tape.get(tool, {}).items():
        for entry in entries:
            answer = enveloped.wrap(tool, entry.content)
            yield {"arguments": arguments, "answer": answer[:MOST_TEXT]}
    part = document.tools.get(tool)
    table = document.tables.get(part.reads.table) if part is not None and part.reads else None
    for key, row in table.rows.items() if table is not None else ():
        answer = row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)
        yield {"key": key, "answer": enveloped.wrap(tool, answer)[:MOST_TEXT]}

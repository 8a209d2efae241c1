"""The simulator: asks a model for a tool's answer, grounded on recorded examples, where a world does not know.

Goes in: a world file, a function that sends one request to a model (`environments.llm.LlmJudge` is one). Comes out: what
`environments.runtime.world_simulated` takes as `ask`. Off unless someone makes one; replies become recordings, so grading
never calls a model. Not here: which tools may be simulated (their policy in the world file).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any, Final

from environments.judges.ask import Complete
from environments.rollout.errors import EndpointError
from environments.runtime.world_simulated import Request

MOST_EXAMPLES: Final = 8
MOST_TEXT: Final = 2_000
"""Characters of one example or earlier answer that a model is shown."""
NO_ANSWER: Final = "UNKNOWN"


@cache
def instructions() -> str:
    """What a simulating model is told first."""
    return files("environments").joinpath("simulate.txt").read_text("utf-8")


@dataclass(slots=True, kw_only=True)
class Simulator:
    """One model over one world's recordings."""

    document: Mapping[str, Any]
    """The world file: its examples ground the answers."""
    complete: Complete
    asked: int = 0
    failed: int = 0
    """Requests that the endpoint left unanswered: the call stays unknown."""
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(max_workers=1))

    def __call__(self, request: Request) -> str | None:
        """The model's answer to one call; None where it has none or the endpoint failed."""
        self.asked += 1
        # A run may itself be inside an event loop: the model is awaited in another thread's.
        waiting = self._thread.submit(asyncio.run, self._answer(self._asked(request)))
        try:
            text = waiting.result().strip()
        except EndpointError:
            self.failed += 1
            return None
        return None if not text or text == NO_ANSWER else text

    async def _answer(self, asked: str) -> str:
        return await self.complete(instructions(), asked)

    def _asked(self, request: Request) -> str:
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


def examples(document: Mapping[str, Any], tool: str) -> Iterator[dict[str, Any]]:
    """Recorded calls of a tool with their answers, as the world file holds them."""
    for arguments, entries in document.get("tape", {}).get(tool, {}).items():
        for entry in entries:
            yield {"arguments": arguments, "answer": str(entry["content"])[:MOST_TEXT]}
    reads = document.get("tools", {}).get(tool, {}).get("reads")
    table = document.get("tables", {}).get(reads["table"], {}) if reads else {}
    for key, row in table.get("rows", {}).items():
        answer = row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)
        yield {"key": key, "answer": answer[:MOST_TEXT]}

"""The simulated tier: where a world does not know and its tool's policy allows it, a model's recorded reply answers.

Goes in: a world, replies by key, and (outside grading only) a function that asks a model for a new one. Comes out: answers
marked `simulated`. The world itself learns nothing from them: what such a call may have touched stays tainted. Off unless
a tool's policy is `simulate` and replies are handed in. Not here: any model (`environments.simulate`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock

from ..task.attempt import SIMULATED, UNKNOWN, AnsweredCall, EndState, Json, ToolResult
from ..values.canonical import digest
from ..values.literals import parse_arguments
from ..world.session import Session
from ..world.tool import SIMULATE
from ..world.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a simulator is asked: one call, with the calls and answers before it in this run."""

    key: str
    tool: str
    arguments: Mapping[str, Json]
    earlier: tuple[tuple[str, str, str], ...]
    """Tool, arguments and answer of every earlier call."""


Ask = Callable[[Request], str | None]
"""A model's answer; None where it has none."""


class SimulatedWorld:
    """A world whose unknown answers may come from recorded replies."""

    def __init__(
        self, world: World, replies: Mapping[str, Json] | None = None, *, ask: Ask | None = None
    ) -> None:
        self.world = world
        self.ask = ask
        self.fresh: MutableMapping[str, Json] = {}
        """Replies that `ask` gave here: hand them to `grade` as recordings."""
        self.lock = Lock()
        """Runs wait for a model in threads of their own; the world is asked by one at a time."""
        self._replies = replies or {}
        self._asked: dict[str, Future[str | None]] = {}

    def session(
        self, start: Mapping[str, Json], *, started_at: int, caller: str | None = None
    ) -> SimulatedSession:
        """A fresh backend at a task's start."""
        with self.lock:
            session = self.world.session(start, started_at=started_at, caller=caller)
        return SimulatedSession(self, session)

    def reply(self, request: Request) -> str | None:
        """The reply to a request: recorded, else asked for now, once for all runs, else none."""
        known = self._replies.get(request.key)
        if isinstance(known, dict):
            content = known.get("content")
            return content if isinstance(content, str) else None
        if self.ask is None:
            return None
        with self.lock:
            waiting = self._asked.get(request.key)
            mine: Future[str | None] = Future()
            if waiting is None:
                self._asked[request.key] = mine
        if waiting is not None:
            return waiting.result()
        return self._ask_once(request, mine, self.ask)

    def _ask_once(self, request: Request, mine: Future[str | None], ask: Ask) -> str | None:
        try:
            text = ask(request)
        except BaseException as fault:
            # Whoever waits for it fails with it; whoever asks later asks anew.
            with self.lock:
                del self._asked[request.key]
            mine.set_exception(fault)
            raise
        # "I cannot say" is a reply too: asked again, it could be another one, and a re-run another run.
        self.fresh[request.key] = {"content": text, "tool": request.tool}
        mine.set_result(text)
        return text


class SimulatedSession:
    """One run over a simulated world."""

    __slots__ = ("_earlier", "_session", "_world")

    def __init__(self, world: SimulatedWorld, session: Session) -> None:
        self._world = world
        self._session = session
        self._earlier: list[tuple[str, str, str]] = []

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """The world's answer, else a simulated one where the tool's policy allows it."""
        return self.call_with_meaning(name, arguments).result

    def call_with_meaning(self, name: str, arguments: Mapping[str, Json] | str) -> AnsweredCall:
        """The same, with what the call meant."""
        with self._world.lock:
            result, meant = self._session.call_with_meaning(name, arguments)
        tool = self._world.world.tools.get(name if meant is None else meant.tool)
        parsed = parse_arguments(arguments)
        if (
            result.source == UNKNOWN
            and tool is not None
            and tool.policy == SIMULATE
            and parsed is not None
        ):
            result = self._ask_simulator(name, parsed) or result
        text = arguments if isinstance(arguments, str) else digest(dict(arguments))
        self._earlier.append((name, text, result.content))
        return AnsweredCall(result, meant)

    def end_state(self) -> EndState:
        """What differs from the start; simulated calls leave it unknown."""
        return self._session.end_state()

    def _ask_simulator(self, name: str, arguments: Mapping[str, Json]) -> ToolResult | None:
        earlier = tuple(self._earlier)
        body: dict[str, Json] = {
            "simulate": name,
            "arguments": dict(arguments),
            "earlier": [list(call) for call in earlier],
        }
        key = digest(body)[:32]
        text = self._world.reply(Request(key=key, tool=name, arguments=arguments, earlier=earlier))
        if text is None:
            return None
        return ToolResult(content=text, source=SIMULATED, evidence=key)

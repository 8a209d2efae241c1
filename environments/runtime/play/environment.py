"""The environment: one running task. Takes assistant messages, gives tool results and the user's turns, keeps the record.

In: a task, its world, what the policy says. Out: observations while it runs, the `Attempt` at its end, and the verdict
if a grader was handed in. Runs share the world and nothing else, so thousands live side by side. What a policy does
wrong (bad JSON, an unknown tool) is a tool result, never an exception. Not here: files (`task_set`), checks (`checks`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from ..task.attempt import DERIVED, UNKNOWN, AnsweredCall, Attempt, Call, EndState, Json, ToolResult
from ..task.task import Task, UserCall
from ..task.tool_definition import function_of, name_of
from ..task.verdict import Verdict
from ..values.hidden import seen_of
from ..values.normal import same_answer
from .message import Request, plain_message, request_for, requests_of, said_with, text_of
from .user import NEUTRAL, Reply, ScriptedUser, User

Message = Mapping[str, Json]
"""One message in OpenAI shape."""

USER_ENDED: Final = "user_ended"
TERMINAL_TOOL: Final = "terminal_tool"
LIMIT: Final = "limit"
OFF_THE_MAP: Final = "unknown"
HARD: Final = frozenset({TERMINAL_TOOL, LIMIT})
"""Ends after which no action could have happened, recorded or not."""


class Session(Protocol):
    """The tools' backend of one run, as `world` builds it."""

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """Answer one call; arguments may come as the JSON text of an object."""
        ...

    def call_with_meaning(self, name: str, arguments: Mapping[str, Json] | str) -> AnsweredCall:
        """The same, with what the call meant."""
        ...

    def end_state(self) -> EndState:
        """What differs from the start."""
        ...


class World(Protocol):
    """What sessions are made from; shared by all runs, changed by none."""

    def session(self, start: Mapping[str, Json], *, started_at: int) -> Session:
        """A fresh backend at a task's start."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the policy sees after its action."""

    messages: tuple[Message, ...]
    """What is new: the opening, tool results, or the user's turn."""
    tools: tuple[Message, ...]
    """OpenAI tool definitions; the same all along."""
    done: bool
    stop_reason: str | None
    """`user_ended`, `terminal_tool`, `limit`, `unknown`; None while it runs."""


class Environment:
    """One run of one task."""

    def __init__(
        self,
        task: Task,
        world: World,
        *,
        seed: int = 0,
        grader: Callable[[Attempt], Verdict] | None = None,
        user: Callable[[], User] | None = None,
    ) -> None:
        self.task = task
        self.seed = seed
        """Names the run; nothing in a scripted run is random, so every seed gives the same answers."""
        self._world = world
        self._grader = grader
        self._new_user = user or (lambda: ScriptedUser(task.user, opening=self._opening))
        self._names = frozenset(map(name_of, filter(None, map(function_of, task.tools))))
        spoken = [m.get("content") for m in task.opening if m.get("role") == "user"]
        self._opening = "\n".join(text_of(content) for content in spoken)
        self.reset()

    def reset(self) -> Observation:
        """Start over; the opening is the first thing the policy sees."""
        self._session = self._world.session(self.task.start, started_at=self.task.started_at)
        self._user = self._new_user()
        self._messages: list[Message] = list(self.task.opening)
        self._calls: list[Call] = []
        self._acted = 0
        self._written = 0
        self._unknown = 0
        self._user_unknown = 0
        self._calls_heard = 0
        self._unanswered: list[int] = []
        self._stop: str | None = None
        return self.observe(0)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The whole conversation so far."""
        return tuple(self._messages)

    @property
    def stop_reason(self) -> str | None:
        """Why it ended; None while it runs."""
        return self._stop

    def step(self, message: object) -> Observation:
        """Take one assistant message; tool results or the user's next turn come back."""
        before = len(self._messages)
        if self._stop is None:
            self._act(message)
            before += 1
        return self.observe(before)

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """Make one tool call on its own, as a message with that call and no text."""
        if self._stop is not None:
            return _refusal("the conversation has ended")
        before = len(self._calls)
        requests = (request_for(name, arguments, call_id=f"call_{before}"),)
        self._take(said_with("", requests), "", requests)
        if len(self._calls) == before:
            return _refusal("the limit of this task is reached")
        return self._calls[before].result

    def follow(self, message: object) -> None:
        """Take one action of a recording: its user may have gone on where the script has nothing left to say."""
        if self._stop not in HARD:
            self._stop = None
            self._act(message)

    def attempt(self, *, tampered: tuple[str, ...] = ()) -> Attempt:
        """Everything a rubric may look at, as it stands now."""
        return Attempt(
            messages=tuple(self._messages),
            opening=len(self.task.opening),
            calls=tuple(self._calls),
            end=self._session.end_state(),
            stop_reason=self._stop,
            user_unknown=self._user_unknown,
            unanswered=tuple(self._unanswered),
            tampered=tampered,
        )

    def grade(self) -> Verdict:
        """The verdict on what was done so far."""
        if self._grader is None:
            raise TypeError("this environment was made without a rubric; use TaskSet.environment")
        return self._grader(self.attempt())

    def observe(self, since: int | None = None) -> Observation:
        """Where the run stands, with the messages from `since` on (none if left out)."""
        since = len(self._messages) if since is None else since
        return Observation(
            messages=tuple(self._messages[since:]),
            tools=self.task.tools,
            done=self._stop is not None,
            stop_reason=self._stop,
        )

    def _act(self, message: object) -> None:
        requests = requests_of(message, first=len(self._calls))
        said = plain_message(message, requests)
        self._take(said, text_of(said["content"]), requests)

    def _take(self, said: Message, text: str, requests: Sequence[Request]) -> None:
        self._messages.append(said)
        self._acted += 1
        self._written += len(text)
        for request in requests:
            self._written += len(request.text)
        if self._written > self.task.limits.characters:
            self._stop = LIMIT
        elif requests:
            self._run_calls(requests)
        else:
            self._hear_user(text)
        self._check_limits()

    def _run_calls(self, requests: Sequence[Request]) -> None:
        position = len(self._messages) - 1
        for asked in requests:
            if len(self._calls) >= self.task.limits.calls:
                self._stop = LIMIT
                return
            request = self._with_injected(asked)
            made = self._answer(request)
            call, result = _call(request, made, message=position), made.result
            self._calls.append(call)
            self._messages.append(_tool_message(request, result))
            self._unknown += result.source == UNKNOWN
            if call.name in self.task.terminal_tools and not result.is_error:
                self._stop = TERMINAL_TOOL

    def _with_injected(self, request: Request) -> Request:
        """The call with what the host adds to it; what the policy gave itself stays, right or wrong."""
        added = self.task.injected.get(request.name)
        if not added or request.fault:
            return request
        given = request.arguments
        lacking = {name: v for name, v in added.items() if given.get(name) in (None, "")}
        if not lacking:
            return request
        arguments = {**given, **lacking}
        return replace(request, text=json.dumps(arguments, ensure_ascii=False), arguments=arguments)

    def _answer(self, request: Request) -> AnsweredCall:
        if request.fault:
            return AnsweredCall(_refusal(request.fault))
        if request.name not in self._names:
            return AnsweredCall(_refusal("there is no tool of that name"))
        # As text, because the world remembers answers by the text they were asked with.
        return self._session.call_with_meaning(request.name, request.text or "{}")

    def _hear_user(self, said: str) -> None:
        reply = self._user.reply(seen_of(said), acted=len(self._calls) > self._calls_heard)
        if not all(map(self._user_did, reply.calls)):
            reply = Reply(text=NEUTRAL, source=UNKNOWN)
        self._calls_heard = len(self._calls)
        if reply.text:
            self._messages.append({"role": "user", "content": reply.text})
        if reply.source == UNKNOWN:
            self._user_unknown += 1
            self._unanswered.append(len(self._messages) - 1)
        if reply.ended:
            self._stop = USER_ENDED

    def _user_did(self, said: UserCall) -> bool:
        """Make a call of the user's own side; whether it was answered as when the user's words were recorded."""
        made = self._session.call_with_meaning(said.name, said.arguments)
        request, result = request_for(said.name, said.arguments, call_id=""), made.result
        self._calls.append(_call(request, made, message=len(self._messages), by_user=True))
        self._unknown += result.source == UNKNOWN
        return result.source != UNKNOWN and same_answer(result.content, said.result)

    def _check_limits(self) -> None:
        if self._stop is not None:
            return
        limits = self.task.limits
        if self._unknown > limits.unknown:
            self._stop = OFF_THE_MAP
        elif self._acted >= limits.messages or len(self._calls) >= limits.calls:
            self._stop = LIMIT


def run_actions(
    task: Task,
    world: World,
    actions: Iterable[object],
    seed: int = 0,
    *,
    user: Callable[[], User] | None = None,
) -> Attempt:
    """Re-run actions in a fresh world; pure, so equal actions always give equal attempts.

    Actions are assistant messages in order. A whole transcript may be handed in: its tool results are compared with the
    re-run and reported as tampered where they differ; its other messages are ignored, because the task's own opening and
    user speak. Actions after the script's last turn still count (a recorded user may have said more); after a terminal
    tool or a limit none does.
    """
    environment = Environment(task, world, seed=seed, user=user)
    tampered: list[str] = []
    open_results: list[Message] = []
    for message in actions:
        role = message.get("role", "assistant") if isinstance(message, Mapping) else "assistant"
        if role == "assistant":
            before = len(environment.messages)
            environment.follow(message)
            open_results = [m for m in environment.messages[before:] if m.get("role") == "tool"]
        elif role == "tool" and isinstance(message, Mapping):
            tampered += _differs(message, open_results)
    return environment.attempt(tampered=tuple(tampered))


def _differs(claim: Message, results: list[Message]) -> list[str]:
    """The claim's call id if the re-run answered that call otherwise, or never made it."""
    call_id = claim.get("tool_call_id")
    for index, result in enumerate(results):
        if call_id is None or call_id == result["tool_call_id"]:
            del results[index]
            same = same_answer(text_of(claim.get("content")), text_of(result["content"]))
            return [] if same else [str(result["tool_call_id"])]
    return [str(call_id)]


def _call(request: Request, made: AnsweredCall, *, message: int, by_user: bool = False) -> Call:
    meant = made.meant
    return Call(
        name=request.name if meant is None else meant.tool,
        arguments=request.arguments if meant is None else meant.arguments,
        result=made.result,
        message=message,
        malformed=bool(request.fault),
        by_user=by_user,
    )


def _tool_message(request: Request, result: ToolResult) -> Message:
    return {
        "role": "tool",
        "tool_call_id": request.call_id,
        "name": request.name,
        "content": result.content,
    }


def _refusal(why: str) -> ToolResult:
    return ToolResult(content=f"Error: {why}", source=DERIVED, is_error=True, evidence="malformed")

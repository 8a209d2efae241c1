"""One run as trainers drive it: names and schemas they take, one call at a time or whole messages, and the verdict.

In: a task set and a task id; then messages or single calls under outward names. Out: what the policy may see, and the
verdict on everything it did. Consumers that end a turn at the first text give the policy `talk_to_user` as a tool; the
run records it as the words that it is, so the same conversation gets the same reward everywhere. Not here: any consumer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from ..task.attempt import DERIVED, Json, ToolResult
from ..task.task_set import TaskSet
from ..task.verdict import Verdict
from .message import requests_of, text_of
from .tool_names import ToolNames
from .tool_schemas import complete_tool

TALK: Final = "talk_to_user"
LEFT: Final = "(The user has left the conversation.)"
ENDED: Final = "Error: the conversation has ended"
NO_WORDS: Final = "Error: the argument `message` with the words for the user is missing"
TALK_TOOL: Final[Mapping[str, Json]] = {
    "type": "function",
    "function": {
        "name": TALK,
        "description": "Say something to the user and wait for the reply. The user sees nothing else.",
        "parameters": {
            "type": "object",
            "properties": {"message": {"type": "string", "description": "The words for the user."}},
            "required": ["message"],
        },
    },
}
# `export/openenv_package/server/environment.py.txt` imports both; no checker reads that file.
END: Final = "end_conversation"
END_TOOL: Final[Mapping[str, Json]] = {
    "type": "function",
    "function": {
        "name": END,
        "description": "End the conversation: nothing is left to do or to say.",
        "parameters": {"type": "object", "properties": {}},
    },
}

Message = Mapping[str, Json]


class Play:
    """One policy's run of one task."""

    def __init__(self, task_set: TaskSet, task_id: str, *, seed: int = 0) -> None:
        self._task_set = task_set
        self._environment = task_set.environment(task_id, seed)
        self.task = task_set.task(task_id)
        self.names = ToolNames(map(complete_tool, self.task.tools), strict=True)
        self.tools = self.names.tools
        """Definitions under outward names, without references, every parameter described."""
        self.actions: list[Message] = []
        """Everything the policy did, under production's names: what is graded."""

    @property
    def opening(self) -> tuple[dict[str, Json], ...]:
        """The messages before the policy acts."""
        return tuple(outward(message, self.names) for message in self.task.opening)

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return self._environment.stop_reason is not None

    @property
    def stop_reason(self) -> str | None:
        """`user_ended`, `terminal_tool`, `limit`, `unknown`; None while it runs."""
        return self._environment.stop_reason

    def step(self, message: Message) -> tuple[dict[str, Json], ...]:
        """Take one assistant message; the tool results or the user's turn come back."""
        if self.done:
            return ()
        return self.take(inward(message, self.names))

    def take(self, action: Message) -> tuple[dict[str, Json], ...]:
        """Take one action under production's names, as `actions_of` gives them."""
        if self.done:
            return ()
        self.actions.append(action)
        seen = self._environment.step(action).messages
        return tuple(outward(new, self.names) for new in seen)

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> str:
        """Make one call; the text that the tool answers comes back."""
        return self.result(name, arguments).content

    def result(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """Make one call; the whole answer comes back."""
        if self.done:
            return ToolResult(content=ENDED, source=DERIVED, is_error=True)
        if name == TALK:
            spoken = spoken_by(arguments)
            said = NO_WORDS if spoken is None else self.talk(spoken)
            return ToolResult(content=said, source=DERIVED, is_error=spoken is None)
        inner = self.names.inward(name)
        given = arguments if isinstance(arguments, str) else dict(arguments)
        function: dict[str, Json] = {"name": inner, "arguments": given}
        self.actions.append({"tool_calls": [{"type": "function", "function": function}]})
        return self._environment.call(inner, given)

    def talk(self, text: str) -> str:
        """Say something to the user; the reply comes back, or a note that the user has left."""
        if self.done:
            return LEFT
        replies = [text_of(message.get("content")) for message in self.step({"content": text})]
        return "\n".join([*replies, LEFT] if self.done else replies)

    def verdict(self) -> Verdict:
        """The verdict on what was done, by running it again."""
        return self._task_set.grade(self.task.task_id, self.actions)


def spoken_by(arguments: Mapping[str, Json] | str) -> str | None:
    """The words in the arguments of `talk_to_user`; None where there are none."""
    function: dict[str, Json] = {
        "name": TALK,
        "arguments": arguments if isinstance(arguments, str) else dict(arguments),
    }
    request = requests_of({"tool_calls": [{"function": function}]}, first=0)[0]
    message = request.arguments.get("message")
    return message if isinstance(message, str) else None


def actions_of(messages: Iterable[Message], names: ToolNames) -> Iterator[Message]:
    """The actions in a transcript whose policy had `talk_to_user`: its words become words again."""
    for message in messages:
        if message.get("role", "assistant") == "assistant":
            yield from _actions(message, names)


def inward(message: Message, names: ToolNames) -> dict[str, Json]:
    """The message under production's tool names."""
    return _renamed(message, names.inward)


def outward(message: Message, names: ToolNames) -> dict[str, Json]:
    """The message under the names that the policy was shown, without empty fields."""
    kept = {key: value for key, value in message.items() if value is not None}
    name = kept.get("name")
    if message.get("role") == "tool" and isinstance(name, str):
        kept["name"] = names.outward(name)
    return _renamed(kept, names.outward)


def _actions(message: Message, names: ToolNames) -> Iterator[Message]:
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or not any(_name(call) == TALK for call in calls):
        yield inward(message, names)
        return
    group: list[Json] = []
    for call in calls:
        if _name(call) != TALK:
            group.append(call)
            continue
        if group:
            yield inward({"role": "assistant", "tool_calls": group}, names)
            group = []
        spoken = _text_of_call(call)
        if spoken is not None:
            yield {"role": "assistant", "content": spoken}
    if group:
        yield inward({"role": "assistant", "tool_calls": group}, names)


def _name(call: Json) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    return str(function.get("name")) if isinstance(function, dict) else ""


def _text_of_call(call: Json) -> str | None:
    function = call.get("function") if isinstance(call, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return spoken_by(arguments) if isinstance(arguments, str | dict) else None


def _renamed(message: Message, rename: Callable[[str], str]) -> dict[str, Json]:
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return dict(message)
    return {**message, "tool_calls": [renamed_call(call, rename) for call in calls]}


def renamed_call(call: Json, rename: Callable[[str], str]) -> Json:
    """A tool call under another name; what is none stays as it is."""
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict) or not isinstance(name, str):
        return call
    return {**call, "function": {**function, "name": rename(name)}}

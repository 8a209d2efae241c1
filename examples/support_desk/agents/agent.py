"""What every agent is, scripted or a model: messages and tools in, one assistant message out, in OpenAI's shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from examples.support_desk.variant import Json

Message: TypeAlias = dict[str, Json]


class AgentError(Exception):
    """The agent cannot answer at all; the text says why, without the conversation's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call that an agent asks for."""

    call_id: str
    name: str
    arguments: str
    """JSON text, as a model writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One assistant message and what it cost."""

    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    response_id: str = ""

    def message(self) -> Message:
        """As an OpenAI chat message."""
        message: Message = {"role": "assistant", "content": self.content}
        if self.tool_calls:
            message["tool_calls"] = [
                {
                    "id": call.call_id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in self.tool_calls
            ]
        return message


class Agent(Protocol):
    """Acts in one conversation."""

    @property
    def name(self) -> str:
        """The policy's name."""
        ...

    @property
    def model(self) -> str:
        """The model's name, as the telemetry shows it."""
        ...

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Reply:
        """The next assistant message after these."""
        ...

"""The frame of a scripted agent: a dialogue written as one generator, behind the interface of a model.

The dialogue yields either a text for the customer (and gets their answer) or a tool call (and gets its result).
Here: the plumbing between the two, the variant's names, and what every dialogue needs (ask, look up, change).
"""

import hashlib
import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias, cast

from examples.support_desk.agents.agent import Message, Reply, ToolCall
from examples.support_desk.variant import Json, Variant

Action: TypeAlias = str | ToolCall
Dialogue: TypeAlias = Generator[Action, str, None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A tool said no."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A tool answered with a record (plain names)."""

    record: dict[str, Json]


class ScriptedAgent:
    """Runs a dialogue as if it were a model."""

    name: str = "scripted"

    def __init__(self, variant: Variant, seed: str) -> None:
        self.variant = variant
        self.seed = seed
        self._dialogue: Dialogue | None = None
        self.now = datetime.min.replace(tzinfo=UTC)
        """The current time, as the system prompt says it."""
        self.lied = False
        """Whether it told the customer what it knew to be false, which no database shows."""
        self._calls = 0

    @property
    def model(self) -> str:
        """All scripted policies go by one name, as versions behind one endpoint would."""
        return "scripted"

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Reply:
        """The next assistant message: the dialogue is handed what came last."""
        news = str(messages[-1].get("content") or "")
        self.now = _now(messages) or self.now
        if self._dialogue is None:
            self._dialogue = self.serve(news)
            action = self._next(None)
        else:
            action = self._next(news)
        size = sum(len(str(message.get("content") or "")) for message in messages) + 40 * len(tools)
        made = hashlib.sha256(f"{self.seed} {len(messages)}".encode()).hexdigest()[:24]
        spoken = isinstance(action, str)
        written = action if isinstance(action, str) else action.arguments
        return Reply(
            content=written if spoken else None,
            tool_calls=() if isinstance(action, str) else (action,),
            # Four characters a token: near enough for a bill that nobody pays.
            input_tokens=size // 4,
            output_tokens=len(written) // 4 + 4,
            response_id=f"resp_{made}",
        )

    def serve(self, opening: str) -> Dialogue:
        """The dialogue; what subclasses are about."""
        raise NotImplementedError

    def _next(self, news: str | None) -> Action:
        if self._dialogue is None:
            return "Goodbye."
        try:
            return next(self._dialogue) if news is None else self._dialogue.send(news)
        except StopIteration:
            return "Thank you for your message. Have a nice day. Goodbye."

    def use(self, name: str, **arguments: Json) -> Generator[Action, str, Found | Refused]:
        """Calls a tool by its plain name and reads the answer."""
        content = yield self.tool_call(name, arguments)
        if self.variant.is_refusal(content):
            return Refused(text=content)
        try:
            parsed = json.loads(content)
        except ValueError:
            parsed = content
        plain = self.variant.inward(parsed)
        return Found(record=plain if isinstance(plain, dict) else {"value": plain})

    def tool_call(self, name: str, arguments: Mapping[str, Json]) -> ToolCall:
        """A call under the variant's names."""
        shown = cast("dict[str, Json]", self.variant.outward(dict(arguments)))
        return ToolCall(
            call_id=self._call_id(),
            name=self.variant.tools[name],
            arguments=json.dumps(shown, ensure_ascii=False),
        )

    def repeat(self, call: ToolCall) -> ToolCall:
        """The same call once more."""
        return ToolCall(call_id=self._call_id(), name=call.name, arguments=call.arguments)

    def _call_id(self) -> str:
        self._calls += 1
        made = hashlib.sha256(f"{self.seed} call {self._calls}".encode()).hexdigest()[:20]
        return f"call_{made}"


def send(dialogue: Dialogue, answer: str) -> Action | None:
    """A dialogue's next action; None when it is over."""
    try:
        return dialogue.send(answer)
    except StopIteration:
        return None


def _now(messages: Sequence[Message]) -> datetime | None:
    if messages[0].get("role") != "system":
        return None
    found = re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", str(messages[0]["content"]))
    return datetime.fromisoformat(found[0]) if found else None

"""One conversation between a customer and an agent over the desk's tools, and everything that was said and done.

Comes from a customer, an agent and a desk; goes to the chat log, the telemetry and the ground truth.
"""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from examples.support_desk.agents.agent import Agent, Message, ToolCall
from examples.support_desk.backend.desk import Answer, Desk
from examples.support_desk.backend.generator import stamp
from examples.support_desk.backend.tools import BY_NAME, definitions
from examples.support_desk.clock import Clock
from examples.support_desk.customers import Customer
from examples.support_desk.telemetry import Session, Telemetry, Turn
from examples.support_desk.variant import Json, Variant

MAX_CALLS: Final = 40
"""Model calls in one turn, before the app stops the agent."""
_POLICY: Final = Path(__file__).with_name("policy.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message with its time; for a tool's result, whether it was a refusal."""

    message: Message
    at: datetime
    is_error: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCall:
    """One tool call with its answer."""

    call: ToolCall
    answer: Answer


@dataclass(slots=True, kw_only=True)
class Conversation:
    """What happened."""

    session: Session
    tools: list[dict[str, Json]]
    said: list[Said] = field(default_factory=list)
    calls: list[MadeCall] = field(default_factory=list)
    unconfirmed_writes: int = 0
    """Changes made while the customer's last word was not a yes to them (hand-overs need none)."""

    @property
    def messages(self) -> list[Message]:
        """The messages, in OpenAI's shape."""
        return [said.message for said in self.said]


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Where a conversation takes place."""

    desk: Desk
    clock: Clock
    telemetry: Telemetry


def system_prompt(variant: Variant, now: datetime) -> str:
    """The policy in a variant's words, with the current time."""
    words = {word.replace(" ", "_"): shown for word, shown in variant.values.items()}
    policy = _POLICY.read_text(encoding="utf-8").format(**words)
    return f"{policy}\nThe current time is {stamp(now)}."


def hold(agent: Agent, customer: Customer, session: Session, room: Room) -> Conversation:
    """Lets the two talk until the customer leaves."""
    variant, clock = room.desk.variant, room.clock
    talk = Conversation(session=session, tools=definitions(variant))
    prompt: Message = {"role": "system", "content": system_prompt(variant, room.desk.now())}
    talk.said.append(Said(message=prompt, at=clock.now))
    turn = customer.open()
    while True:
        asked: Message = {"role": "user", "content": turn.text}
        talk.said.append(Said(message=asked, at=clock.now))
        with room.telemetry.turn(session, clock, asked) as open_turn:
            answer = _answer(agent, talk, room, open_turn, consents=turn.consents)
        if turn.ends:
            return talk
        clock.wait(8, 70)
        turn = customer.reply(answer)


def _answer(agent: Agent, talk: Conversation, room: Room, turn: Turn, *, consents: bool) -> str:
    """The agent's turn: model calls and tool calls until there is a text for the customer."""
    for _ in range(MAX_CALLS):
        with turn.chat(talk.messages, talk.tools) as chat:
            chat.reply = reply = agent.act(talk.messages, talk.tools)
            room.clock.wait(0.6, 3.5)
        talk.said.append(Said(message=reply.message(), at=room.clock.now))
        if not reply.tool_calls:
            return reply.content or ""
        for call in reply.tool_calls:
            with turn.tool(call.name, call.call_id, call.arguments) as span:
                answer = room.desk.call(call.name, call.arguments)
                room.clock.wait(0.02, 0.4)
                span.content, span.is_error = answer.content, answer.is_error
            talk.calls.append(MadeCall(call=call, answer=answer))
            result: Message = {
                "role": "tool",
                "tool_call_id": call.call_id,
                "name": call.name,
                "content": answer.content,
            }
            talk.said.append(Said(message=result, at=room.clock.now, is_error=answer.is_error))
            if (
                not answer.is_error
                and _needs_consent(room.desk.variant, call.name)
                and not consents
            ):
                talk.unconfirmed_writes += 1
    return "I am sorry, something went wrong on our side. Goodbye."


def _needs_consent(variant: Variant, shown: str) -> bool:
    plain = next((name for name, other in variant.tools.items() if other == shown), "")
    return plain != "hand_over" and plain in BY_NAME and BY_NAME[plain].writes

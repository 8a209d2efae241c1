"""Chat-log JSONL, the simplest way in and out: one episode a line.

Comes in: lines from a file. Goes out: `Chat` (an episode and its outcomes) or `Rejected`; `to_line` is the inverse.
It judges nothing: a call without a result and a result without a call are kept and named in `completeness`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ingest.assembly.call_ids import join_results
from ingest.files.chat_outcome import RawOutcome, outcome_line, read_outcome
from ingest.records.app_name import safe_app_name
from ingest.records.episode import Episode, Step, ToolCall, episode_id_of
from ingest.records.moments import from_any, to_text
from ingest.records.outcome import Outcome
from ingest.records.quarantine import MAX_KEPT_BODY, Rejected
from ingest.records.text import NOT_JSON, Json, canonical, content_text, json_text

ROLE_OF: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""OpenAI's role names, the older ones included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """One line of a chat log."""

    episode: Episode
    outcomes: tuple[Outcome, ...] = ()
    shares_id: bool = False
    """Whether the id names a task, so that an attempt in another file may have it, too."""


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class RawFunction(_Lenient):
    """The function of a tool call, as sent."""

    name: str
    arguments: Any = "{}"


class RawToolCall(_Lenient):
    """A tool call, as sent."""

    id: str | None = None
    function: RawFunction


class RawUsage(_Lenient):
    """Token counts under either of the names in use."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class RawExtras(_Lenient):
    """tracegym's own additions (`tg`) to a message or to a line."""

    time: str | int | float | None = None
    is_error: bool | None = None
    usage: RawUsage | None = None
    agent: str | None = None
    parent: str | None = None
    completeness: str | list[str] = ()  # type: ignore[assignment]  # an immutable default
    ended_at: str | int | float | None = None
    source: str | None = None
    trace_ids: list[str] = Field(default_factory=list)
    shares_id: bool = False
    """Of a line whose id names a task: an attempt in another file may have it, too."""


class RawMessage(_Lenient):
    """A message, as sent."""

    role: str
    content: str | list[Any] | dict[str, Any] | None = None
    tool_calls: list[RawToolCall] | None = None
    function_call: RawFunction | None = None
    tool_call_id: str | None = None
    name: str | None = None
    tg: RawExtras | None = None


class RawChat(_Lenient):
    """A line, as sent; only `messages` is required."""

    messages: list[RawMessage]
    episode_id: str | int | None = None
    app: str | None = None
    agent: str | None = None
    model: str | None = None
    agent_version: str | int | float | None = None
    task_key: str | int | None = None
    started_at: str | int | float | None = None
    user_id: str | int | None = None
    do_not_train: bool = False
    tools: list[dict[str, Any]] | None = None
    outcome: RawOutcome | None = None
    outcomes: list[RawOutcome] | None = None
    tg: RawExtras | None = None


def parse_value(
    value: Json, raw: bytes, *, source: str, position: str, app: str | None = None
) -> Chat | Rejected:
    """Read one line that is parsed already: whatever is wrong with it comes back as a `Rejected` that says so.

    `raw` is its text, for the digest and for quarantine.
    """

    def refuse(code: str, reason: str) -> Rejected:
        return Rejected(
            source=source,
            position=position,
            code=code,
            reason=reason,
            body=raw[:MAX_KEPT_BODY],
            app=app,
        )

    if value is NOT_JSON:
        return refuse("not_json", "The line is not JSON; write one JSON object a line.")
    if not isinstance(value, dict) or "messages" not in value:
        return refuse(
            "not_an_episode",
            'The line is no episode; it needs a list "messages" of OpenAI messages.',
        )
    if not value["messages"]:
        return refuse(
            "no_messages", 'The episode has no messages; "messages" must hold at least one.'
        )
    try:
        chat = RawChat.model_validate(value)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"][:6])
        return refuse("bad_field", f"The field {where} has the wrong type; see docs/files.md.")
    for index, message in enumerate(chat.messages):
        if message.role not in ROLE_OF:
            return refuse(
                "unknown_role",
                f"Message {index} has an unknown role; use system, user, assistant or tool.",
            )
    return _chat(chat, raw=raw, app=app)


def _chat(chat: RawChat, *, raw: bytes, app: str | None) -> Chat:
    extras = chat.tg or RawExtras()
    named_app = safe_app_name(chat.app or app)
    given = None if chat.episode_id is None else str(chat.episode_id)
    identity = given or hashlib.sha256(raw.strip()).hexdigest()[:32]
    joined = join_results(
        [_step(message, index) for index, message in enumerate(chat.messages)],
        nobodys={index for index, message in enumerate(chat.messages) if _is_nobodys(message)},
    )
    times = [step.at for step in joined.steps if step.at is not None]
    started_at = from_any(chat.started_at) or (min(times) if times else None)
    missing = {*joined.completeness, *_names(extras)}
    for message in chat.messages:
        missing.update(_names(message.tg) if message.tg else ())
        if content_text(message.content).partial:
            missing.add("non_text_content")
    if started_at is None:
        missing.add("no_time")
    episode = Episode(
        app=named_app,
        episode_id=episode_id_of(named_app, identity),
        conversation_id=given,
        source=extras.source or "chat_log",
        started_at=started_at or 0,
        ended_at=from_any(extras.ended_at) or (max(times) if times else None),
        agent=chat.agent,
        model=chat.model,
        agent_version=None if chat.agent_version is None else str(chat.agent_version),
        task_key=None if chat.task_key is None else str(chat.task_key),
        subject=None if chat.user_id is None else str(chat.user_id),
        do_not_train=chat.do_not_train,
        tools=tuple(canonical(tool) for tool in chat.tools or ()),
        steps=joined.steps,
        trace_ids=tuple(extras.trace_ids),
        completeness=tuple(sorted(missing)),
    )
    given_outcomes = [*([chat.outcome] if chat.outcome else []), *(chat.outcomes or [])]
    return Chat(
        episode=episode,
        outcomes=tuple(read_outcome(outcome, episode) for outcome in given_outcomes),
        shares_id=extras.shares_id,
    )


def _is_nobodys(message: RawMessage) -> bool:
    """A result with `"tool_call_id": null` says that no call asked for it; one without the key says nothing."""
    return message.tool_call_id is None and "tool_call_id" in message.model_fields_set


def _names(extras: RawExtras) -> list[str]:
    given = extras.completeness
    return [given] if isinstance(given, str) else list(given)


def _step(message: RawMessage, index: int) -> Step:
    extras = message.tg or RawExtras()
    usage = extras.usage or RawUsage()
    role = ROLE_OF[message.role]
    return Step(
        role=role,
        content=content_text(message.content).text,
        tool_calls=_calls(message, index),
        call_id=message.tool_call_id if role == "tool" else None,
        tool_name=message.name if role == "tool" else None,
        at=from_any(extras.time),
        is_error=extras.is_error,
        input_tokens=usage.prompt_tokens if usage.input_tokens is None else usage.input_tokens,
        output_tokens=usage.completion_tokens
        if usage.output_tokens is None
        else usage.output_tokens,
        agent=extras.agent,
        parent=extras.parent,
    )


def _calls(message: RawMessage, index: int) -> tuple[ToolCall, ...]:
    calls = list(message.tool_calls or [])
    if message.function_call is not None:
        calls.append(RawToolCall(function=message.function_call))
    return tuple(
        ToolCall(
            call_id=call.id or f"call_{index}_{number}",
            name=call.function.name,
            arguments=json_text(call.function.arguments),
        )
        for number, call in enumerate(calls)
    )


def to_line(episode: Episode, outcomes: tuple[Outcome, ...] | list[Outcome] = ()) -> str:
    """The episode as one line of a chat log, without the line's end; what is unknown is left out."""
    extras = _present(
        {
            "source": None if episode.source == "chat_log" else episode.source,
            "ended_at": None if episode.ended_at is None else to_text(episode.ended_at),
            "trace_ids": list(episode.trace_ids),
            "completeness": list(episode.completeness),
        }
    )
    line = _present(
        {
            "episode_id": episode.conversation_id or episode.episode_id,
            "app": episode.app,
            "agent": episode.agent,
            "model": episode.model,
            "agent_version": episode.agent_version,
            "task_key": episode.task_key,
            "started_at": None
            if "no_time" in episode.completeness
            else to_text(episode.started_at),
            "user_id": episode.subject,
            "do_not_train": episode.do_not_train or None,
            "tools": [json.loads(tool) for tool in episode.tools],
        }
    )
    line["messages"] = [_message(step) for step in episode.steps]
    said = [outcome_line(outcome, episode) for outcome in outcomes]
    if len(said) == 1:
        line["outcome"] = said[0]
    elif said:
        line["outcomes"] = said
    if extras:
        line["tg"] = extras
    return json.dumps(line, ensure_ascii=False)


def _message(step: Step) -> dict[str, Any]:
    message: dict[str, Any] = {"role": step.role, "content": step.content}
    if step.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in step.tool_calls
        ]
    if step.role == "tool":
        message["tool_call_id"] = step.call_id
    if step.tool_name is not None:
        message["name"] = step.tool_name
    extras = _present(
        {
            "time": None if step.at is None else to_text(step.at),
            "is_error": step.is_error,
            "usage": _present(
                {"input_tokens": step.input_tokens, "output_tokens": step.output_tokens}
            ),
            "agent": step.agent,
            "parent": step.parent,
        }
    )
    if extras:
        message["tg"] = extras
    return message


def _present(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in values.items() if value is not None and value not in ([], {})
    }

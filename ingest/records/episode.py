"""The episode: one conversation or agent run in one shape, whichever client sent it.

Comes from `ingest.assembly.assemble` (spans and logs) and `ingest.files.chat_log` (JSON lines); goes to `redact`.
Raw: everything here may hold personal data. Not here: outcomes (`ingest.records.outcome`), clean episodes (`redact`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from ingest.records.columns import schema_of

ROLES: Final = frozenset({"system", "user", "assistant", "tool"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call that an assistant step asked for."""

    call_id: str
    """As sent; made from the position in the episode where the dialect carries none."""
    name: str
    arguments: str
    """The argument text exactly as sent: JSON if all went well, anything if not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One message of an episode: text, tool calls, or the result of one tool call."""

    role: str
    """One of `ROLES`."""
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    """Role `tool`: the call this is the result of; None when no call of the episode asked for it."""
    tool_name: str | None = None
    """Role `tool`: the tool's name, where the source says it."""
    at: int | None = None
    """Nanoseconds since the epoch; None when the source has no time per message."""
    is_error: bool | None = None
    """Role `tool`: whether the source says that the call failed; None when it does not say."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    agent: str | None = None
    """The (sub-)agent that acted, where there are several."""
    parent: str | None = None
    """The call id of the step that started this sub-agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One conversation or agent run, put together from one or more traces or read from a chat log."""

    app: str
    episode_id: str
    """See `episode_id_of`; for ever, also when spans arrive late."""
    conversation_id: str | None
    """The id the source gave: session, thread, or a chat log's own `episode_id`."""
    source: str
    """The dialect's name (`chat_log`, `otel_genai`, `openinference`, ...)."""
    started_at: int
    """Nanoseconds since the epoch; of the first span or message."""
    ended_at: int | None = None
    agent: str | None = None
    model: str | None = None
    task_key: str | None = None
    """"The same request": an A/B test, a retry, an evaluation case. Production rarely has it."""
    subject: str | None = None
    """The user the episode is about, as the source names them."""
    do_not_train: bool = False
    """The user or the app withheld consent; honoured up to the export."""
    tools: tuple[str, ...] = ()
    """OpenAI tool definitions, each as canonical JSON text."""
    steps: tuple[Step, ...] = ()
    trace_ids: tuple[str, ...] = ()
    completeness: tuple[str, ...] = ()
    """What is missing, by name (`no_content`, `truncated`, `missing_results`, `orphan_results`, ...); empty is whole."""
    agent_version: str | None = None
    """Which version of the agent or its service acted, as the source names it."""


def episode_id_of(app: str, conversation_or_first_span: str) -> str:
    """The episode's identity: 32 hex digits over app and conversation id, else app and first span id."""
    text = f"{app}\x1f{conversation_or_first_span}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


EPISODE_SCHEMA: Final = schema_of(Episode, "app", "day")
"""The lake table `episodes`, partitioned by app and day (the UTC day of `started_at`, ISO format)."""

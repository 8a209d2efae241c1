"""The clean episode: an episode past the gate. Only `redact.apply.scrub` (and the table reader below it) makes one.

A type of its own, so that a raw episode cannot be handed to synthesis by mistake. Every id and every text in it is
made of surrogates; the shape is that of `ingest.records.episode` without what joins back to the source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingest.records.columns import schema_of

WITHHELD: Final = "[withheld]"
"""What stands in place of a leaf that the policy could not judge: never the true value of anything."""
REQUEST_REPLACED: Final = "request_replaced"
"""In `CleanEpisode.completeness`: something else stands where the user's request told something personal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanToolCall:
    """One tool call that an assistant step asked for."""

    call_id: str
    name: str
    arguments: str
    """Argument text: JSON stays JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanStep:
    """One message: text, tool calls, or the result of one tool call."""

    role: str
    """`system`, `user`, `assistant` or `tool`."""
    content: str | None = None
    tool_calls: tuple[CleanToolCall, ...] = ()
    call_id: str | None = None
    tool_name: str | None = None
    at: int | None = None
    """Nanoseconds since the epoch, shifted by the app's date shift."""
    is_error: bool | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    agent: str | None = None
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanEpisode:
    """One episode, pseudonymised."""

    app: str
    episode_id: str
    """Made from the raw id with the app's key: it cannot be computed from the conversation id alone."""
    started_at: int
    ended_at: int | None = None
    agent: str | None = None
    model: str | None = None
    task_key: str | None = None
    subject: str | None = None
    """A surrogate; equal for one user's episodes."""
    do_not_train: bool = False
    tools: tuple[str, ...] = ()
    """OpenAI tool definitions as canonical JSON text."""
    steps: tuple[CleanStep, ...] = ()
    completeness: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    """Paths of leaves that the policy could not judge and replaced by a marker; tasks that need them wait."""
    redaction: str = "on"
    """`on`, or `off` where the data was declared free of personal data; every manifest downstream repeats it."""
    agent_version: str | None = None


CLEAN_EPISODE_SCHEMA: Final = schema_of(CleanEpisode, "app", "day")
"""The lake table `clean_episodes`, partitioned by app and day."""

"""The outcome: what a user got, with who said so and when.

Comes from spans, log events, span links, chat logs or a table of business records; may arrive days after the episode.
Says nothing about good or bad: that is the outcome policy's job, past the gate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingest.records.columns import schema_of

ANNOTATORS: Final = frozenset(
    {"end_user", "business_record", "reviewer", "code", "model", "implicit", "unknown"}
)
"""Who judged. A model's score is never a user's outcome."""

TARGETS: Final = frozenset(
    {
        "episode",
        "conversation",
        "trace",
        "span",
        "response",
        "tool_call",
        "user",
        "task_key",
        "attribute",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One statement about how an episode went."""

    app: str
    outcome_id: str
    """The idempotency key: hash of app, target, name, annotator and source."""
    target_kind: str
    """One of `TARGETS`: what `target_id` names."""
    target_id: str
    episode_id: str | None
    """The episode it was joined to; None while no episode of that target has arrived."""
    name: str
    value: float | None = None
    """Numbers and booleans (1.0 / 0.0); None where the outcome is a label or a text."""
    label: str | None = None
    text: str | None = None
    """A comment in the annotator's words: free text, may hold anything."""
    correction: str | None = None
    """What the annotator says the right answer was."""
    by: str = "unknown"
    """One of `ANNOTATORS`."""
    author: str | None = None
    at: int | None = None
    """Nanoseconds since the epoch, when it was said; None when the source does not say."""
    source: str
    """Where it came from: a dialect's name, `chat_log`, or `table`."""
    window_seconds: int | None = None
    """How long before it was said the episode may have ended, where the target may name several; None sets no bound."""


def keep_latest(found: dict[str, Outcome], outcome: Outcome) -> None:
    """Keep an outcome by its id: the same statement again is the same outcome; one that was said later replaces it."""
    known = found.get(outcome.outcome_id)
    if known is None or (outcome.at or 0) >= (known.at or 0):
        found[outcome.outcome_id] = outcome


OUTCOME_SCHEMA: Final = schema_of(Outcome, "app", "day")
"""The lake table `outcomes`; `day` is the episode's where it is joined, else the day it was said."""

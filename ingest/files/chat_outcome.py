"""Outcomes as a chat log carries them.

Comes in: `{"name", "value", "by", "at", "target"}` of a line. Goes out: `Outcome` records, and back.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from ingest.records.episode import Episode
from ingest.records.moments import from_any, to_text
from ingest.records.outcome import ANNOTATORS, TARGETS, Outcome
from ingest.records.right_answer import right_answer_among

_ANNOTATOR_OF: Final = {
    "user": "end_user",
    "customer": "end_user",
    "enduser": "end_user",
    "business": "business_record",
    "record": "business_record",
    "human": "reviewer",
    "annotation": "reviewer",
    "llm": "model",
    "llm_judge": "model",
    "llm_as_judge": "model",
    "eval": "model",
    "ai": "model",
    "program": "code",
    "heuristic": "code",
    "api": "unknown",
}


class RawOutcome(BaseModel):
    """An outcome, as sent."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    value: float | bool | str | None = None
    label: str | None = None
    comment: str | None = None
    correction: Any = None
    """What would have been right: calls, a text or a number, a list of several answers; so are the two after it."""
    reference: Any = None
    answer: Any = None
    by: str | None = None
    author: str | None = None
    at: str | int | float | None = None
    target: str | dict[str, Any] | None = None


def annotator_of(text: str | None, *, default: str = "unknown") -> str:
    """One of `ANNOTATORS` for whatever a source calls who judged."""
    if not text:
        return default
    word = text.strip().lower().replace("-", "_").replace(" ", "_")
    return word if word in ANNOTATORS else _ANNOTATOR_OF.get(word, "unknown")


def outcome_id_of(*parts: str | None) -> str:
    """The idempotency key: 32 hex digits over app, target, name, annotator and source."""
    return hashlib.sha256("\x1f".join(part or "" for part in parts).encode()).hexdigest()[:32]


def number_of(value: object) -> float | None:
    """A number or a truth value as a float; None for text and for what is no number."""
    if isinstance(value, bool | int | float):
        number = float(value)
        return number if number == number and abs(number) != float("inf") else None  # noqa: PLR0124 - NaN is the one value unlike itself
    return None


def read_outcome(raw: RawOutcome, episode: Episode) -> Outcome:
    """The outcome of one line; who said it is the end user unless the line says otherwise."""
    kind, target = _target(raw.target, episode)
    by = annotator_of(raw.by, default="end_user")
    text = raw.value if isinstance(raw.value, str) else None
    return Outcome(
        app=episode.app,
        outcome_id=outcome_id_of(episode.app, kind, target, raw.name, by, raw.author, "chat_log"),
        target_kind=kind,
        target_id=target,
        episode_id=episode.episode_id,
        name=raw.name,
        value=number_of(raw.value),
        label=raw.label or text,
        text=raw.comment,
        correction=right_answer_among(raw.model_dump()),
        by=by,
        author=raw.author,
        at=from_any(raw.at),
        source="chat_log",
    )


def _target(target: str | dict[str, Any] | None, episode: Episode) -> tuple[str, str]:
    if isinstance(target, dict):
        kind, identity = str(target.get("kind")), target.get("id")
        if kind in TARGETS and identity is not None:
            return kind, str(identity)
    if isinstance(target, str) and ":" in target:
        kind, _, identity = target.partition(":")
        if kind in TARGETS:
            return kind, identity
    return "episode", episode.episode_id


def outcome_line(outcome: Outcome, episode: Episode) -> dict[str, Any]:
    """The outcome as a chat log carries it."""
    own = outcome.target_kind in {"episode", "conversation"} and outcome.target_id in {
        episode.episode_id,
        episode.conversation_id,
    }
    line = {
        "name": outcome.name,
        "value": outcome.value if outcome.value is not None else outcome.label,
        "label": outcome.label if outcome.value is not None else None,
        "comment": outcome.text,
        "correction": outcome.correction,
        "by": None if outcome.by == "end_user" else outcome.by,
        "author": outcome.author,
        "at": None if outcome.at is None else to_text(outcome.at),
        "target": None if own else {"kind": outcome.target_kind, "id": outcome.target_id},
    }
    return {key: value for key, value in line.items() if value is not None}

"""Attempts at one task that come with the task's id: benchmarks call all of them by it, file after file.

Comes in: a chat whose id may be another attempt's as well. Goes out: what tells its content from another's, and the chat under
an id that holds both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from ingest.files.chat_log import Chat
from ingest.files.chat_outcome import outcome_id_of
from ingest.records.episode import Step, episode_id_of
from ingest.records.text import canonical

_DIGITS = 8


def digest_of(steps: Sequence[Step]) -> str:
    """A short text that is equal for conversations in which the same was said and called."""
    told = [
        [step.role, step.content, [[call.name, call.arguments] for call in step.tool_calls]]
        for step in steps
    ]
    return hashlib.sha256(canonical(told).encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def told_apart(chat: Chat) -> Chat:
    """The chat under an id of its own, made of the task's and of what was said."""
    episode = chat.episode
    name = f"{episode.conversation_id}/{digest_of(episode.steps)}"
    identity = episode_id_of(episode.app, name)
    outcomes = tuple(
        replace(
            outcome,
            episode_id=identity,
            target_id=identity,
            outcome_id=outcome_id_of(
                outcome.app,
                "episode",
                identity,
                outcome.name,
                outcome.by,
                outcome.author,
                "chat_log",
            ),
        )
        if outcome.target_id == episode.episode_id
        else outcome
        for outcome in chat.outcomes
    )
    renamed = replace(episode, conversation_id=name, episode_id=identity)
    return replace(chat, episode=renamed, outcomes=outcomes)

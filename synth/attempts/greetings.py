"""The words with which an agent begins every conversation, before anybody has asked for anything: they are no part of a task.

Comes in: an app's episodes. Goes out: the same without them. What an agent says first to one user only (whom it calls, and why) stays:
the user answers it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.attempts.answering_tools import LEAST, MOSTLY

LEFT_OUT: Final = "greeting_left_out"
"""In `CleanEpisode.completeness`: the app's greeting stood before the request."""


def without_greetings(episodes: Sequence[CleanEpisode]) -> list[CleanEpisode]:
    """The episodes without the app's greeting."""
    texts = Counter(text for one in episodes if (text := _greeting(one)) is not None)
    greeting, count = next(iter(texts.most_common(1)), ("", 0))
    if count < LEAST or count < MOSTLY * texts.total():
        return list(episodes)
    return [_ungreeted(one) if _greeting(one) == greeting else one for one in episodes]


def _greeting(episode: CleanEpisode) -> str | None:
    """What the agent says before the user; None where it says nothing, or does something."""
    first = next((s for s in episode.steps if s.role != "system"), None)
    if first is None or not _only_says(first) or not any(s.role == "user" for s in episode.steps):
        return None
    return (first.content or "").strip()


def _only_says(step: CleanStep) -> bool:
    return step.role == "assistant" and not step.tool_calls and bool((step.content or "").strip())


def _ungreeted(episode: CleanEpisode) -> CleanEpisode:
    at = next(index for index, step in enumerate(episode.steps) if step.role == "assistant")
    flags = tuple(sorted({*episode.completeness, LEFT_OUT}))
    steps = (*episode.steps[:at], *episode.steps[at + 1 :])
    return replace(episode, steps=steps, completeness=flags)

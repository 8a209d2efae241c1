"""Whose session an episode was: the user, what the instructions say, or whoever the task stands for.

In: an episode. Out: a text that is equal for one subject's episodes. Not here: whether answers hang on it
(`views.implicit_subject`), and at which place of the instructions it stands (`prompt_subject`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from environments.runtime.document.views import PromptPlacePart
from redact.records.clean_episode import CleanEpisode

INSTRUCTING: Final = frozenset({"system", "developer"})
"""Roles whose messages are instructions."""


def subject_of(episode: CleanEpisode, place: PromptPlacePart | None = None) -> str:
    """Who an episode was with: what its instructions say at `place`, else its user; where nothing says it, attempts at one task were with the same."""
    if place is not None:
        return words_at(words_of_instructions(episode), place)
    return episode.subject or episode.task_key or episode.episode_id


def words_of_instructions(episode: CleanEpisode) -> tuple[str, ...]:
    """The words of an episode's instructions, split at spaces."""
    said = (s.content or "" for s in episode.steps if s.role in INSTRUCTING)
    return tuple(word for text in said for word in text.split())


def words_at(words: Sequence[str], place: PromptPlacePart) -> str:
    """What instructions say between two runs of words; empty where either run is not there."""
    first = _index(words, place.before, 0)
    if first is None:
        return ""
    begin = first + len(place.before)
    end = _index(words, place.behind, begin) if place.behind else len(words)
    return "" if end is None else " ".join(words[begin:end])


def _index(words: Sequence[str], run: Sequence[str], begin: int) -> int | None:
    """Where a run of words first stands from `begin` on."""
    wanted = tuple(run)
    places = range(begin, len(words) - len(wanted) + 1)
    return next((at for at in places if tuple(words[at : at + len(wanted)]) == wanted), None)

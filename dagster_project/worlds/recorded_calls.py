"""Recorded calls of clean episodes, as fidelity replays them: each call with its own result, in order.

Comes in: clean episodes. Goes out: `RecordedEpisode`s. A call without a result is left out: nobody can say what is true.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from environments.fidelity import RecordedCall, RecordedEpisode
from environments.runtime.document.views import PromptPlacePart
from redact.records.clean_episode import CleanEpisode
from synth.world.observation import paired_calls
from synth.world.subjects import subject_of


def recorded_calls(
    episode: CleanEpisode,
    *,
    start: Mapping[str, Any] | None = None,
    started_at: int | None = None,
    place: PromptPlacePart | None = None,
) -> RecordedEpisode:
    """The calls of one episode that have a result; without a start it begins as its subject's, who stands at `place` of the instructions."""
    calls = [
        RecordedCall(name=call.name, arguments=call.arguments, content=content)
        for call, content, _, _, _ in paired_calls(episode)
    ]
    return RecordedEpisode(
        episode_id=episode.episode_id,
        calls=calls,
        caller=episode.agent,
        start=start or {"subject": subject_of(episode, place)},
        started_at=episode.started_at if started_at is None else started_at,
    )


def recorded_episodes(
    episodes: Iterable[CleanEpisode], place: PromptPlacePart | None = None
) -> list[RecordedEpisode]:
    """The calls of several episodes."""
    return [recorded_calls(episode, place=place) for episode in episodes]

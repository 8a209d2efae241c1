"""What has been read of episodes, kept while tasks are derived from an app again and again (`derive_tasks`).

In: episodes as their tools are known, and what tools are held to be. Out: the recorded attempt and its facts, the same
as if they were read anew. Only for one app and one world: who hands in others gets what was read of the first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final

from redact.records.clean_episode import CleanEpisode
from synth.labels.label import Label
from synth.recordings.attempt import EpisodeAttempt
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.tool_kinds import ToolKinds

LATEST: Final = 3


@dataclass(slots=True)
class Readings:
    """Recorded attempts and facts by episode."""

    _recorded: dict[str, tuple[CleanEpisode, EpisodeAttempt]] = field(default_factory=dict)
    _facts: dict[Hashable, dict[str, tuple[EpisodeAttempt, Label | None, Facts]]] = field(
        default_factory=dict
    )
    """By what tools are held to be, the latest three: derivation learns from outcomes what looks and failed calls change after it has read all facts once."""

    def attempt_of(
        self, episode: CleanEpisode, read: Callable[[CleanEpisode], EpisodeAttempt]
    ) -> EpisodeAttempt:
        """The attempt that an episode records, read once."""
        known = self._recorded.get(episode.episode_id)
        if known is None or known[0] != episode:
            known = self._recorded[episode.episode_id] = (episode, read(episode))
        return known[1]

    def facts(self, recorded: EpisodeAttempt, label: Label | None, kinds: ToolKinds) -> Facts:
        """The facts of an attempt, collected once for what tools are held to be."""
        mine = self._facts.setdefault(kinds.read_as, {})
        if len(self._facts) > LATEST:
            del self._facts[next(iter(self._facts))]
        known = mine.get(recorded.episode.episode_id)
        if known is None or known[0] is not recorded or known[1] != label:
            facts = facts_of(recorded, label, kinds)
            known = mine[recorded.episode.episode_id] = (recorded, label, facts)
        return known[2]

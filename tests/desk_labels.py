"""What users of the example desk said, as labels of its conversations."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.rubrics.small_homes import MEANINGS
from benchmarks.testbeds.desk.conversations import Talk
from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import Label, label_episodes
from synth.labels.policy import load_outcome_policy


def labels_of(talks: Iterable[Talk]) -> dict[str, Label]:
    """The label of each conversation, by its id."""
    said = [
        CleanOutcome(
            app=talk.episode.app,
            outcome_id=f"{talk.episode.episode_id}:{number}",
            episode_id=talk.episode.episode_id,
            name=str(one["name"]),
            value=float(one["value"]),
            by=str(one.get("by", "unknown")),
        )
        for talk in talks
        for number, one in enumerate(talk.feedback)
    ]
    return label_episodes(said, load_outcome_policy(MEANINGS))

"""What resolved episodes teach about failures, in one call."""

from __future__ import annotations

from collections.abc import Iterable

from redact.records.clean_episode import CleanEpisode
from synth.failures.detection import called_in
from synth.failures.reading import PLAIN, AppReading
from synth.failures.reference import Reference, learn_reference
from synth.labels.label import Label


def reference_from(
    labelled: Iterable[tuple[CleanEpisode, Label]], app: AppReading = PLAIN
) -> Reference:
    """What the resolved of some episodes did."""
    resolved = (episode for episode, label in labelled if label.resolved is True)
    return learn_reference(called_in(episode, app) for episode in resolved)

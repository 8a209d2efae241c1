"""What an app's own outcomes teach about its failures: on which episodes, and when it is learnt anew.

Comes in: the clean lake, an app and the outcome policy. Goes out: the app's first labelled episodes, 10, 20, 40, 50, 100, 200 and so on up
to `MOST`, so that a new day does not change what was said of all earlier ones; the next size is taken when it is reached. Signals are
calibrated on them, and failures compared with the resolved ones.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dagster_project.clean_records import clean_episodes_of, home_days, labels_of
from dagster_project.lake.store import Lake
from redact.records.clean_episode import CleanEpisode
from synth.failures.calibration import MIN_LABELLED
from synth.labels.label import Label

LEAST: Final = 10
"""Labelled episodes below which nothing is learnt of them."""
MOST: Final = 3200
"""Labelled episodes beyond which the figures hardly move."""


def outcomes_size(lake: Lake, app: str, policy: Path) -> int:
    """From how many labelled episodes is learnt; 0 while there are too few."""
    known = home_days(lake, app)
    return _size(sum(key in known for key in _known_labels(lake, app, policy)))


def first_labelled(lake: Lake, app: str, policy: Path) -> list[tuple[CleanEpisode, Label]]:
    """The app's first labelled episodes, those of whole days, in order of time."""
    labels = _known_labels(lake, app, policy)
    known = home_days(lake, app)
    size = _size(sum(key in known for key in labels))
    if not size:
        return []
    days: list[str] = []
    found = 0
    for day in sorted(set(known.values())):
        if found < size:
            days.append(day)
            found += sum(known.get(key) == day for key in labels)
    episodes = [one for one in clean_episodes_of(lake, app, days) if one.episode_id in labels]
    return [(one, labels[one.episode_id]) for one in episodes[:size]]


def _known_labels(lake: Lake, app: str, policy: Path) -> Mapping[str, Label]:
    labels = labels_of(lake, app, policy)
    return {key: label for key, label in labels.items() if label.resolved is not None}


def _size(labelled: int) -> int:
    """The largest of 10, 20, 40, 50, 100, 200, ... that is reached."""
    if labelled < LEAST:
        return 0
    size, most = (LEAST, MIN_LABELLED - 1) if labelled < MIN_LABELLED else (MIN_LABELLED, MOST)
    while size * 2 <= min(labelled, most):
        size *= 2
    return size

"""Calibration of failure signals by an app's own outcomes: which episodes it is fitted on, and when it is fitted anew.

Comes in: the clean lake, an app and the outcome policy. Goes out: the app's `Calibration`, or None where its outcomes are
too few. It is fitted on the app's first labelled episodes, 50, 100, 200 and so on up to `MOST`, so that a new day does not
change what was said of all earlier ones; it is fitted anew when the next size is reached. Not here: the model
(`synth.failures.calibration`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dagster_project.clean_records import clean_episodes_of, home_days, labels_of
from dagster_project.lake import Lake
from dagster_project.tool_parts import PLAIN, AppReading
from synth.failures.calibration import MIN_LABELLED, Calibration
from synth.failures.detection import calibrate_on
from synth.labels import Label

MOST: Final = 3200
"""Labelled episodes beyond which the figures hardly move."""


def calibration_size(lake: Lake, app: str, policy: Path) -> int:
    """On how many labelled episodes the app's signals are calibrated; 0 while there are too few."""
    known = home_days(lake, app)
    return _size(sum(key in known for key in _labelled(lake, app, policy)))


def calibration_of(
    lake: Lake, app: str, policy: Path, reading: AppReading = PLAIN
) -> Calibration | None:
    """What the app's first labelled episodes say about its signals."""
    labels = _labelled(lake, app, policy)
    known = home_days(lake, app)
    size = _size(sum(key in known for key in labels))
    if not size:
        return None
    days: list[str] = []
    found = 0
    for day in sorted(set(known.values())):
        if found < size:
            days.append(day)
            found += sum(known.get(key) == day for key in labels)
    episodes = [one for one in clean_episodes_of(lake, app, days) if one.episode_id in labels]
    labelled = ((one, labels[one.episode_id]) for one in episodes[:size])
    return calibrate_on(labelled, reading.parts, reading.differing)


def _labelled(lake: Lake, app: str, policy: Path) -> Mapping[str, Label]:
    labels = labels_of(lake, app, policy)
    return {key: label for key, label in labels.items() if label.resolved is not None}


def _size(labelled: int) -> int:
    """The largest of 50, 100, 200, ... that is reached."""
    if labelled < MIN_LABELLED:
        return 0
    size = MIN_LABELLED
    while size * 2 <= min(labelled, MOST):
        size *= 2
    return size

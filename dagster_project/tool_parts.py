"""Which of several tools a call means, for failures: learnt from an app's first episodes.

Comes in: the clean lake and an app. Goes out: the app's named parts. They are learnt from the first 16 episodes, 32, 64 and so on up to `MOST`, so
that a new day does not rename the failures of all earlier ones. Worlds, which come later, learn from all episodes. Not here: the names
(`synth.failure_parts`).
"""

from collections import Counter
from itertools import accumulate
from typing import Final

from dagster_project.clean_records import clean_episodes_of, home_days
from dagster_project.lake import Lake
from environments.runtime.world_dispatched import EMPTY, Dispatched
from synth.failure_parts import learn_named_parts

LEAST: Final = 16
MOST: Final = 1024
"""Episodes beyond which hardly a part is new."""


def parts_size(lake: Lake, app: str) -> int:
    """From how many episodes the app's parts are learnt; 0 while there are too few."""
    return _size(len(home_days(lake, app)))


def parts_of(lake: Lake, app: str, *, k: int) -> Dispatched:
    """The parts that the calls of the app's first episodes mean."""
    days = Counter(home_days(lake, app).values())
    size = _size(days.total())
    if not size:
        return EMPTY
    before = accumulate((days[day] for day in sorted(days)), initial=0)
    first = [day for day, found in zip(sorted(days), before, strict=False) if found < size]
    return learn_named_parts(clean_episodes_of(lake, app, first)[:size], k=k)


def _size(episodes: int) -> int:
    """The largest of 16, 32, 64, ... that is reached."""
    if episodes < LEAST:
        return 0
    return min(1 << (episodes.bit_length() - 1), MOST)

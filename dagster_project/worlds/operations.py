"""Which of several tools a call means and what differs in every result, for failures: learnt from an app's first episodes.

Comes in: the clean lake and an app. Goes out: how its calls are read. It is learnt from the first 16 episodes, 32, 64 and so on up to
`MOST`, so that a new day does not rename the failures of all earlier ones. Worlds, which come later, learn from all episodes.
"""

from collections import Counter
from itertools import accumulate
from typing import Final

from dagster_project.clean_records import clean_episodes_of, home_days
from dagster_project.lake.store import Lake
from synth.failures.calls import differing_in
from synth.failures.named_parts import learn_named_parts
from synth.failures.reading import PLAIN, AppReading

LEAST: Final = 16
MOST: Final = 1024
"""Episodes beyond which hardly a part is new."""


def parts_size(lake: Lake, app: str) -> int:
    """From how many episodes the app's parts are learnt; 0 while there are too few."""
    return _size(len(home_days(lake, app)))


def reading_of(lake: Lake, app: str, *, k: int) -> AppReading:
    """How the calls of the app's first episodes say that its calls are read."""
    days = Counter(home_days(lake, app).values())
    size = _size(days.total())
    if not size:
        return PLAIN
    before = accumulate((days[day] for day in sorted(days)), initial=0)
    first = [day for day, found in zip(sorted(days), before, strict=False) if found < size]
    episodes = clean_episodes_of(lake, app, first)[:size]
    return AppReading(parts=learn_named_parts(episodes, k=k), differing=differing_in(episodes))


def _size(episodes: int) -> int:
    """The largest of 16, 32, 64, ... that is reached."""
    if episodes < LEAST:
        return 0
    return min(1 << (episodes.bit_length() - 1), MOST)

"""Worlds in spite of faults: a fault in learning costs an episode, or else a tool, or else what was not recorded.

Comes in: clean episodes of one app and how its world is learnt. Goes out: a world, and notes of what it had to do without. First a few
episodes are left out, if learning succeeds without them; else tools get their recordings only, as few as it takes; else all of them.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from dagster_project.build.left_out import Skips, without_those_that_fail
from dagster_project.fatal import is_fatal
from environments.fault_places import fault_place
from redact.records.clean_episode import CleanEpisode
from synth.worlds import LearntWorld, WorldSettings, learn_with_recordings, learn_world

Item = TypeVar("Item")

MOST_EPISODES: Final = 3
MOST_SHARE: Final = 0.05
"""Episodes left out, and their share, before the fault is taken to be the tools'; one may always be."""
MOST_TRIES: Final = 24
"""Worlds learnt to find the tools at which it fails."""


def learn_with_fallback(
    episodes: Sequence[CleanEpisode], settings: WorldSettings, skips: Skips
) -> LearntWorld:
    """The world of one app; raises where not even recordings make one."""
    try:
        return learn_world(episodes, settings)
    except Exception as fault:
        if is_fatal(fault):
            raise
        return _without_episodes(episodes, settings, skips, fault) or _without_tools(
            episodes, settings, skips, fault
        )


class _TooManyError(Exception):
    """More fail than are looked for."""


def _noting(found: list[tuple[Item, Exception]], most: int) -> Callable[[Item, Exception], None]:
    def note(item: Item, fault: Exception) -> None:
        found.append((item, fault))
        if len(found) > most:
            raise _TooManyError

    return note


def _without_episodes(
    episodes: Sequence[CleanEpisode], settings: WorldSettings, skips: Skips, fault: Exception
) -> LearntWorld | None:
    """The world of all episodes but a few; None where a few are not enough."""
    odd: list[tuple[CleanEpisode, Exception]] = []
    try:
        learnt = without_those_that_fail(
            episodes,
            lambda some: learn_world(some, settings),
            _noting(odd, max(1, min(MOST_EPISODES, int(MOST_SHARE * len(episodes))))),
            known=fault,
        )
    except Exception as inner:
        if is_fatal(inner):
            raise
        return None
    for episode, raised in odd:
        skips.note(raised, "episode", episode.episode_id)
    return learnt


def _without_tools(
    episodes: Sequence[CleanEpisode], settings: WorldSettings, skips: Skips, fault: Exception
) -> LearntWorld:
    """The world with recordings only of as few tools as it takes."""
    names = sorted({call.name for e in episodes for step in e.steps for call in step.tool_calls})
    why = f"{type(fault).__name__} at {fault_place(fault)}"
    odd: list[tuple[str, Exception]] = []

    def learn_beside(learnt: Sequence[str]) -> LearntWorld:
        kept = set(learnt)
        return learn_with_recordings(episodes, settings, {n: why for n in names if n not in kept})

    try:
        found = without_those_that_fail(
            names, learn_beside, _noting(odd, len(names)), known=fault, tries=MOST_TRIES
        )
    except Exception as inner:
        if is_fatal(inner):
            raise
        found, odd = learn_beside(()), [(name, inner) for name in names]
    for name, raised in odd:
        skips.note(raised, "tool", name)
    return found

"""Time-invariant results, of a backend that lives on: calls of writers that were always answered alike, whoever made them.

Comes from observations, once it is known who writes. Goes to the tape as answers that hold for every session in which nothing
that matters was done before. Not here: recorded answers of an episode's own (`tape`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from environments.runtime.task.attempt import Json
from synth.world.document import holds_withheld
from synth.world.grouping import lists_by_key
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import Observation
from synth.world.support import SEEN_TWICE
from synth.world.time.validity import MAX_OF_ROW, MIN_PAIRS, holds

MIN_EPISODES: Final = SEEN_TWICE
"""Episodes in which a call was made, before its answer is told to others."""


def steady_answers(bench: Workbench) -> Iterator[tuple[str, dict[str, Json], str]]:
    """Tool, arguments and answer of each such call, of tools that hardly ever answer an equal call otherwise."""
    for name, tool in sorted(bench.tools.items()):
        calls = _calls(tool) if not tool.innocent and not tool.restless else []
        if not _is_steady(calls):
            continue
        for group in calls:
            if _told_to_all(bench, tool, group):
                yield name, group[0].arguments, group[0].content


def _calls(tool: ToolModel) -> list[list[Observation]]:
    """Equal calls together, in order of time."""
    calls = lists_by_key(
        (seen.key, seen)
        for seen in sorted(tool.observations, key=lambda s: (s.at, s.episode, s.position))
    )
    return list(calls.values())


def _is_steady(calls: Sequence[Sequence[Observation]]) -> bool:
    """Whether a call that is made again is nearly always answered as before."""
    changed = [[left.content != right.content for left, right in pairwise(c)] for c in calls]
    enough = sum(min(len(row), MAX_OF_ROW) for row in changed) >= MIN_PAIRS
    return enough and holds([other for row in changed for other in row])


def _told_to_all(bench: Workbench, tool: ToolModel, group: Sequence[Observation]) -> bool:
    """Whether it was done in several episodes, always with this answer, once before anything else that one of them did.

    So what the others did before is not needed. A refusal is of the moment.
    """
    if len({seen.content for seen in group}) > 1 or len({s.episode for s in group}) < MIN_EPISODES:
        return False
    done = not refused(tool, group[0]) and not holds_withheld(group[0].content)
    return done and any(_is_first(bench, seen) for seen in group)


def _is_first(bench: Workbench, seen: Observation) -> bool:
    """Whether nothing was done before a call in its episode."""
    past = bench.histories[seen.episode].observations[: seen.position]
    return not any(map(bench.has_changed, past))

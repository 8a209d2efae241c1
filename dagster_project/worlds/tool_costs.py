"""What a tool costs: the time the real one took, by its spans, beside the time that the world takes to answer.

Comes in: both sides of a lake and a world. Goes out: medians per tool.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Final

from dagster_project.clean_records import clean_episodes_of
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import SPANS
from dagster_project.worlds.recorded_calls import recorded_calls
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.runtime.values.grouping import by_key
from environments.runtime.world.world import World
from ingest.records.span import column_of

TIMED_EPISODES: Final = 100
"""Episodes whose calls are made in the world to time it: enough for a median, and done in a second."""
TOOL: Final = column_of("gen_ai.tool.name")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCost:
    """Median milliseconds of one call; None where nothing says."""

    real_ms: float | None = None
    ours_ms: float | None = None


UNTIMED: Final = ToolCost()


def tool_costs(private: Lake, clean: Lake, world: StoredWorld) -> Mapping[str, ToolCost]:
    """Per tool of an app: what its spans took, and what the world takes."""
    real = _medians(real_times(private, world.app))
    ours = _medians(our_times(clean, world))
    return {
        name: ToolCost(real_ms=real.get(name), ours_ms=ours.get(name)) for name in {*real, *ours}
    }


def real_times(private: Lake, app: str) -> Iterator[tuple[str, float]]:
    """Tool and milliseconds of every span that ran one."""
    rows = private.read(SPANS, app=app, columns=[TOOL, "started_at", "ended_at"])
    times = zip(*(rows[name].to_pylist() for name in rows.column_names), strict=True)
    for name, began, ended in dict.fromkeys(
        times
    ):  # a span that was sent again says the same again
        if name and began is not None and ended is not None and ended >= began:
            yield name, (ended - began) / 1e6


def our_times(clean: Lake, world: StoredWorld) -> Iterator[tuple[str, float]]:
    """Tool and milliseconds of every call of some episodes, made in the world."""
    backend = World(world.document)
    for episode in clean_episodes_of(clean, world.app)[:TIMED_EPISODES]:
        session = backend.session(world.start_of(episode), started_at=episode.started_at)
        for call in recorded_calls(episode).calls:
            began = time.thread_time_ns()
            session.call(call.name, call.arguments)
            yield (
                backend.part_name(call.name, call.arguments),
                (time.thread_time_ns() - began) / 1e6,
            )


def _medians(times: Iterator[tuple[str, float]]) -> dict[str, float]:
    groups = by_key((name, took) for name, took in times)
    return {name: median(group) for name, group in groups.items()}

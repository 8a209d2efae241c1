"""What calls of one episode were answered, comparable: a request's number or its duration does not make another answer of it.

Comes in: the tools and results of an episode. Goes out: per result a text, equal where two say the same. A place that all results of several
tools have, and that hardly ever holds a value twice, says nothing of what was asked. Not here: what an app's tools put around their
results whatever the episode (`synth.world.views.discover` learns that from many).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from environments.runtime.task.attempt import Json
from synth.tool_content import held_value

LEAST: Final = 3
"""Results below which nothing is known to differ from call to call."""
NEARLY: Final = 0.75
"""Share of results whose values at a place differ: durations meet by chance."""
EPISODES: Final = 8
"""Episodes below which nothing is said of an app."""
Path = tuple[str, ...]
Result = tuple[str, str]
"""A tool and what it answered."""


def comparable(results: Sequence[Result], known: frozenset[Path] = frozenset()) -> list[str]:
    """Per tool and result of one episode, what it says without what differs from call to call; `known` places are the app's."""
    values = [held_value(text) for _, text in results]
    places = known | _differing([tool for tool, _ in results], values)
    return [json.dumps(_without_places(value, places, ()), sort_keys=True) for value in values]


def sole_value(says: str) -> str | None:
    """What stands alone in a comparable result but for flags: all else beside it differed from call to call."""
    value: Json = json.loads(says)
    fields = value.values() if isinstance(value, dict) else ()
    held_in = [item for item in fields if not isinstance(item, bool)]
    alone = len(held_in) == 1 and isinstance(held_in[0], dict | list)
    return json.dumps(held_in[0]) if alone else None


def learn_differing(episodes: Iterable[Sequence[Result]]) -> frozenset[Path]:
    """Places that differ from call to call in nearly every episode of an app that can tell."""
    told = 0
    found: Counter[Path] = Counter()
    for results in episodes:
        tools = [tool for tool, _ in results]
        if len(results) >= LEAST and len(set(tools)) > 1:
            told += 1
            found.update(_differing(tools, [held_value(text) for _, text in results]))
    return frozenset(p for p, n in found.items() if told >= EPISODES and n >= NEARLY * told)


def _differing(tools: Sequence[str], values: Sequence[Json]) -> frozenset[Path]:
    records = [value for value in values if isinstance(value, dict)]
    if len(values) < LEAST or len(set(tools)) < 2 or len(records) < len(values):
        return frozenset()
    told = [dict(_scalars(record, ())) for record in records]
    shared = set(told[0]).intersection(*told)
    return frozenset(
        path for path in shared if len({one[path] for one in told}) >= NEARLY * len(told)
    )


def _scalars(value: Mapping[str, Json], path: Path) -> Iterator[tuple[Path, str]]:
    for name, item in value.items():
        if isinstance(item, dict):
            yield from _scalars(item, (*path, name))
        elif isinstance(item, str | int | float):
            yield (*path, name), str(item)


def _without_places(value: Json, places: frozenset[Path], path: Path) -> Json:
    if not places or not isinstance(value, dict):
        return value
    kept = ((n, v) for n, v in value.items() if (*path, n) not in places)
    return {name: _without_places(item, places, (*path, name)) for name, item in kept}

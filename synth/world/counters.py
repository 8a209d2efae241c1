"""Counters: ids that a tool gives out in a fixed order, however it is called.

Comes from the order of successful calls in each episode; goes into creations. Claimed only as far as it was seen,
unless the numbers rise by one.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from environments.runtime.expression import Tree

from synth.world.model import ToolModel, Workbench, refused

MIN_EPISODES: Final = 3


def fit_counter(bench: Workbench, tool: ToolModel, field: str) -> Tree | None:
    """A tree for the id of the n-th record that a tool makes in one episode; None where order does not decide it."""
    by_order: dict[int, set[str]] = defaultdict(set)
    episodes = 0
    for history in bench.histories:
        order = 0
        for seen in history.observations:
            if seen.tool != tool.name or refused(tool, seen) or not isinstance(seen.value, dict):
                continue
            value = seen.value.get(field)
            if not isinstance(value, str):
                return None
            by_order[order].add(value)
            order += 1
        episodes += order > 0
    if episodes < MIN_EPISODES or any(len(values) != 1 for values in by_order.values()):
        return None
    ids = [next(iter(by_order[i])) for i in range(len(by_order))]
    name = f"{tool.name}.{field}"
    bench.counters[name] = {"next": 0, "limit": len(ids) - 1, "fed_by": [tool.name]}
    rising = _rising(ids)
    if rising is not None:
        bench.counters[name] = {"next": rising[1], "fed_by": [tool.name]}
        return ["next", name, rising[0], rising[2], ""]
    return ["at", ["const", ids], ["next", name, None]]


def _rising(ids: list[str]) -> tuple[Any, int, int] | None:
    """Prefix, first number and width where the ids end in numbers that rise by one."""
    if len(ids) < 2:
        return None
    heads = {i.rstrip("0123456789") for i in ids}
    if len(heads) != 1:
        return None
    head = heads.pop()
    tails = [i[len(head) :] for i in ids]
    if not all(tails):
        return None
    numbers = [int(t) for t in tails]
    if any(b - a != 1 for a, b in zip(numbers, numbers[1:], strict=False)):
        return None
    return head, numbers[0], len(tails[0])

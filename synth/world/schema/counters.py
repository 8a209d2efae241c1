"""Counters: ids that a tool gives out in a fixed order, however it is called.

Comes from the order of successful calls in each episode; goes into creations. Claimed only as far as it was seen,
unless the numbers rise by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

from environments.runtime.document.records import CounterPart
from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import operands_of
from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import is_name, names_in
from synth.world.grouping import sets_by_key
from synth.world.model import ToolModel, Workbench, refused
from synth.world.support import SEEN_THRICE

MIN_EPISODES: Final = SEEN_THRICE


def fit_counter(bench: Workbench, tool: ToolModel, field: str) -> Tree | None:
    """A tree for the id of the n-th record that a tool makes in one episode; None where order does not decide it."""
    by_episode = [*_values_by_episode(bench, tool, field)]
    by_order = _by_order(by_episode)
    if len(by_episode) < MIN_EPISODES or not by_order:
        return None
    if not all(isinstance(value, str) for values in by_episode for value in values):
        return None
    ids = [next(iter(by_order[i])) for i in range(len(by_order))]
    name = f"{tool.name}.{field}"
    bench.counters[name] = CounterPart(next=0, limit=len(ids) - 1, fed_by=(tool.name,))
    rising = _rising(ids)
    if rising is not None:
        bench.counters[name] = CounterPart(next=rising[1], fed_by=(tool.name,))
        return ["next", name, rising[0], rising[2], ""]
    return ["at", ["const", ids], ["next", name, None]]


def issued_fields(bench: Workbench, tool: ToolModel) -> list[str]:
    """Fields of a tool's results that hold a name which the order of its calls decides, not what they ask for.

    The first such id of every episode is the same: a tool that only ever shows one looks like a constant.
    """
    good = [o for o in tool.good() if isinstance(o.value, dict)]
    records = [o.value for o in good if isinstance(o.value, dict)]
    if len({o.key for o in good}) < 2:
        return []
    out: list[str] = []
    for field in records[0]:
        values = [record.get(field) for record in records]
        if not all(is_name(v) for v in values) or any(
            v in names_in(o.arguments) for v, o in zip(values, good, strict=True)
        ):
            continue
        if len(set(values)) * 2 <= len({o.key for o in good}) and _by_order(
            _values_by_episode(bench, tool, field)
        ):
            out.append(field)
    return out


def _values_by_episode(bench: Workbench, tool: ToolModel, field: str) -> Iterator[list[Json]]:
    """What a field was told as by one successful call of a tool after the other, in each episode that has any."""
    for history in bench.histories:
        records = [
            seen.value
            for seen in history.observations
            if seen.tool == tool.name and not refused(tool, seen) and isinstance(seen.value, dict)
        ]
        if records:
            yield [record.get(field) for record in records]


def _by_order(by_episode: Iterable[list[Json]]) -> dict[int, set[str]]:
    """Values by the number of earlier calls in the episode; empty where the number does not decide them."""
    out = sets_by_key((at, str(value)) for told in by_episode for at, value in enumerate(told))
    return {} if any(len(values) != 1 for values in out.values()) else out


def fixed_names(tree: Any) -> bool:
    """Whether a tree says a fixed name: right once, wrong as soon as the tool hands out the next one."""
    if tree[0] == "const":
        return is_name(tree[1]) and not _is_moment(tree[1])
    if tree[0] == "text":
        words = [w for part in tree[1:] if isinstance(part, str) for w in part.split()]
        return any(is_name(w.strip(".,;:!?")) for w in words) or any(
            map(fixed_names, operands_of(tree))
        )
    if tree[0] == "case" and len(tree[2]) == 1:
        return fixed_names(tree[2][0][1])
    if tree[0] in ("among", "case", "at"):
        return False
    return any(map(fixed_names, operands_of(tree)))


def _is_moment(text: str) -> bool:
    return len(text) >= 10 and text[4:5] == "-" and text[7:8] == "-" and text[:4].isdigit()


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
    if any(b - a != 1 for a, b in pairwise(numbers)):
        return None
    return head, numbers[0], len(tails[0])

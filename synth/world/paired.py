"""Pairs: what else the calls of a reader gave with the key of a record, where each record had one value only.

Comes from tools with their tables and keys; sets `paired`. A line asked for with its own customer, always,
says nothing of what comes back with another customer: most backends refuse that. Where one record was ever shown with
two values, or the argument is free text, it is left out of the question. Writers that take both arguments are told of the
pairs of readers. Not here: relations between records (`guards`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from environments.runtime.normal import stable
from synth.world.beside import decides_beside
from synth.world.model import ToolModel, Workbench

MIN_PAIRED: Final = 3
"""Records that were shown in two tasks or more with one value each, before another value is a question nobody asked."""


def learn_paired(bench: Workbench) -> None:
    """Set, per reader and argument beside its key, the values that each record was shown with."""
    task_of = {history.index: history.task for history in bench.histories}
    for tool in bench.tools.values():
        if not tool.innocent or tool.table is None or any(k[0] != "arg" for k in tool.key):
            continue
        keys = [str(k[1]) for k in tool.key]
        names = {n for seen in tool.good() for n in seen.arguments}.difference(keys, tool.ignore)
        for name in sorted(names) if keys else ():
            if not bench.living and decides_beside(tool.good(), keys, name):
                tool.paired[name] = {}
                continue
            if (found := _pairs(bench, tool, keys, name, task_of)) is not None:
                tool.paired[name] = found
                _tell_writers(bench, keys, name, found)


def _tell_writers(
    bench: Workbench, keys: list[str], name: str, found: dict[str, list[str]]
) -> None:
    """What a reader shows to its own only, writers that take both arguments change for its own only."""
    for tool in bench.tools.values():
        good = [] if tool.innocent else tool.good()
        if good and all(n in seen.arguments for seen in good for n in (*keys, name)):
            tool.paired[name], tool.paired_by = found, keys


def _pairs(
    bench: Workbench, tool: ToolModel, keys: list[str], name: str, task_of: dict[int, str]
) -> dict[str, list[str]] | None:
    given: dict[str, set[str]] = defaultdict(set)
    tasks: dict[str, set[str]] = defaultdict(set)
    for seen in tool.good():
        value = seen.arguments.get(name)
        if isinstance(value, dict | list) or (isinstance(value, str) and " " in value):
            return None
        key = stable([seen.arguments.get(k) for k in keys])
        given[key].add(stable(value))
        tasks[key].add(task_of[seen.episode])
    if any(len(values) > 1 for values in given.values()):
        return None
    if sum(len(found) > 1 for found in tasks.values()) < MIN_PAIRED:
        return None
    for other in bench.tools.values():
        # What other tools took with both says that they belong together, too.
        for seen in other.good():
            if all(k in seen.arguments for k in (*keys, name)):
                given[stable([seen.arguments[k] for k in keys])].add(stable(seen.arguments[name]))
    return {key: sorted(values) for key, values in sorted(given.items())}

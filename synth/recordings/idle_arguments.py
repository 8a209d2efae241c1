"""Optional arguments of changes that make no difference: a default that is spelt out, a reason that nobody reads.

In: attempts by task, their labels, and the tools' definitions. Out: by tool what the comparison of calls leaves out, as
`environments.runtime.checks.arguments` names it. Two resolved attempts at one task that made the same changes but for one argument, which
one of them left out, show it; so does a default that the definition declares. Not here: texts that agents word themselves (`tool_kinds`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Final

from environments.runtime.checks.arguments import AT_ANY, at_value, canonical_arguments
from environments.runtime.task.attempt import Call, Json
from environments.runtime.task.tool_definition import (
    choices_of,
    name_of,
    parameters_of,
    properties_of,
    read_definition,
)
from synth.declared_defaults import declared_defaults
from synth.labels import Label
from synth.recordings.attempt import EpisodeAttempt
from synth.recordings.tool_kinds import MAYBE, WRITE, ToolKinds

MIN_TASKS: Final = 2
"""Tasks that show it of one value."""
MIN_WORDED: Final = 3
"""Tasks that show it of texts without a figure, before any text of the argument says nothing."""
MOST_PAIRS: Final = 20
"""Pairs of attempts at one task that are compared."""
_FIGURE: Final = re.compile(r"\d")


def idle_arguments(
    groups: Iterable[Sequence[EpisodeAttempt]], labels: Mapping[str, Label], kinds: ToolKinds
) -> dict[str, set[str]]:
    """By tool that may change something, the optional arguments that make no difference."""
    tasks: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    values: dict[tuple[str, str], list[Json]] = defaultdict(list)
    definitions: dict[str, Mapping[str, Json]] = {}
    for task, group in enumerate(groups):
        for one in group[:1]:
            functions = map(read_definition, one.episode.tools)
            definitions |= {name_of(function): function for function in functions}
        good = [r for r in group if (known := labels.get(r.episode.episode_id)) and known.resolved]
        made = [_changes(one, kinds) for one in good]
        for left, right in islice(combinations(made, 2), MOST_PAIRS):
            for tool, name, value in _only_difference(left, right, kinds):
                tasks[tool, name][at_value(name, value)].add(task)
                values[tool, name].append(value)
    found: dict[str, set[str]] = defaultdict(set)
    for tool in kinds.tools:
        function = definitions.get(tool.partition("[")[0], {})
        found[tool] |= {at_value(n, v) for n, v in declared_defaults(function).items()}
    for (tool, name), shown in tasks.items():
        found[tool] |= {text for text, among in shown.items() if len(among) >= MIN_TASKS}
        function = definitions.get(tool.partition("[")[0], {})
        chosen = choices_of(properties_of(function).get(name), parameters_of(function))
        if not chosen and all(
            isinstance(v, str) and not _FIGURE.search(v) for v in values[tool, name]
        ):
            every = set().union(*shown.values())
            found[tool] |= {f"{name}{AT_ANY}"} if len(every) >= MIN_WORDED else set()
    return {tool: names for tool, names in found.items() if names}


def _changes(recorded: EpisodeAttempt, kinds: ToolKinds) -> list[Call]:
    changing = {*kinds.tools_of(WRITE), *kinds.tools_of(MAYBE)}
    return [c for c in recorded.attempt.calls if c.name in changing and not c.result.is_error]


def _only_difference(
    left: Sequence[Call], right: Sequence[Call], kinds: ToolKinds
) -> Iterator[tuple[str, str, Json]]:
    """The one argument that some calls of either attempt have and the other's leave out, with its values."""
    if len(left) != len(right) or _rows(left, kinds) == _rows(right, kinds):
        return
    optional = {(c.name, n) for c in left for n in c.arguments} ^ {
        (c.name, n) for c in right for n in c.arguments
    }
    for tool, name in sorted(optional):
        if _rows(left, kinds, (tool, name)) == _rows(right, kinds, (tool, name)):
            for call in (*left, *right):
                if call.name == tool and name in call.arguments:
                    yield tool, name, call.arguments[name]


def _rows(
    calls: Iterable[Call], kinds: ToolKinds, without: tuple[str, str] = ("", "")
) -> Counter[tuple[str, str]]:
    rows: Counter[tuple[str, str]] = Counter()
    for call in calls:
        kind = kinds.tools[call.name]
        ignore = [*kind.authored, *kind.injected]
        ignore += [without[1]] if call.name == without[0] else []
        rows[call.name, canonical_arguments(call.arguments, ignore)] += 1
    return rows

"""Arguments of changes that make no difference: a default that is spelt out, a reason that nobody reads.

In: attempts by task, their labels, and the tools' definitions. Out: by tool what the comparison of calls leaves out, as
`environments.runtime.checks.arguments` names it. Two resolved attempts at one task that made the same changes but for one argument, which
one of them left out, or to which both gave words of their own, show it; so does a default that the definition declares. Not here: texts that agents word themselves (`tool_kinds`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Final

from environments.runtime.checks.arguments import AT_ANY, at_value, canonical_arguments
from environments.runtime.task.attempt import Call, Json
from environments.runtime.task.tool_definition import (
    choices_of,
    functions_by_name,
    parameters_of,
    properties_of,
)
from synth.declared_defaults import declared_defaults
from synth.labels.label import Label
from synth.recordings.attempt import EpisodeAttempt
from synth.recordings.tool_kinds import MAYBE, WRITE, ToolKinds

MIN_TASKS: Final = 2
"""Tasks that show it of one value."""
MIN_LEFT_OUT: Final = 3
"""The same of texts without a figure, before any text of the argument says nothing."""
MIN_WORDED: Final = 2
"""Attempts with another text than most at their task, neither said by the user, before any text says nothing."""
MIN_DIFFERING: Final = 3
"""Tasks at which attempts, resolved or not, word it otherwise."""
MOST_PAIRS: Final = 20
"""Pairs of attempts at one task that are compared."""
_FIGURE: Final = re.compile(r"\d")
_CODE: Final = re.compile(r"[\d_/\\@#=]|^\S*-\S*$")
"""What texts have that name something: a figure, a path, `pln-plus`."""


def idle_arguments(
    groups: Sequence[Sequence[EpisodeAttempt]], labels: Mapping[str, Label], kinds: ToolKinds
) -> dict[str, set[str]]:
    """By tool that may change something, the arguments that make no difference."""
    seen = defaultdict[tuple[str, str], _ArgumentValues](_ArgumentValues)
    definitions = _definitions(groups)
    for task, group in enumerate(groups):
        good = [r for r in group if (known := labels.get(r.episode.episode_id)) and known.resolved]
        made = [_changes(one, kinds) for one in good]
        said = " ".join(_user_words(one) for one in good)
        for left, right in islice(combinations(made, 2), MOST_PAIRS):
            for tool, name, values in _values_left_out(left, right, kinds):
                seen[tool, name].left_out(task, name, values)
            for tool, name, given in _differing_values(left, right, kinds):
                seen[tool, name].differ(task, given, said)

    def is_chosen(tool: str, name: str) -> bool:
        function = definitions.get(tool.partition("[")[0], {})
        return bool(choices_of(properties_of(function).get(name), parameters_of(function)))

    found: dict[str, set[str]] = defaultdict(set)
    for tool in kinds.tools:
        function = definitions.get(tool.partition("[")[0], {})
        found[tool] |= {at_value(n, v) for n, v in declared_defaults(function).items()}
    words = _worded_by_agents(groups, kinds)
    for place, shown in seen.items():
        found[place[0]] |= shown.idle_values()
        words |= {place} if shown.are_idle_words() else set()
    for tool, name in words:
        found[tool] |= set() if is_chosen(tool, name) else {f"{name}{AT_ANY}"}
    return {tool: names for tool, names in found.items() if names}


def _definitions(groups: Iterable[Sequence[EpisodeAttempt]]) -> dict[str, Mapping[str, Json]]:
    """The tools' definitions by name."""
    found: dict[str, Mapping[str, Json]] = {}
    for group in groups:
        for one in group[:1]:
            found |= functions_by_name(one.episode.tools)
    return found


def _worded_by_agents(
    groups: Iterable[Sequence[EpisodeAttempt]], kinds: ToolKinds
) -> set[tuple[str, str]]:
    """By tool the arguments whose texts agents word themselves, whatever the user says."""
    wordings = defaultdict[tuple[str, str], _Wordings](_Wordings)
    for group in groups:
        for place, given in _texts_beside_equal_arguments(group, kinds):
            wordings[place].add(given)
    return {place for place, given in wordings.items() if given.are_the_agents_own()}


@dataclass(slots=True)
class _Wordings:
    """What attempts at one task gave to one argument beside equal other ones, however they ended."""

    tasks: int = 0
    differing: int = 0
    """Tasks at which two attempts gave different texts."""
    texts: int = 0
    said: int = 0
    """Texts that stood in what the attempt's user said."""
    values: set[str] = field(default_factory=set)

    def add(self, given: Sequence[tuple[str, bool]]) -> None:
        """The text that each attempt at a task gave, and whether its user had said it."""
        own = {text for text, _ in given}
        self.tasks += 1
        self.differing += len(own) > 1
        self.texts += len(given)
        self.said += sum(said for _, said in given)
        self.values |= own

    def are_the_agents_own(self) -> bool:
        """Whether agents word these texts themselves: at most tasks two did it otherwise, and few texts are the users'."""
        return (
            self.differing >= MIN_DIFFERING
            and 2 * self.differing >= self.tasks
            and 2 * self.said <= self.texts
            and not any(map(_CODE.search, self.values))
            and any(" " in value for value in self.values)
        )


@dataclass(slots=True)
class _ArgumentValues:
    """In what attempts that ended right differ, of one argument."""

    values: list[Json] = field(default_factory=list)
    tasks: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """By value that one of two attempts left out, the tasks."""
    worded: dict[int, dict[str, set[int]]] = field(default_factory=lambda: defaultdict(dict))
    """By task and value that no user said, the attempts that gave it."""

    def left_out(self, task: int, name: str, values: Sequence[Json]) -> None:
        """One of two attempts gave these values, the other none."""
        for value in values:
            self.tasks[at_value(name, value)].add(task)
        self.values += values

    def differ(self, task: int, values: Mapping[int, Json], said: str) -> None:
        """Two attempts gave another value each; `said`: the words of the task's users, in small letters."""
        self.values += values.values()
        if not any(str(value).casefold() in said for value in values.values()):
            for attempt, value in values.items():
                self.worded[task].setdefault(str(value), set()).add(attempt)

    def idle_values(self) -> set[str]:
        """Values that make no difference to none."""
        return {text for text, among in self.tasks.items() if len(among) >= MIN_TASKS}

    def are_idle_words(self) -> bool:
        """Whether any value makes no difference: words that agents choose themselves."""
        if not _are_words(self.values):
            return False
        every = set[int]().union(*self.tasks.values())
        second = (sorted(map(len, by_value.values()))[-2] for by_value in self.worded.values())
        return len(every) >= MIN_LEFT_OUT or sum(second) >= MIN_WORDED


def _are_words(values: Iterable[Json]) -> bool:
    return all(isinstance(value, str) and not _FIGURE.search(value) for value in values)


def _changes(recorded: EpisodeAttempt, kinds: ToolKinds) -> list[Call]:
    changing = {*kinds.tools_of(WRITE), *kinds.tools_of(MAYBE)}
    return [c for c in recorded.attempt.calls if c.name in changing and not c.result.is_error]


def _texts_beside_equal_arguments(
    group: Sequence[EpisodeAttempt], kinds: ToolKinds
) -> Iterator[tuple[tuple[str, str], list[tuple[str, bool]]]]:
    """By tool and argument the texts that several attempts gave where all else in the call was equal, and whether a user said them."""
    found: dict[tuple[str, str, str], dict[int, tuple[str, bool]]] = defaultdict(dict)
    for number, one in enumerate(group):
        said = _user_words(one)
        for call in _changes(one, kinds):
            for name, value in call.arguments.items():
                if isinstance(value, str) and value.strip():
                    rest = canonical_arguments(call.arguments, [name])
                    text = value.strip().casefold()
                    found[call.name, name, rest][number] = text, text in said
    for (tool, name, _), given in found.items():
        if len(given) > 1:
            yield (tool, name), list(given.values())


def _values_left_out(
    left: Sequence[Call], right: Sequence[Call], kinds: ToolKinds
) -> Iterator[tuple[str, str, list[Json]]]:
    """The one argument that some calls of either attempt have and the other's leave out, with its values."""
    if len(left) != len(right) or _rows(left, kinds) == _rows(right, kinds):
        return
    optional = {(c.name, n) for c in left for n in c.arguments} ^ {
        (c.name, n) for c in right for n in c.arguments
    }
    for tool, name in sorted(optional):
        if _rows(left, kinds, (tool, name)) == _rows(right, kinds, (tool, name)):
            calls = [call for call in (*left, *right) if call.name == tool]
            yield tool, name, [c.arguments[name] for c in calls if name in c.arguments]


def _differing_values(
    left: Sequence[Call], right: Sequence[Call], kinds: ToolKinds
) -> Iterator[tuple[str, str, dict[int, Json]]]:
    """The one argument to which both give another value, with the values by attempt."""
    if len(left) != len(right):
        return
    differ = _rows(left, kinds) - _rows(right, kinds)
    for tool in sorted({tool for tool, _ in differ}):
        mine, other = (
            {c.name: c.arguments for c in calls}.get(tool, {}) for calls in (left, right)
        )
        for name in sorted(mine.keys() & other.keys()):
            # Of several calls of a tool these are the last: an earlier one may be what differs.
            if mine[name] != other[name] and _rows(left, kinds, (tool, name)) == _rows(
                right, kinds, (tool, name)
            ):
                yield tool, name, {id(left): mine[name], id(right): other[name]}


def _user_words(recorded: EpisodeAttempt) -> str:
    return " ".join(
        (s.content or "").casefold() for s in recorded.episode.steps if s.role == "user"
    )


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

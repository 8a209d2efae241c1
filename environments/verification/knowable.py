"""Whether a policy that sees only what policies see can know every value that a run's calls were made with.

In: a task, a run of it, and how the app's other tasks give each argument (`Habits`). Out: the values that nothing tells, each with
its tool and path. A value is told by the opening, the tool definitions, the user (before, or when asked) and results of earlier calls; a
constant of the app is known without being told. Not here: what counts as told (`readable_values`), whether a value matters (`solvable`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from environments.runtime.checks.view import text_of
from environments.runtime.task.attempt import UNKNOWN, Attempt, Call, Json
from environments.runtime.task.task import Task
from environments.runtime.task.tool_definition import (
    choices_of,
    function_of,
    name_of,
    properties_of,
)
from environments.runtime.values.literals import parse_json
from environments.runtime.values.normal import as_list, stable
from environments.verification.readable_values import SMALL, VisibleTexts, fold, leaves_of

MOST_GIVE: Final = 0.5
"""A value that so large a share of the tasks with this argument gives is a constant of the app."""
LEAST_TASKS: Final = 3
"""Tasks that show a constant, or how an argument is given."""
COPIED: Final = 0.95
"""An argument is copied where so large a share of its values stands in what was shown."""
COPIED_TASKS: Final = 10
ANY_TOOL: Final = ""
MOST_LISTED: Final = 5
"""Values of one field in the answer to a look that was not taken: among more nobody knows which is meant."""
LONGEST_ANSWER: Final = 2_000
"""Characters of such an answer that is no JSON."""
MOST_ITEMS: Final = 200
"""Values of one call that are looked at."""

Path = tuple[str, ...]
"""Argument, then names of fields; `*` stands for any element of a list."""
Place = tuple[str, Path]
"""A tool and a path in its arguments."""
Granted = tuple[Place | None, str]
"""A value (folded) at a place, or at all."""
Given = tuple[Place, str, bool]
"""A value (folded) that a good run gives at a place, and whether it stood in what was shown."""
Asked = tuple[Place, Json, bool]
"""Whether a value is the constant of a place (None: whether the place is copied), and what was answered."""


@dataclass(frozen=True, slots=True)
class Untold:
    """One value of a run that nothing tells."""

    call: int
    """Which of the run's calls."""
    tool: str
    path: Path
    value: Json

    @property
    def tool_and_path(self) -> str:
        """The tool and the path, as reasons name them."""
        return ".".join((self.tool, *self.path))

    @property
    def grant_at_place(self) -> Granted:
        """The value at its place, to grant it."""
        return (self.tool, self.path), _text(self.value)

    @property
    def grant_anywhere(self) -> Granted:
        """The value wherever it is given."""
        return None, _text(self.value)


@dataclass(frozen=True, slots=True)
class OtherRuns:
    """Other runs of a task: what a policy could have found out besides."""

    attempts: tuple[Attempt, ...] = ()
    """Recorded ones: what their calls were answered counts, where a policy could have made these calls."""
    looks: tuple[Attempt, ...] = ()
    """Calls that nobody made: each of their values must stand in what was shown, for nobody looks up what no text names."""


@dataclass(slots=True)
class ToldCounts:
    """How many values were given, and how many of them stood in what was shown."""

    values: int = 0
    stood: int = 0

    def add(self, *, stands: bool) -> None:
        """Count one more."""
        self.values += 1
        self.stood += stands


@dataclass
class Habits:
    """How the tasks of an app give each argument."""

    given: dict[Place, dict[str, set[str]]] = field(default_factory=lambda: defaultdict(dict))
    """Per place and value (folded), the tasks that give it."""
    tasks: dict[Place, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Per place, the tasks that give it a value."""
    told: dict[Place, dict[str, ToldCounts]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(ToldCounts))
    )
    """Per place and task, how many values stood in what was shown; under the tool `""` for all tools together."""
    told_in_all: dict[Place, ToldCounts] = field(default_factory=lambda: defaultdict(ToldCounts))
    """The same for all tasks together: what each question is about is then no longer than its task."""

    asked: list[Asked] | None = None
    """Where what is asked of one task is noted; None: nobody wants to know."""

    def add(self, task_id: str, given: Iterable[Given]) -> None:
        """Take in what the good run of one task gave."""
        for place, text, stands in given:
            self.given[place].setdefault(text, set()).add(task_id)
            self.tasks[place].add(task_id)
            for named in (place, (ANY_TOOL, place[1])):
                self.told[named][task_id].add(stands=stands)
                self.told_in_all[named].add(stands=stands)

    def is_constant(self, place: Place, value: Json, task_id: str) -> bool:
        """Whether most of the other tasks with this argument give the value too."""
        found = self._is_constant(place, value, task_id)
        if self.asked is not None:
            self.asked.append((place, value, found))
        return found

    def is_copied(self, place: Place, task_id: str) -> bool:
        """Whether the values of an argument are nearly always taken from what was shown.

        Where few tasks call the tool, what all tools are given under this name tells.
        """
        found = self._is_copied(place, task_id)
        if self.asked is not None:
            self.asked.append((place, None, found))
        return found

    def would_say(self, asked: Iterable[Asked], task_id: str) -> bool:
        """Whether everything that was asked of a task would be answered alike."""
        return all(
            answer
            == (
                self._is_copied(place, task_id)
                if value is None
                else self._is_constant(place, value, task_id)
            )
            for place, value, answer in asked
        )

    def _is_constant(self, place: Place, value: Json, task_id: str) -> bool:
        giving = self.given.get(place, {}).get(_text(value), set())
        every = self.tasks.get(place, set())
        others = len(giving) - (task_id in giving)
        return others >= LEAST_TASKS and others >= MOST_GIVE * (len(every) - (task_id in every))

    def _is_copied(self, place: Place, task_id: str) -> bool:
        for named in (place, (ANY_TOOL, place[1])):
            tasks = self.told.get(named, {})
            if len(tasks) - (task_id in tasks) >= COPIED_TASKS:
                every, mine = self.told_in_all[named], tasks.get(task_id, ToldCounts())
                return every.stood - mine.stood >= COPIED * (every.values - mine.values)
        return False


def given_in(task: Task, run: Attempt) -> list[Given]:
    """What the good run of a task gives each argument, in order."""
    found: list[Given] = []
    beginning = _beginning(task, run)
    for shown, _, call, _ in _reading(task, run, beginning, lambda _call, _shown: []):
        for path, value in values_of(call.arguments):
            if not (isinstance(value, bool) or value is None):
                text = _text(value)
                found.append(((call.name, path), text, shown.has(text)))
    return found


def untold_values(  # noqa: PLR0913 - all that a policy may know
    task: Task,
    run: Attempt,
    habits: Habits,
    *,
    beside: OtherRuns | None = None,
    granted: Collection[Granted] = (),
    own_words: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> tuple[Untold, ...]:
    """The values of the run's calls that nothing tells, in order.

    What `beside` was answered is shown as well.
    `granted` are values (`Untold.grant_at_place`, `Untold.grant_anywhere`) that are not asked about, `own_words` per tool the
    arguments that are the policy's own words.
    """
    judge = _Judge(task, habits, frozenset(granted), own_words)
    known = _beginning(task, run)
    beside = beside or OtherRuns()
    for other in beside.attempts:
        known += [
            call.result.content
            for _, _, call, untold in _reading(task, other, known, judge.untold)
            if call.result.source != UNKNOWN and not untold
        ]
    for other in beside.looks:
        known += [
            call.result.content
            for _, _, call, unnamed in _reading(task, other, known, judge.unnamed)
            if call.result.source != UNKNOWN and not unnamed and _is_specific(call.result.content)
        ]
    return tuple(
        Untold(number, call.name, path, value)
        for _, number, call, untold in _reading(task, run, known, judge.untold)
        for path, value in untold
    )


def _reading(
    task: Task,
    run: Attempt,
    also: Sequence[str],
    lacks: Callable[[Call, VisibleTexts], list[tuple[Path, Json]]],
) -> Iterator[tuple[VisibleTexts, int, Call, list[tuple[Path, Json]]]]:
    """The policy's calls of a run in order: what was shown before each, and which of its values it lacks.

    What a call is answered that could not have been made shows nothing. Refused calls are left out, and their answers read: nobody needs
    the values of those.
    """
    shown = VisibleTexts(now=task.started_at)
    for text in also:
        shown.read(text)
    read, answers = run.opening, list[tuple[int, str]]()
    for number, call in enumerate(run.calls):
        if call.by_user:
            continue
        while read < call.message:
            if run.messages[read].get("role") == "user":
                shown.read(text_of(run.messages[read]))
            read += 1
        while answers and answers[0][0] < call.message:
            shown.read(answers.pop(0)[1])
        refused = call.malformed or call.result.is_error
        untold = [] if refused else lacks(call, shown)
        if not refused:
            yield shown, number, call, untold
        if not untold:
            answers.append((call.message, call.result.content))


def _is_specific(content: str) -> bool:
    """Whether an answer is about few things: a list of everything does not tell which of it is meant."""
    parsed = parse_json(content)
    if parsed is None:
        return len(content) <= LONGEST_ANSWER
    listed: dict[Path, set[str]] = defaultdict(set)
    for path, leaf in leaves_of({"": parsed.value}):
        listed[path].add(_text(leaf))
    return all(len(values) <= MOST_LISTED for values in listed.values())


def values_of(arguments: Mapping[str, Json]) -> list[tuple[Path, Json]]:
    """Every scalar of a call's arguments with its path."""
    return leaves_of(dict(arguments))[:MOST_ITEMS]


def _beginning(task: Task, run: Attempt) -> list[str]:
    """What a policy knows or can ask for at any time: the opening, the tools, and what the user says."""
    texts = [text_of(message) for message in run.messages[: run.opening]]
    texts += [turn.text for turn in task.user]
    texts += [json.dumps(dict(tool), ensure_ascii=False) for tool in task.tools]
    return texts


class _Judge:
    """Judges the values of one task's calls."""

    def __init__(
        self,
        task: Task,
        habits: Habits,
        granted: Collection[Granted],
        own_words: Mapping[str, Collection[str]],
    ) -> None:
        self._task = task
        self._habits = habits
        self._granted = granted
        self._own_words = own_words
        functions = map(function_of, task.tools)
        self._schemas = {name_of(one): properties_of(one) for one in functions if one}

    def untold(self, call: Call, shown: VisibleTexts) -> list[tuple[Path, Json]]:
        """The values of one call that nothing tells."""
        found = []
        injected = self._task.injected.get(call.name, {})
        for path, value in self._values_asked(call):
            place = call.name, path
            if path[0] in injected and call.arguments[path[0]] == injected[path[0]]:
                continue
            text = _text(value)
            if (place, text) in self._granted or (None, text) in self._granted:
                continue
            if self._knows(place, value, shown):
                continue
            found.append((path, value))
        return found

    def _values_asked(self, call: Call) -> list[tuple[Path, Json]]:
        own = self._own_words.get(call.name, ())
        return [(path, value) for path, value in values_of(call.arguments) if path[0] not in own]

    def unnamed(self, call: Call, shown: VisibleTexts) -> list[tuple[Path, Json]]:
        """The values of one look that stand in nothing that was shown, and are none of the schema's."""
        return [
            (path, value)
            for path, value in self._values_asked(call)
            if not (
                isinstance(value, bool)
                or value is None
                or self._is_choice((call.name, path), value)
                or shown.has(_text(value))
            )
        ]

    def _knows(self, place: Place, value: Json, shown: VisibleTexts) -> bool:
        if isinstance(value, bool) or value is None or self._is_choice(place, value):
            return True
        task_id = self._task.task_id
        if shown.tells(value) and not self._needs_copy(place, value, shown):
            return True
        return self._habits.is_constant(place, value, task_id)

    def _needs_copy(self, place: Place, value: Json, shown: VisibleTexts) -> bool:
        """One word or id, unlike any that was shown, where the app's other tasks copy what was shown."""
        if isinstance(value, int) and value <= SMALL:
            return False
        if (
            not isinstance(value, str | int)
            or shown.has(str(value))
            or len(str(value).split()) != 1
        ):
            return False
        return self._habits.is_copied(place, self._task.task_id)

    def _is_choice(self, place: Place, value: Json) -> bool:
        tool, path = place
        schema = self._schemas.get(tool, {}).get(path[0])
        return value in _choices_at(schema, path[1:])


def _choices_at(schema: Json, path: Path) -> list[Json]:
    """The values that a schema lists for what stands at a path below it, and its default and examples."""
    at = schema
    for name in path:
        inner = at.get("items" if name == "*" else "properties") if isinstance(at, dict) else None
        at = inner if name == "*" else inner.get(name) if isinstance(inner, dict) else None
    if not isinstance(at, dict):
        return []
    listed = as_list(at.get("examples"))
    return [*choices_of(at), *listed, *(at[n] for n in ("default", "example") if n in at)]


def _text(value: Json) -> str:
    return fold(value) if isinstance(value, str) else stable(value)

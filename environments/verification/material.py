"""What attacks are made of: the candidate's calls, facts and texts, and the app's other solutions.

In: a candidate, its good attempt, other candidates. Out: calls by kind, numbers a policy could read, texts. Not here:
the attacks (`attacks`, `mutants`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from environments.runtime.checks.final_answer import words_compared
from environments.runtime.checks.view import NUMBER, text_of
from environments.runtime.play.message import requests_of
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.task import Task
from environments.runtime.task.tool_definition import function_of, name_of, properties_of
from environments.runtime.values.json_text import json_or_none
from environments.runtime.values.normal import as_list, as_object, stable
from environments.runtime.views.multiplexed import Dispatched
from environments.verification.knowable import Given, Habits, given_in


@dataclass(frozen=True)
class PlannedCall:
    """One call inside a solution."""

    action: int
    position: int
    name: str
    arguments: str

    @property
    def parsed(self) -> dict[str, Json]:
        """The arguments as an object; empty where they are none."""
        value = json_or_none(self.arguments)
        return value if isinstance(value, dict) else {}

    @cached_property
    def key(self) -> tuple[str, str]:
        """What the call is, however its arguments are ordered and spaced."""
        return self.name, stable(self.parsed) if self.parsed else self.arguments


@dataclass(frozen=True)
class OtherTask:
    """Another task of the app, as far as attacks draw from it."""

    task_id: str
    rubric: Rubric
    solution: tuple[Action, ...]
    """Its calls name parts of tools that are several."""

    @cached_property
    def planned(self) -> tuple[PlannedCall, ...]:
        """The solution's calls."""
        return planned_calls(self.solution)


MOST_OTHERS: Final = 400
"""Tasks that attacks on one task draw from; of more, those that were recorded before it, so that new ones change nothing."""


CONSTRUCTED: Final = "constructed"
"""Where a solution was put together from alike requests (`Task.provenance`)."""


class OtherTasks:
    """All candidates of an app, read once for every one of them that is attacked.

    In order of time they make blocks of `MOST_OTHERS`: each task draws from the block before its own, those of the first from their own.
    Where there are several, only solutions that somebody recorded are drawn from.
    `given` is what is known already of how tasks give their arguments, by task id.
    """

    def __init__(
        self,
        candidates: Iterable[Candidate],
        *,
        given: Mapping[str, Sequence[Given]] | None = None,
    ) -> None:
        self._candidates = tuple(candidates)
        self.given: dict[str, Sequence[Given]] = dict(given or {})
        """How each task gives its arguments, as far as it was looked at."""
        by_time = sorted(self._candidates, key=lambda one: (one.task.started_at, one.task.task_id))
        self._block = {one.task.task_id: n // MOST_OTHERS for n, one in enumerate(by_time)}
        count = len(by_time) // MOST_OTHERS + 1
        self._blocks: list[list[Candidate]] = [[] for _ in range(count)]
        for one in self._candidates:
            if count == 1 or _is_recorded(one):
                self._blocks[self._block[one.task.task_id]].append(one)
        self._read: dict[int, tuple[Mapping[str, Json], tuple[OtherTask, ...]]] = {}
        self._habits: Habits | None = None

    def others_for(self, candidate: Candidate, dispatched: Dispatched) -> list[OtherTask]:
        """The others that attacks on one candidate draw from, their calls by what that candidate's tools mean."""
        rules, block = candidate.task.dispatched, self._block_for(candidate)
        read = self._read.get(block)
        if read is None or read[0] != rules:
            drawn = tuple(_read_other(one, dispatched) for one in self._blocks[block])
            read = self._read[block] = rules, drawn
        pairs = zip(self._blocks[block], read[1], strict=True)
        return [other for one, other in pairs if one is not candidate]

    def drawn_for(self, candidate: Candidate) -> list[Candidate]:
        """The candidates that attacks on one draw from."""
        return [one for one in self._blocks[self._block_for(candidate)] if one is not candidate]

    def _block_for(self, candidate: Candidate) -> int:
        return max(0, self._block.get(candidate.task.task_id, len(self._blocks) - 1) - 1)

    @cached_property
    def changing(self) -> frozenset[str]:
        """Tools that write or may write, as any rubric of the app says."""
        return changing_in(one.rubric for one in self._candidates)

    def habits(self, run: Callable[[Task, Sequence[Action]], Attempt]) -> Habits:
        """How the solutions of all candidates give each argument; `run` makes an attempt of a task's actions."""
        if self._habits is None:
            self._habits = Habits()
            for one in self._candidates:
                name = one.task.task_id
                if one.solution and name not in self.given:
                    self.given[name] = given_in(one.task, run(one.task, one.solution))
                self._habits.add(name, self.given.get(name, ()) if one.solution else ())
        return self._habits


def _is_recorded(one: Candidate) -> bool:
    """Whether somebody solved it so, or said what solves it: what is put together from alike requests changes with them."""
    return bool(one.solution) and one.task.provenance.get("solution") != CONSTRUCTED


def _read_other(one: Candidate, dispatched: Dispatched) -> OtherTask:
    solution = tuple(map(dispatched.as_meant, one.solution))
    return OtherTask(one.task.task_id, one.rubric, solution)


def _end_args(rubric: Rubric) -> Mapping[str, Json]:
    return next((c.args for c in rubric.checks if c.fn == "end_state"), {})


@dataclass
class Material:
    """Everything attacks on one candidate draw from."""

    candidate: Candidate
    good: Attempt
    others: Sequence[OtherTask]
    changing_elsewhere: frozenset[str] | None = None
    """Tools that write or may write, as the rubrics of all other tasks say; None: as those of `others` do."""

    @cached_property
    def end_args(self) -> Mapping[str, Json]:
        """The arguments of the end-state check; empty where there is none."""
        return _end_args(self.candidate.rubric)

    @cached_property
    def changing(self) -> frozenset[str]:
        """Tools that write or may write, as any rubric of the app says: an edited rubric may say nothing."""
        elsewhere = self.changing_elsewhere
        if elsewhere is None:
            elsewhere = changing_in(other.rubric for other in self.others)
        return changing_in([self.candidate.rubric]) | elsewhere

    @cached_property
    def free_text(self) -> Mapping[str, tuple[str, ...]]:
        """Per tool, the arguments that are the policy's own words: no rubric compares them. A task without an end has those of the app's others."""
        ends = (self.end_args, *(_end_args(other.rubric) for other in self.others))
        found = next((known for end in ends if (known := end.get("ignore"))), None)
        return {n: tuple(map(str, as_list(names))) for n, names in as_object(found).items()}

    @cached_property
    def planned(self) -> tuple[PlannedCall, ...]:
        """The solution's calls."""
        return planned_calls(self.candidate.solution)

    @cached_property
    def refused_calls(self) -> frozenset[int]:
        """Indexes of planned calls that the re-run refused: they change nothing, so dropping them is no attack."""
        made = (c for c in self.good.calls if not c.by_user)
        refused = (i for i, c in enumerate(made) if c.result.is_error)
        return frozenset(refused)

    @cached_property
    def writes(self) -> tuple[PlannedCall, ...]:
        """The solution's calls that changed something."""
        return tuple(
            c
            for i, c in enumerate(self.planned)
            if c.name in self.changing and i not in self.refused_calls
        )

    @cached_property
    def reads(self) -> tuple[PlannedCall, ...]:
        """The solution's calls that change nothing and end nothing."""
        left_out = self.changing | set(self.candidate.task.last_tools)
        return tuple(c for c in self.planned if c.name not in left_out)

    @cached_property
    def foreign(self) -> tuple[PlannedCall, ...]:
        """Calls of other tasks' solutions that this one does not make."""
        own = {c.key for c in self.planned}
        found: dict[tuple[str, str], PlannedCall] = {}
        for other in self.others:
            for call in other.planned:
                if call.key not in own:
                    found.setdefault(call.key, call)
        return tuple(found.values())

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The reference answers; empty where no final answer is asked for."""
        return answers_in(self.candidate.rubric)

    @cached_property
    def other_answers(self) -> tuple[str, ...]:
        """The first reference answer of each other task, those that are right here left out."""
        own = {words_compared(answer) for answer in self.answers}
        found = (answers_in(other.rubric)[:1] for other in self.others)
        return tuple(
            dict.fromkeys(a for some in found for a in some if words_compared(a) not in own)
        )

    @cached_property
    def readable_numbers(self) -> tuple[str, ...]:
        """Every number in what the good attempt's tools answered and it said, as text, in order."""
        texts = [_spaced(call.result.content) for call in self.good.calls]
        # An answer is no list of facts; in a message a comma groups digits (`1,620.30`).
        if not self.answers:
            texts += [text_of(m) for m in self.good.messages if m.get("role") == "assistant"]
        numbers = (found[1] for text in texts for found in NUMBER.finditer(text))
        return tuple({number.replace(",", ""): None for number in numbers})

    @cached_property
    def readable_words(self) -> tuple[str, ...]:
        """Every word with a digit in what the good attempt's tools answered."""
        words = " ".join(_spaced(call.result.content) for call in self.good.calls).split()
        return tuple(dict.fromkeys(w for w in words if any(c.isdigit() for c in w)))

    @cached_property
    def definitions(self) -> Mapping[str, Mapping[str, Json]]:
        """The task's tools by name."""
        found: dict[str, Mapping[str, Json]] = {}
        for tool in self.candidate.task.tools:
            function = function_of(tool)
            if function:
                found[name_of(function)] = function
        return found

    @cached_property
    def tool_names(self) -> list[str]:
        """Names of the task's tools, sorted."""
        return sorted(self.definitions)

    def properties(self, name: str) -> Mapping[str, Json]:
        """A tool's parameters with their schemas."""
        return properties_of(self.definitions.get(name, {}))

    def parameters(self, name: str) -> list[str]:
        """The names of a tool's parameters, sorted."""
        return sorted(self.properties(name))

    @cached_property
    def opening_text(self) -> str:
        """All texts of the opening."""
        return "\n".join(text_of(message) for message in self.candidate.task.opening)


def answers_in(rubric: Rubric) -> tuple[str, ...]:
    """The reference answers that a rubric's check on the final answer names."""
    rows = [r for c in rubric.checks if c.fn == "answered" for r in as_list(c.args.get("answers"))]
    named = (row.get("value") if isinstance(row, dict) else row for row in rows)
    return tuple(str(one) for one in named if one is not None)


def changing_in(rubrics: Iterable[Rubric]) -> frozenset[str]:
    """Tools that write or may write, as some rubrics say."""
    ends = (check.args for r in rubrics for check in r.checks if check.fn == "end_state")
    named = (n for args in ends for p in ("writes", "maybe") for n in as_list(args.get(p)))
    return frozenset(map(str, named))


def by_meaning(candidate: Candidate, dispatched: Dispatched) -> Candidate:
    """The candidate with the parts of tools that are several as its tools: what attacks have to know of them."""
    if not dispatched:
        return candidate
    functions = dispatched.definitions(candidate.task.tools).values()
    tools: tuple[Mapping[str, Json], ...] = tuple(
        {"type": "function", "function": dict(one)} for one in functions
    )
    attempts = tuple(
        replace(one, actions=tuple(map(dispatched.as_meant, one.actions)))
        for one in candidate.attempts
    )
    return replace(
        candidate,
        task=replace(candidate.task, tools=tools),
        solution=tuple(map(dispatched.as_meant, candidate.solution)),
        attempts=attempts,
    )


def planned_calls(actions: Iterable[Action]) -> tuple[PlannedCall, ...]:
    """All calls of some actions, in order."""
    found: list[PlannedCall] = []
    for index, action in enumerate(actions):
        for position, request in enumerate(requests_of(action, first=0)):
            found.append(PlannedCall(index, position, request.name, request.text))
    return tuple(found)


def _spaced(text: str) -> str:
    """JSON punctuation as spaces, so that numbers stand alone."""
    return "".join(" " if char in '"{}[](),:;=' else char for char in text.replace(",", " "))

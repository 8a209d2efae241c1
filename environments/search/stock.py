"""What mutations are made of: the honest attempt of one task, and what other tasks of the set say and call.

In: a task set and a task's id. Out: honest actions, others' words and calls, and the oracle of the task. Not here: the mutations
(`operators`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action
from environments.runtime.task.task_set import PackedTask, TaskSet
from environments.runtime.values.grouping import by_key
from environments.search.oracle import Oracle, Terms, texts_of
from environments.verification.cheats import in_the_language_of
from environments.verification.material import PlannedCall, planned_calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """What attempts at one task are made of."""

    honest: tuple[Action, ...]
    results: tuple[str, ...]
    """What tools answered in the honest attempt."""
    unsure: str
    """That one is not sure, in the language of the opening."""
    words: tuple[tuple[str, ...], ...]
    """What the solutions of other tasks say, a row each."""
    calls: Mapping[str, tuple[PlannedCall, ...]]
    """Calls of other tasks' solutions, by tool."""
    ending: frozenset[str]
    """Tools that end the conversation."""


def stock_of(task_set: TaskSet, task: PackedTask, honest: Attempt) -> Stock:
    """The stock of a task; `honest` is the attempt that its solution makes."""
    others = [task_set.solution(one.task_id) for one in _same_app(task_set, task)]
    own = {call.key for call in planned_calls(task_set.solution(task.task_id))}
    by_tool = by_key(
        (call.name, call)
        for solution in others
        for call in planned_calls(solution)
        if call.key not in own
    )
    opening = " ".join(str(m.get("content") or "") for m in task.opening if m["role"] == "user")
    return Stock(
        honest=task_set.solution(task.task_id),
        results=tuple(c.result.content for c in honest.calls if not c.by_user),
        unsure=in_the_language_of(opening),
        words=tuple(row for solution in others if (row := tuple(texts_of(solution)))),
        calls={tool: tuple(found) for tool, found in sorted(by_tool.items())},
        ending=frozenset(task.last_tools),
    )


def oracle_of(task_set: TaskSet, task: PackedTask, honest: Attempt) -> Oracle:
    """The oracle of a task: its solution and its recorded attempts with a good outcome are good."""
    recorded = [a.actions for a in task_set.attempts(task.task_id) if a.resolved]
    world = task_set.world(task.task_id)
    others = _same_app(task_set, task)
    return Oracle(
        [honest, *(run_actions(task, world, actions) for actions in recorded)],
        Terms.from_rubric(
            task_set.rubric(task.task_id), (task_set.rubric(one.task_id) for one in others)
        ),
        foreign=foreign_words(task_set.solution(one.task_id) for one in others),
        known=known_in(task.tools),
    )


def foreign_words(solutions: Iterable[Sequence[Action]]) -> tuple[str, ...]:
    """What other tasks' solutions say."""
    return tuple(text for solution in solutions for text in texts_of(solution))


def known_in(tools: Iterable[Mapping[str, Json]]) -> str:
    """What a policy may say because its tools' definitions do."""
    return json.dumps(list(map(dict, tools)), ensure_ascii=False)


def _same_app(task_set: TaskSet, task: PackedTask) -> list[PackedTask]:
    return [o for o in task_set.tasks if o.task_id != task.task_id and o.app == task.app]

"""What agents really did at a task, run again in its world: conversations with a reward, for `sft` and `dpo`.

In: an opened task set. Out: good and bad conversations per task. A conversation is what the environment gives back for the
recorded actions, so tool results and user turns are those of every rollout. Left out: attempts whose outcome is not
known, whose reward is null, whose outcome and reward disagree, in which the world did not know an answer, and good ones that
call with an id, address or number that this user never gave (the user of their own recording did).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.checks.ground import written_without_ground
from environments.runtime.checks.view import View
from environments.runtime.play.environment import run_actions
from environments.runtime.play.play import outward
from environments.runtime.play.tool_names import ToolNames
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import RecordedAttempt
from environments.runtime.task.task import Task
from environments.runtime.task.task_set import TaskSet
from environments.runtime.values.canonical import canonical
from environments.runtime.values.facts import EMAIL, ID, NUMBER, Fact

GIVEN: Final = frozenset({EMAIL, ID, NUMBER})
"""Kinds of facts that come from somebody; a date may be worked out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """One conversation with what it is worth."""

    episode_id: str
    """Of the recorded attempt; empty for a solution that no single episode holds."""
    messages: tuple[dict[str, Json], ...]
    opening: int
    """How many of the messages stood there before the policy acted."""
    reward: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChats:
    """All usable conversations of one task."""

    task: Task
    task_version: str
    tools: tuple[dict[str, Json], ...]
    resolved: tuple[Chat, ...]
    unresolved: tuple[Chat, ...]


def chats_of(task_set: TaskSet) -> Iterator[TaskChats]:
    """Every task with its conversations, in the order of the task set."""
    for task in task_set.tasks:
        names = ToolNames(task.tools)
        recorded = task_set.attempts(task.task_id)
        good = [*_solution(task_set, task.task_id), *(a for a in recorded if a.resolved)]
        bad = [attempt for attempt in recorded if attempt.resolved is False]
        yield TaskChats(
            task=task,
            task_version=task.task_version,
            tools=names.tools,
            resolved=_distinct(task_set, task, good, names, full=True),
            unresolved=_distinct(task_set, task, bad, names, full=False),
        )


def _solution(task_set: TaskSet, task_id: str) -> list[RecordedAttempt]:
    """The solution under the id of the episode that it was, where it was one."""
    actions = task_set.solution(task_id)
    if not actions:
        return []
    text = canonical(list(actions))
    same = (a for a in task_set.attempts(task_id) if canonical(list(a.actions)) == text)
    found = next(same, None)
    episode = found.episode_id if found is not None else ""
    return [RecordedAttempt(episode_id=episode, actions=actions, resolved=True)]


def _distinct(
    task_set: TaskSet,
    task: Task,
    attempts: Sequence[RecordedAttempt],
    names: ToolNames,
    *,
    full: bool,
) -> tuple[Chat, ...]:
    """The conversations of attempts that earn everything (or less than that), each once."""
    chats: dict[str, Chat] = {}
    own: set[Fact] | None = None
    for attempt in attempts:
        done = run_actions(task, task_set.world(task.task_id), attempt.actions)
        reward = task_set.verdict(task.task_id, done).reward
        if reward is None or (reward == 1) is not full or _off_the_map(done):
            continue
        if full:
            # The first is the solution: what an agent made up there before this user, others may; a built one may nothing.
            guessed = _guessed(done)
            own = own if own is not None else guessed if attempt.episode_id else set()
            if not guessed <= own:
                continue
        # Templates print a missing content as the word None.
        messages = tuple({"content": "", **outward(m, names)} for m in done.messages)
        chat = Chat(
            episode_id=attempt.episode_id,
            messages=messages,
            opening=done.opening,
            reward=reward,
        )
        chats.setdefault(canonical(list(messages)), chat)
    return tuple(chats.values())


def _guessed(attempt: Attempt) -> set[Fact]:
    """What calls were made with that nothing had shown before."""
    view = View(attempt=attempt)
    return {
        fact
        for call in attempt.calls
        if not call.by_user
        for fact in written_without_ground(view, json.dumps(call.arguments), until=call.message)
        if fact.kind in GIVEN
    }


def _off_the_map(attempt: Attempt) -> bool:
    """A notice that nobody knows the answer is nothing to learn from."""
    return attempt.user_unknown > 0 or attempt.unknown_answers > 0

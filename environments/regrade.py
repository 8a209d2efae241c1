"""Grade stored runs again, with the rubrics of a task set as it is now.

In: runs as they were stored (whole conversations) and a task set. Out: for each run its new verdict, which names the
rubric's hash, and whether the re-run was the same run: where the task or its world changed, the stored actions may
meet other answers, and the verdict is then about another run. Not here: where runs and verdicts are stored.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from environments.judges.question import Question, questions_of, that_decide
from environments.runtime.play.environment import run_actions
from environments.runtime.play.message import text_of
from environments.runtime.play.user import RecordedUser, User
from environments.runtime.sessions.simulated_session import SimulatedWorld
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.task_set import TaskSet
from environments.runtime.task.verdict import Verdict
from environments.runtime.values.json_text import json_or_none
from environments.runtime.world.world import World
from environments.verification.judge_checks import asks_a_judge

Message = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """One rollout as it was stored, with the verdict it had."""

    rollout_id: str
    app: str
    task_id: str
    task_version: str
    policy: str
    seed: int
    trajectory: str
    """The whole conversation as JSON text; empty once it was graded again."""
    opening: int
    """How many of its messages were there before the policy acted."""
    reward: float | None
    predicted: float | None
    reason: str = ""
    simulator: str | None = None
    """The model that made up answers of tools, if one did."""
    user_model: str | None = None
    """The model that played the user, if one did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regraded:
    """One run with its verdict before and now."""

    run: StoredRun
    verdict: Verdict
    same_run: bool
    """Whether the re-run said, word for word, what was stored."""

    @property
    def change(self) -> str:
        """What became of the reward: `same`, `up`, `down`, `masked` (graded before) or `unmasked`."""
        before, now = self.run.reward, self.verdict.reward
        if before == now:
            return "same"
        if before is None or now is None:
            return "unmasked" if before is None else "masked"
        return "up" if now > before else "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Regrading:
    """Many runs graded again."""

    regraded: tuple[Regraded, ...]
    gone: int
    """Runs of tasks that the task set no longer has."""
    unreadable: int
    """Runs whose stored conversation is no list of messages."""


Simulated = Mapping[str, Mapping[str, Json]]
"""Recorded replies of simulating models, by model and key."""


def backend_of(world: World, run: StoredRun, simulated: Simulated) -> World | SimulatedWorld:
    """What answered a stored run's calls: its world, with the replies of the model that simulated tools in it."""
    if run.simulator is None or not world.simulates:
        return world
    return SimulatedWorld(world, simulated.get(run.simulator, {}))


def questions_of_runs(
    task_set: TaskSet, runs: Iterable[StoredRun], *, simulated: Simulated = MappingProxyType({})
) -> dict[str, list[Question]]:
    """What a judge must be asked before these runs can be graded, by app; nothing where no rubric has a judge check."""
    found: dict[str, list[Question]] = defaultdict(list)
    known = {task.task_id for task in task_set.tasks}
    for run in runs:
        if run.task_id not in known or not asks_a_judge(task_set.rubric(run.task_id)):
            continue
        messages = conversation(run.trajectory)
        if messages is not None:
            attempt = attempt_of(task_set, run, messages, simulated)
            rubric = that_decide(task_set.rubric(run.task_id), task_set.manifest.reward)
            found[run.app] += questions_of(rubric, attempt)
    return found


def regrade(
    task_set: TaskSet,
    runs: Iterable[StoredRun],
    *,
    recordings: Mapping[str, Json] | None = None,
    simulated: Simulated = MappingProxyType({}),
) -> Regrading:
    """Every run of a task that is in the set, graded again."""
    known = {task.task_id for task in task_set.tasks}
    found: list[Regraded] = []
    gone = unreadable = 0
    for run in runs:
        if run.task_id not in known:
            gone += 1
            continue
        messages = conversation(run.trajectory)
        if messages is None:
            unreadable += 1
            continue
        attempt = attempt_of(task_set, run, messages, simulated)
        found.append(_regrade_run(task_set, run, messages, attempt, recordings))
    return Regrading(regraded=tuple(found), gone=gone, unreadable=unreadable)


def _regrade_run(
    task_set: TaskSet,
    run: StoredRun,
    messages: Sequence[Message],
    attempt: Attempt,
    recordings: Mapping[str, Json] | None,
) -> Regraded:
    verdict = task_set.verdict(run.task_id, attempt, recordings=recordings)
    same = same_words(attempt.messages, messages)
    # Without its conversation: thousands of them do not fit into memory.
    return Regraded(run=replace(run, trajectory=""), verdict=verdict, same_run=same)


def attempt_of(
    task_set: TaskSet, run: StoredRun, messages: Sequence[Message], simulated: Simulated
) -> Attempt:
    """A stored run made again in the task set, from the messages of its conversation."""
    task = task_set.task(run.task_id)
    world = backend_of(task_set.world(run.task_id), run, simulated)
    actions = actions_of(messages, run.opening)
    return run_actions(task, world, actions, run.seed, user=user_of(run, messages))


def user_of(run: StoredRun, messages: Sequence[Message]) -> Callable[[], User] | None:
    """Who spoke in a stored run: None for the script, else the turns of the model as they stand there."""
    if run.user_model is None:
        return None
    turns = [text_of(m.get("content")) for m in messages[run.opening :] if m.get("role") == "user"]
    return lambda: RecordedUser(turns)


def conversation(text: str) -> list[dict[str, Any]] | None:
    """The messages of a stored conversation; None where it is not one."""
    messages = json_or_none(text)
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        return None
    return messages


def actions_of(messages: Sequence[Message], opening: int) -> list[Message]:
    """What the policy did: the assistant messages after the opening."""
    return [m for m in messages[opening:] if m.get("role") == "assistant"]


def same_words(one: Sequence[Message], other: Sequence[Message]) -> bool:
    """Whether two conversations say the same, role by role; ids of calls are names and do not count."""
    return _words(one) == _words(other)


def _words(messages: Sequence[Message]) -> list[tuple[object, object, str]]:
    rows: list[tuple[object, object, str]] = []
    for message in messages:
        calls = message.get("tool_calls")
        asked = (
            [c.get("function") for c in calls if isinstance(c, dict)]
            if isinstance(calls, list)
            else []
        )
        rows.append(
            (message.get("role"), message.get("content") or "", json.dumps(asked, sort_keys=True))
        )
    while rows and rows[-1][0] != "assistant":
        # What came back after the last action shows no more of the policy.
        rows.pop()
    return rows

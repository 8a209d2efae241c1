"""The task of a group of attempts: its id, its opening and user, its tools and limits, and where it comes from.

In: a group, the attempt that the task shows, where it begins. Out: a `Task`. Not here: its rubric and solution (`synth.tasks`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.checks.view import text_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.task import Limits, Task, UserTurn
from environments.runtime.task.tool_definition import definition_of, function_of, name_of
from environments.runtime.values.canonical import digest
from synth.attempts.grouping import Group
from synth.attempts.starts import Start
from synth.attempts.user_turns import turns_of_other_recordings, user_turns
from synth.inferred_tools import tools_from_calls
from synth.recordings.attempt import EpisodeAttempt
from synth.recordings.tool_kinds import ToolKinds

ID_LENGTH: Final = 32


MIN_MESSAGES: Final = 30


MIN_CALLS: Final = 40


def task_id_of(app: str, *, task_key: str | None, anchor: str) -> str:
    """The task's identity: over app and task key, else over app and anchor episode."""
    named: list[Json] = ["key", app, task_key] if task_key is not None else ["episode", app, anchor]
    return digest(named)[:ID_LENGTH]


def id_of(group: Group) -> str:
    """The identity of a group's task."""
    anchor = group.anchor.episode
    return task_id_of(anchor.app, task_key=group.task_key, anchor=anchor.episode_id)


def task_of(
    task_id: str,
    group: Group,
    shown: EpisodeAttempt,
    *,
    kinds: ToolKinds,
    start: Start | None,
) -> Task:
    """The task of a group as one of its attempts shows it."""
    episode = shown.episode
    longest = max(len(r.actions) for r in group.records)
    most = max(len(r.attempt.calls) for r in group.records)
    offered = tools_of(group)
    return Task(
        task_id=task_id,
        app=episode.app,
        opening=shown.attempt.messages[: shown.attempt.opening],
        tools=offered,
        world=episode.app,
        start=start.start if start is not None else {},
        started_at=group.begins.episode.started_at,
        user=_user_of(group, shown),
        limits=Limits(
            messages=max(MIN_MESSAGES, 2 * longest + 10), calls=max(MIN_CALLS, 3 * most + 10)
        ),
        terminal_tools=kinds.stopping(),
        closing_tools=kinds.closing(),
        dispatched=start.world.dispatched.to_json() if start is not None else {},
        provenance=_provenance(group, shown, offered),
    )


def _user_of(group: Group, shown: EpisodeAttempt) -> tuple[UserTurn, ...]:
    """The user of the attempt that is shown, who also knows what other attempts at the request asked them."""
    turns = user_turns(shown.episode)
    others = (user_turns(r.episode) for r in group.records if r is not shown)
    opening = shown.attempt.messages[: shown.attempt.opening]
    said = [text_of(m) for m in opening if m.get("role") == "user"]
    calls = [json.dumps(dict(c.arguments), ensure_ascii=False) for c in shown.attempt.calls]
    return (*turns, *turns_of_other_recordings(turns, others, "\n".join((*said, *calls))))


def _provenance(
    group: Group, shown: EpisodeAttempt, tools: Iterable[Mapping[str, Json]]
) -> dict[str, Json]:
    ids: Sequence[str] = [r.episode.episode_id for r in group.records]
    inferred = tools_from_calls(tools)
    return {
        "anchor": group.anchor.episode.episode_id,
        "shown": shown.episode.episode_id,
        "episodes": list[Json](ids),
        "joined_by": group.joined_by,
        "subject": group.anchor.episode.subject,
        "redaction": "off" if any(r.episode.redaction == "off" for r in group.records) else "on",
        **({"tools_from_calls": list[Json](inferred)} if inferred else {}),
    }


def tools_of(group: Group) -> tuple[Mapping[str, Json], ...]:
    """Every tool that any attempt at the task was offered."""
    found: dict[str, Mapping[str, Json]] = {}
    for text in (t for recorded in group.records for t in recorded.episode.tools):
        definition = definition_of(text)
        function = function_of(definition)
        # Nobody can call what has no name.
        if function:
            found.setdefault(name_of(function), definition)
    return tuple(found[name] for name in sorted(found))


def with_consent(
    task: Task, consent: UserTurn | None, places: Sequence[int], answers: Sequence[UserTurn]
) -> Task:
    """The task with a user who agrees when asked, wherever the question was due, and answers what comes before it."""
    if consent is None:
        return task
    turns = list(task.user)
    for place in sorted(places, reverse=True):
        turns.insert(place, consent)
    first = min(places)
    return replace(task, user=(*turns[:first], *answers, *turns[first:]))

"""A desk with every trap for consumers, and conversations to replay through exports. Not a test module.

Tool names with dots, slashes and reserved words, schemas with `$ref` and without descriptions, a task whose rubric
cannot judge, recorded good and bad attempts.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from environments.export.taskset import Choice, Entry, write_task_set
from environments.runtime import TaskSet
from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action, RecordedAttempt
from environments.runtime.task.manifest import TaskSetManifest
from environments.runtime.task.rubric import SHARE, Check
from environments.runtime.task.share import PAYS_ALL
from tests.environments_shop import call, entry, say, world

OUTER = {"get_order": "shop.orders/get", "cancel_order": "reset", "hand_over": "hand-over"}
"""How this desk calls the shop's tools: nothing that a route or a method may be called."""


def renamed(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """A value with the desk's tool names in place of the shop's."""
    if isinstance(value, str):
        return OUTER.get(value, value)
    if isinstance(value, list | tuple):
        return type(value)(renamed(item) for item in value)
    if isinstance(value, dict):
        return {OUTER.get(key, key): renamed(item) for key, item in value.items()}
    return value


def desk_entry(number: int, status: str = "accepted") -> Entry:
    """The shop's task under the desk's names, with a schema that needs inlining, and recorded attempts."""
    plain = entry(number, status)
    reference: dict[str, Json] = {
        "type": "object",
        "properties": {"order_id": {"$ref": "#/$defs/Order"}},
        "required": ["order_id"],
        "$defs": {"Order": {"type": "string"}},
    }
    tools: list[dict[str, Json]] = []
    for tool in plain.task.tools:
        function = dict(tool["function"])  # type: ignore[arg-type]  # a definition
        if function["name"] != "hand_over":
            function["parameters"] = reference
        del function["description"]
        tools.append({"type": "function", "function": renamed(function)})
    rubric = replace(
        plain.rubric,
        checks=tuple(
            replace(check, args=renamed(dict(check.args))) for check in plain.rubric.checks
        ),
    )
    changed: dict[str, Json] = {
        "tool": OUTER["cancel_order"],
        "arguments": canonical_arguments({"order_id": f"o{number}"}),
        "end": "end",
    }
    part = Check(check_id="changed", fn="wrote", args=changed, role=SHARE, weight=2.0)
    rubric = replace(rubric, checks=(*rubric.checks, part))
    if number == 4:
        judge = Check(check_id="kind", fn="judge", args={"prompt": "Was it kind?"}, required=True)
        rubric = replace(rubric, checks=(*rubric.checks, judge))
    solution = tuple(renamed(dict(action)) for action in plain.solution)
    terminal = tuple(map(renamed, plain.task.terminal_tools))
    return replace(
        plain,
        task=replace(plain.task, tools=tuple(tools), terminal_tools=terminal),
        rubric=rubric,
        solution=solution,
        attempts=(
            RecordedAttempt(episode_id=f"good{number}", actions=solution, resolved=True),
            RecordedAttempt(
                episode_id=f"bad{number}",
                actions=(solution[0], solution[1], say("I am afraid I cannot do that.")),
                resolved=False,
            ),
            RecordedAttempt(episode_id=f"lost{number}", actions=(say("Hello."),), resolved=None),
        ),
    )


def write_desk(dest: Path, *, reward: str = PAYS_ALL) -> TaskSetManifest:
    """A task set of three tasks, which pays all or nothing or the share; the rubric of `task4` never gives a reward."""
    document = renamed(world())
    shop_rows = document["tables"]["order"]["rows"]
    shop_rows[json.dumps(["o4"])] = {"order_id": "o4", "status": "pending", "total": 42.0}
    document["tables"]["order"]["seen"][OUTER["get_order"]] = list(shop_rows)
    return write_task_set(
        dest,
        [desk_entry(1), desk_entry(3), desk_entry(4, "needs_review")],
        {"shop": document},
        provenance={"name": "desk tasks", "redaction": "on"},
        choice=Choice(statuses=("accepted", "needs_review"), splits=None, reward=reward),
    )


def conversations(
    task_set: TaskSet, count: int, seed: int = 0
) -> Iterator[tuple[str, list[Action]]]:
    """Solutions and what goes wrong in every way: dropped, doubled, mixed, foreign, malformed, off the map."""
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    tasks = [task.task_id for task in task_set.tasks]
    for number in range(count):
        task_id = tasks[number % len(tasks)]
        actions = [dict(action) for action in task_set.solution(task_id)]
        if number >= len(tasks):
            actions = _spoilt(actions, chance, tasks, task_set)
        yield task_id, [_numbered(action, index) for index, action in enumerate(actions)]


def live_reward(task_set: TaskSet, task_id: str, actions: list[Action]) -> float | None:
    """What a run that takes these actions until it ends is worth, by the task set itself."""
    environment = task_set.environment(task_id)
    for action in actions:
        environment.step(action)
    return environment.grade().reward


def replays(task_set: TaskSet, count: int) -> list[dict[str, Any]]:
    """Conversations with the reward that every export must give."""
    return [
        {"task_id": task_id, "actions": actions, "reward": live_reward(task_set, task_id, actions)}
        for task_id, actions in conversations(task_set, count)
    ]


def _spoilt(
    actions: list[dict[str, Json]], chance: random.Random, tasks: list[str], task_set: TaskSet
) -> list[dict[str, Json]]:
    extra: list[Action] = [
        say("It is cancelled."),
        say("I have done everything."),
        call(OUTER["cancel_order"], {"order_id": "o2"}),
        call(OUTER["get_order"], {"order_id": "never seen"}),
        call(OUTER["cancel_order"], {"order_id": "never seen"}),
        call(OUTER["hand_over"], {}),
        call("invented", {"a": 1}),
        {"role": "assistant", "content": None, "tool_calls": [_broken()]},
        *task_set.solution(chance.choice(tasks)),
    ]
    for _ in range(chance.randint(0, 3)):
        way = chance.randrange(4)
        at = chance.randrange(len(actions) + 1)
        if way == 0 and actions:
            del actions[min(at, len(actions) - 1)]
        elif way == 1:
            actions.insert(at, dict(chance.choice(extra)))
        elif way == 2 and actions:
            actions.insert(at, dict(chance.choice(actions)))
        else:
            chance.shuffle(actions)
    return actions


def _broken() -> dict[str, Json]:
    function: dict[str, Json] = {"name": OUTER["cancel_order"], "arguments": '{"order_id": '}
    return {"id": "c0", "type": "function", "function": function}


def _numbered(action: dict[str, Json], index: int) -> Action:
    calls = action.get("tool_calls")
    if not isinstance(calls, list):
        return action
    numbered: list[Json] = [
        {**c, "id": f"call_{index}_{i}"} for i, c in enumerate(calls) if isinstance(c, dict)
    ]
    return {**action, "tool_calls": numbered}

"""Attempts at tasks on an invented backend, and call sequences that no attempt made.

Comes from a backend's script and a seed: three attempts a task, each by an agent that now and then forgets a step,
looks twice, or gets an argument wrong. Comes out: recorded calls, as clean episodes for learning. Not here: judging.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.backend import Backend, Call, Step, Style
from redact.records.clean_episode import CleanEpisode

TASKS = 50
ATTEMPTS = 3
LENGTH = 8
"""Calls in one recombined sequence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """One call with what really came back."""

    name: str
    arguments: dict[str, Any]
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One agent's attempt at one task."""

    task: int
    number: int
    calls: tuple[Made, ...]
    before: Backend | None = None
    """A copy of the backend as the attempt met it, where one backend lived through all attempts."""


def make(backend: Backend, call: Call) -> Made:
    """Make one call; arguments are copied, as a wire does."""
    name, arguments = call[0], json.loads(json.dumps(call[1]))
    answer = backend.call(name, arguments)
    return Made(name=name, arguments=call[1], content=answer.content, is_error=answer.is_error)


def attempts(style: Style, seed: int = 0, *, living: bool = False) -> list[Attempt]:
    """Every task three times, each on a backend of its own, or all one after another on one that lives on."""
    out: list[Attempt] = []
    shared = style.make()
    for task in range(TASKS):
        script = style.script(random.Random(f"{style.name}/{seed}/{task}"))  # noqa: S311 - dice
        pool = style.script(random.Random(f"{style.name}/{seed}/{task}/more"))  # noqa: S311 - dice
        for number in range(ATTEMPTS):
            rng = random.Random(f"{style.name}/{seed}/{task}/{number}")  # noqa: S311 - dice
            backend = shared if living else started(style, task, seed)
            backend.begin(began(task, number))
            before = deepcopy(backend) if living else None
            calls = attempted(backend, script, pool, rng)
            out.append(Attempt(task=task, number=number, calls=calls, before=before))
    return out


def began(task: int, number: int) -> datetime:
    """When an attempt began: one a minute."""
    minute = task * ATTEMPTS + number
    return datetime(2026, 3, 1 + minute // 60, 10, minute % 60, tzinfo=UTC)


def started(style: Style, task: int, seed: int) -> Backend:
    """The backend as the attempts at a task find it, where each begins anew."""
    if style.starting is None:
        return style.make()
    return style.starting(random.Random(f"{style.name}/{seed}/{task}"))  # noqa: S311 - dice


def attempted(
    backend: Backend, script: Sequence[Step], pool: Sequence[Step], rng: random.Random
) -> tuple[Made, ...]:
    """One agent's way through a script: steps forgotten, made twice, one of the pool put in, an argument wrong."""
    answers, made = list[str](), list[Made]()
    for step in script:
        dice = rng.random()
        if dice < 0.1:
            continue
        todo = [step]
        if dice < 0.2:
            todo.append(step)
        elif dice < 0.28:
            todo.insert(0, rng.choice(list(pool)))
        for one in todo:
            call = one(answers) if callable(one) else one
            made.append(make(backend, _garbled(call, rng) if rng.random() < 0.05 else call))
            answers.append(made[-1].content)
    return tuple(made)


def _garbled(call: Call, rng: random.Random) -> Call:
    """One argument wrong: a value that is not there."""
    name, arguments = call[0], dict(call[1])
    if arguments:
        chosen = rng.choice(sorted(arguments))
        value = arguments[chosen]
        if isinstance(value, str):
            arguments[chosen] = value + "x"
        elif isinstance(value, int | float) and not isinstance(value, bool):
            arguments[chosen] = value + 100
    return name, arguments


def recombined(
    style: Style, seen: Sequence[Attempt], count: int, *, befores: Sequence[Backend] = ()
) -> list[tuple[Made, ...]]:
    """Random sequences of tools and values that were recorded, in an order that no attempt had.

    Each is made on a fresh backend, or on copies of the given ones in turn.
    """
    calls: dict[str, list[dict[str, Any]]] = defaultdict(list)
    values: dict[str, list[Any]] = defaultdict(list)
    for attempt in seen:
        for made in attempt.calls:
            calls[made.name].append(made.arguments)
            for name, value in made.arguments.items():
                values[name].append(value)
    out = []
    for number in range(count):
        rng = random.Random(f"{style.name}/p/{number}")  # noqa: S311 - dice
        backend = deepcopy(befores[number % len(befores)]) if befores else style.make()
        if not befores:
            backend.begin(began(TASKS, number))
        sequence = []
        for _ in range(LENGTH):
            name = rng.choice(sorted(calls))
            arguments = dict(rng.choice(calls[name]))
            for argument in arguments:
                if rng.random() < 0.3:
                    arguments[argument] = rng.choice(values[argument])
            sequence.append(make(backend, (name, arguments)))
        out.append(tuple(sequence))
    return out


def episode(style: Style, attempt: Attempt) -> CleanEpisode:
    """An attempt as a chat log, read as every chat log is."""
    return to_episode(chat(style, attempt))


def chat(style: Style, attempt: Attempt) -> dict[str, Any]:
    """An attempt as a line of a chat log."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"task {attempt.task}"}]
    for at, made in enumerate(attempt.calls):
        function = {"name": made.name, "arguments": json.dumps(made.arguments)}
        messages.append(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{at}", "type": "function", "function": function}],
            }
        )
        messages.append(
            {
                "role": "tool",
                "tool_call_id": f"c{at}",
                "content": made.content,
                "tg": {"is_error": made.is_error},
            }
        )
    return {
        "app": style.name,
        "agent": f"agent-{attempt.number % 2}",
        "episode_id": f"{style.name}-{attempt.task}-{attempt.number}",
        "task_key": f"{style.name}-{attempt.task}",
        "started_at": began(attempt.task, attempt.number).isoformat(),
        "messages": messages,
    }

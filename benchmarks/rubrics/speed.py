"""How long a rubric of many deterministic checks takes on one attempt, in processor time.

Rubric and attempt are made up: 40 messages, 20 calls. A fresh view is made for every verdict, as in a rollout. With files, recorded attempts of
chat logs are graded instead, with the rubrics that are made of them, beside the processor time that their calls take in the learnt world.
Not here: judges.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, Row
from benchmarks.rubrics.agreement import read
from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import DERIVED, Attempt, Call, Json, ToolResult
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.world.world import World
from synth.recordings.attempt import record
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

ROUNDS: Final = 400
RECORDED_ROUNDS: Final = 3
SIZES: Final = (10, 100, 150, 200)


def options(parser: argparse.ArgumentParser) -> None:
    """What is graded."""
    parser.add_argument("files", nargs="*", type=Path, help="chat logs with outcomes")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Median and 95th percentile per size of a made-up rubric, or the mean of each file."""
    for path in options.files:
        yield Row(case=path.name, figures=recorded(path))
    of = attempt()
    for size in SIZES if not options.files else ():
        rubric = rubric_of(size)
        times = sorted(timed(rubric, of) for _ in range(ROUNDS))
        figures = {
            "median ms": round(1000 * statistics.median(times), 3),
            "95 % ms": round(1000 * times[int(0.95 * ROUNDS)], 3),
        }
        yield Row(case=f"{size} checks", figures=figures)


def recorded(path: Path) -> dict[str, Figure]:
    """Milliseconds per recorded attempt of a file, all attempts in turn so that little is kept from the one before."""
    data = read(path)
    learnt = learn_world(data.episodes, WorldSettings())
    world = World(learnt.document)
    episodes = {e.episode_id: e for e in data.episodes}
    pairs = [
        (one, record(episodes[made.episode_id]).actions)
        for one in derive_tasks(data.episodes, data.labels, learnt, references=data.references)
        if one.solution
        for made in one.attempts
    ]
    started = time.process_time()
    runs = [(one.rubric, run_actions(one.task, world, actions)) for one, actions in pairs]
    ran = time.process_time()
    graded = statistics.median(
        sum(timed(rubric, of) for rubric, of in runs) for _ in range(RECORDED_ROUNDS)
    )
    checks = statistics.mean(len(rubric.checks) for rubric, _ in runs)
    return {
        "attempts": len(runs),
        "checks each": round(checks, 1),
        "calls ms": round(1000 * (ran - started) / len(runs), 2),
        "verdict ms": round(1000 * graded / len(runs), 2),
    }


def timed(rubric: Rubric, of: Attempt) -> float:
    """Processor seconds of one verdict."""
    started = time.process_time()
    evaluate(rubric, of, task_version="v")
    return time.process_time() - started


def attempt() -> Attempt:
    """Twenty calls, each followed by words to the user."""
    messages: list[dict[str, Json]] = [{"role": "user", "content": "Please change my orders."}]
    calls = []
    for number in range(20):
        arguments: dict[str, Json] = {"order_id": f"W{number:04d}", "to": f"address {number}"}
        function: dict[str, Json] = {"name": "change", "arguments": json.dumps(arguments)}
        calls.append(
            Call(
                name="change",
                arguments=arguments,
                result=ToolResult(content='{"status": "changed"}', source=DERIVED),
                message=len(messages),
            )
        )
        messages.append({"role": "assistant", "tool_calls": [{"function": function}]})
        said = f"Order W{number:04d} is changed; the difference of ${number}.50 is refunded."
        messages.append({"role": "assistant", "content": said})
    return Attempt(messages=tuple(messages), opening=1, calls=tuple(calls))


def rubric_of(size: int) -> Rubric:
    """An end to reach, then every kind of deterministic check in turn."""
    written: list[Json] = [["change", _order(n), 1] for n in range(20)]
    end: dict[str, Json] = {"writes": ["change"], "ends": [{"id": "e", "writes": written}]}
    checks = [Check(check_id="end", fn="end_state", args=end, required=True)]
    kinds: list[tuple[str, dict[str, Json]]] = [
        ("wrote", {"tool": "change"}),
        ("told", {"among": 6}),
        ("said", {"words": ["order", "changed", "refunded"], "least": 2}),
        ("numbers_told", {"per_message": 6, "total": 60}),
        ("never_called", {"tools": ["cancel", "refund"]}),
        ("calls_at_most", {"most": 40}),
        ("read", {"any_of": [["change", _order(3)]]}),
        ("before", {"first": ["get"], "then": ["change"]}),
        ("repeats_at_most", {"most": 3}),
        ("confirmed", {"tools": ["change"]}),
    ]
    for number in range(size - 1):
        fn, args = kinds[number % len(kinds)]
        more: dict[str, Json] = {"arguments": _order(number % 20), "value": number % 20 + 0.5}
        checks.append(Check(check_id=f"c{number}", fn=fn, args={**more, **args}))
    return Rubric(task_id="t", checks=tuple(checks))


def _order(number: int) -> str:
    return canonical_arguments({"order_id": f"W{number:04d}", "to": f"address {number}"})

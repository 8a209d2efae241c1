"""The commands of a task set: `python DIR validate` proves it sound, `python DIR run` plays a task in a terminal.

In: the folder and arguments. Out: a table or a transcript, and an exit code (0 sound, 1 not, 2 unusable). Standard
library only, because it is shipped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..task.errors import TaskSetError
from ..task.task_set import TaskSet
from ..values.canonical import digest, digest_bytes, task_version
from .environment import Environment, Observation

HELP = "type to speak; /call NAME {json}, /tools, /grade, /quit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What `validate` found about one task."""

    task_id: str
    status: str
    solution: float | None
    """Reward of the solution; None is not graded, or no solution."""
    nothing: float | None
    """Reward of doing nothing."""
    faults: tuple[str, ...]


def main(argv: Sequence[str], folder: Path) -> int:
    """Run one command on the task set in `folder`; the exit code comes back."""
    arguments = _parser().parse_args(argv)
    try:
        task_set = TaskSet.load(folder)
        if arguments.command == "validate":
            return _validate(task_set, as_json=arguments.json)
        return _run(task_set, arguments)
    except (TaskSetError, OSError) as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    except (KeyboardInterrupt, BrokenPipeError):
        return 130


def check_tasks(task_set: TaskSet) -> Iterator[Finding]:
    """Prove each task: its solution scores 1, doing nothing does not, and two runs agree."""
    for task in task_set.tasks:
        entry = task_set.entry(task.task_id)
        actions = task_set.solution(task.task_id)
        gold = task_set.grade(task.task_id, actions)
        nothing = task_set.grade(task.task_id, ())
        faults = []
        if actions and gold.all_or_nothing != 1 and entry.status == "accepted":
            faults.append("the solution does not score 1")
        if not actions and entry.status == "accepted":
            faults.append("there is no solution")
        if nothing.all_or_nothing == 1:
            faults.append("doing nothing scores 1")
        if digest(gold.to_json()) != digest(task_set.grade(task.task_id, actions).to_json()):
            faults.append("two runs of the solution differ")
        if entry.task_version != _version(task_set, task.task_id):
            faults.append("the version is not that of the content")
        yield Finding(
            task_id=task.task_id,
            status=entry.status,
            solution=gold.reward if actions else None,
            nothing=nothing.reward,
            faults=tuple(faults),
        )


def torn_users(task_set: TaskSet) -> int:
    """How many users or recorded episodes have tasks in more than one split, as far as tasks name them."""
    seen: dict[str, set[str]] = {}
    for task in task_set.tasks:
        episodes = task.provenance.get("episodes")
        names = [f"episode {e}" for e in episodes] if isinstance(episodes, list) else []
        names += [f"subject {task.provenance['subject']}"] if task.provenance.get("subject") else []
        split = task_set.manifest.split_of(task.task_id)
        for name in names if split else ():
            seen.setdefault(name, set()).add(split)
    return sum(len(splits) > 1 for splits in seen.values())


def _version(task_set: TaskSet, task_id: str) -> str:
    world = digest_bytes((task_set.path / task_set.entry(task_id).world).read_bytes())
    return task_version(
        task_set.task(task_id),
        task_set.rubric(task_id),
        world_digest=world,
        pays=task_set.manifest.reward,
    )


def _validate(task_set: TaskSet, *, as_json: bool) -> int:
    findings = list(check_tasks(task_set))
    bad = [finding for finding in findings if finding.faults]
    torn = torn_users(task_set)
    if as_json:
        rows = [
            {
                "task_id": f.task_id,
                "status": f.status,
                "solution": f.solution,
                "nothing": f.nothing,
                "faults": list(f.faults),
            }
            for f in findings
        ]
        found = {"tasks": rows, "torn_users": torn, "valid": not bad and not torn}
        _say(json.dumps(found, indent=1))
    else:
        _say(f"{'task':34} {'status':13} {'solution':>8} {'nothing':>8}  faults")
        for f in findings:
            row = f"{f.task_id:34} {f.status:13} {_reward(f.solution):>8} {_reward(f.nothing):>8}"
            _say(f"{row}  {'; '.join(f.faults) or '-'}")
        _say(f"{len(findings)} tasks, {len(findings) - len(bad)} valid; every file as exported")
        if torn:
            _say(f"{torn} users or episodes are in more than one split: export the task set again")
    return 1 if bad or torn else 0


def _run(task_set: TaskSet, arguments: argparse.Namespace) -> int:
    task_id = arguments.task or next((task.task_id for task in task_set.tasks), "")
    environment = task_set.environment(task_id, arguments.seed)
    if arguments.actions:
        for message in _read_actions(Path(arguments.actions)):
            if message.get("role", "assistant") == "assistant" and environment.stop_reason is None:
                environment.step(message)
        _show(environment.messages)
    else:
        _play(environment)
    verdict = environment.grade()
    seen = {"stop_reason": environment.stop_reason, "checks_passed": verdict.score.says}
    _say(json.dumps({**seen, **verdict.to_json()}, indent=1))
    return 0


def _read_actions(path: Path) -> list[dict[str, Any]]:
    """Messages from a JSON list, or one a line."""
    text = path.read_text(encoding="utf-8")
    try:
        rows = json.loads(text) if text.lstrip().startswith("[") else _lines(text)
    except ValueError as fault:
        raise TaskSetError(f"{path} holds neither a JSON list nor one message a line") from fault
    if not all(isinstance(row, dict) for row in rows):
        raise TaskSetError(f"{path} holds something that is not a message")
    return list(rows)


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _play(environment: Environment) -> None:
    _say(HELP)
    seen = environment.reset()
    _show(seen.messages)
    while not seen.done:
        try:
            line = input("> ").strip()
        except EOFError:
            return
        if line in {"/quit", "/grade"}:
            return
        seen = _take(environment, line)
        _show(seen.messages)
    _say(f"(ended: {seen.stop_reason})")


def _take(environment: Environment, line: str) -> Observation:
    if line == "/tools":
        _say(json.dumps(list(environment.task.tools), indent=1, default=dict))
        return environment.observe()
    if line.startswith("/call "):
        name, _, text = line.removeprefix("/call ").partition(" ")
        function = {"name": name, "arguments": text}
        return environment.step({"tool_calls": [{"type": "function", "function": function}]})
    return environment.step({"content": line})


def _show(messages: Sequence[Any]) -> None:
    for message in messages:
        text = message.get("content") or ""
        calls = [call["function"] for call in message.get("tool_calls") or ()]
        asked = "".join(f"\n  {call['name']}({call['arguments']})" for call in calls)
        _say(f"[{message.get('role')}] {text}{asked}")


def _reward(value: float | None) -> str:
    return "null" if value is None else f"{value:g}"


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python DIR", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    validate = commands.add_parser("validate", help="hashes, solutions, doing nothing, two runs")
    validate.add_argument("--json", action="store_true", help="for scripts")
    run = commands.add_parser("run", help="play one task")
    run.add_argument("task", nargs="?", help="task id; the first one if left out")
    run.add_argument("--actions", help="a file of assistant messages instead of the keyboard")
    run.add_argument("--seed", type=int, default=0)
    return parser

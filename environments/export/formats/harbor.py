"""Writes a task set as Harbor task folders: an agent container, a replay MCP server beside it, a separate verifier.

In: a task set folder. Out: one folder a task with a task set of that task alone in `environment/replay/` and `tests/`, which are built
into containers that the agent is not in. Imports nothing of Harbor. A verdict of None writes no reward, which Harbor reports as an error.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from environments.export.package import Format, filled
from environments.export.taskset import Choice, Entry, write_task_set
from environments.runtime.play.message import requests_of, text_of
from environments.runtime.play.play import TALK, Play
from environments.runtime.task.attempt import Json
from environments.runtime.task.manifest import MANIFEST
from environments.runtime.task.task import Task
from environments.runtime.task.task_set import PackedTask, TaskSet
from environments.runtime.values.canonical import digest
from environments.verification.judge_checks import asks_a_judge

HOLDS_ANSWERS: Final = ("environment/replay/task_set", "tests/task_set")
NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")


def _folders(opened: TaskSet, package: str) -> Mapping[str, bytes]:
    files: dict[str, bytes] = {}
    for task in opened.tasks:
        folder = task.task_id if NAME.fullmatch(task.task_id) else digest(task.task_id)[:24]
        for path, data in _task_files(opened, task, package, folder):
            files[f"{folder}/{path}"] = data
    return files


def _task_files(
    opened: TaskSet, task: PackedTask, package: str, folder: str
) -> Iterator[tuple[str, bytes]]:
    play = Play(opened, task.task_id)
    files = filled("harbor_task", {})
    said = [f"## {message.get('role')}\n\n{_message_text(message)}\n" for message in play.opening]
    files["instruction.md"] = b"\n".join([files["instruction.md"], *map(str.encode, said)])
    yield from files.items()
    yield "task.toml", _task_toml(task, f"{package}/{folder}").encode()
    yield "solution/calls.json", (json.dumps(_calls(opened, play), indent=1) + "\n").encode()
    alone = _task_set_of_one(opened, task)
    for place in HOLDS_ANSWERS:
        for path, data in alone.items():
            yield f"{place}/{path}", data


def _task_toml(task: PackedTask, name: str) -> str:
    text = json.dumps
    return f"""schema_version = "1.4"
artifacts = [{{ source = "/var/replay/actions.jsonl", service = "replay" }}]

[task]
name = {text(name)}
description = "A task derived from production traces: replayed tools and user."

[metadata]
app = {text(task.app)}
task_id = {text(task.task_id)}
task_version = {text(task.task_version)}

[agent]
timeout_sec = 1800.0

[verifier]
timeout_sec = 300.0
environment_mode = "separate"

[environment]
build_timeout_sec = 600.0
cpus = 1
memory_mb = 2048
storage_mb = 4096
workdir = "/app"

[[environment.mcp_servers]]
name = "replay"
transport = "streamable-http"
url = "http://replay:8000/mcp"
"""


def _message_text(message: Mapping[str, Json]) -> str:
    calls = [f"{request.name}({request.text})" for request in requests_of(message, first=0)]
    return "\n".join(filter(None, [text_of(message.get("content")), *calls]))


def _calls(opened: TaskSet, play: Play) -> list[Json]:
    """The solution as calls of the replay server."""
    calls: list[Json] = []
    for action in opened.solution(play.task.task_id):
        requests = requests_of(action, first=0)
        for request in requests:
            outer = play.names.outward(request.name)
            calls.append({"name": outer, "arguments": dict(request.arguments)})
        if not requests:
            calls.append({"name": TALK, "arguments": {"message": text_of(action.get("content"))}})
    return calls


def _task_set_of_one(opened: TaskSet, task: PackedTask) -> dict[str, bytes]:
    """A task set of one task: a container holds no other task's answer."""
    entry = opened.entry(task.task_id)
    world = json.loads((opened.path / entry.world).read_text(encoding="utf-8"))
    only = Entry(
        task=Task.from_json(task.to_json()),
        rubric=opened.rubric(task.task_id),
        solution=opened.solution(task.task_id),
        recordings=opened.recordings if asks_a_judge(opened.rubric(task.task_id)) else {},
        status=entry.status,
        reasons=entry.reasons,
    )
    provenance = {**opened.manifest.provenance, "name": opened.manifest.name}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "task_set"
        made = write_task_set(
            folder,
            [only],
            {task.world: world},
            provenance=provenance,
            choice=Choice(statuses=(entry.status,), splits=None, reward=opened.manifest.reward),
        )
        return {name: (folder / name).read_bytes() for name in (*made.files, MANIFEST)}


HARBOR: Final = Format(
    name="harbor",
    task_sets=(),
    consumer="harbor",
    check="harbor lint DIR/TASK (see DIR/README.md)",
    rows=_folders,
)
"""`name` is the organisation before the slash of every task's name."""

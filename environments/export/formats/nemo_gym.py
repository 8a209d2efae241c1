"""Writes a task set for NeMo Gym: rows in the shape of the Responses API, and a resources server that replays and grades.

In: a task set folder. Out: `resources_servers/NAME/` with rows (request, task id, no answer), server and configuration. Imports
nothing of NeMo Gym. A verdict of None is a masked sample.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from environments.export.formats.sft import lines
from environments.export.package import Format, by_split
from environments.runtime.play.message import requests_of, text_of
from environments.runtime.play.play import TALK_TOOL, Play
from environments.runtime.task.attempt import Json
from environments.runtime.task.task_set import TaskSet

SERVER: Final = "resources_servers/PACKAGE"
EXAMPLES: Final = 5


def _files(opened: TaskSet, package: str) -> Mapping[str, bytes]:
    rows = [(task.task_id, _row(Play(opened, task.task_id))) for task in opened.tasks]
    data = f"resources_servers/{package}/data"
    found = by_split(opened, rows, lines, ".jsonl")
    # NeMo Gym asks for a train file, so a set of held-out tasks only has an empty one.
    files = {f"{data}/{name}": part for name, part in {"train.jsonl": b"", **found}.items()}
    return {**files, f"{data}/example.jsonl": lines([row for _, row in rows[:EXAMPLES]])}


def _row(play: Play) -> dict[str, Json]:
    tools: list[Json] = [_flat(tool) for tool in (*play.tools, TALK_TOOL)]
    return {
        "responses_create_params": {
            "input": [item for message in play.opening for item in _items(message)],
            "tools": tools,
            "parallel_tool_calls": False,
        },
        "verifier_metadata": {
            "task_id": play.task.task_id,
            "task_version": play.task.task_version,
        },
    }


def _flat(tool: Mapping[str, Json]) -> dict[str, Json]:
    """A definition in the Responses API's shape; `strict` must be there, and true would forbid optional arguments."""
    function = tool["function"]
    kept = dict(function) if isinstance(function, Mapping) else {}
    names = ("name", "description", "parameters")
    return {"type": "function", **{name: kept[name] for name in names}, "strict": False}


def _items(message: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """A message of the opening as items of a request."""
    role, text = message.get("role"), text_of(message.get("content"))
    if role == "tool":
        call_id = str(message.get("tool_call_id") or "")
        yield {"type": "function_call_output", "call_id": call_id, "output": text}
        return
    requests = requests_of(message, first=0)
    if text or not requests:
        yield {"role": "developer" if role == "system" else role, "content": text}
    for request in requests:
        arguments = json.dumps(dict(request.arguments), ensure_ascii=False)
        yield {
            "type": "function_call",
            "call_id": request.call_id,
            "name": request.name,
            "arguments": arguments,
        }


NEMO_GYM: Final = Format(
    name="nemo-gym",
    readme_in=SERVER,
    task_sets=(f"{SERVER}/task_set",),
    consumer="nemo_gym",
    check="gym env validate (see DIR/README.md)",
    rows=_files,
)
"""`name` is the server's name."""

"""`tracegym mcp`: the world of one task as an MCP server over standard input and output."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from dagster_project.errors import InputError
from environments.runtime.task.attempt import Json


def mcp(
    task_set: Annotated[Path, typer.Argument(metavar="TASKSET", help="A task set's folder.")],
    task: Annotated[
        str | None, typer.Option("--task", metavar="ID", help="The first task if left out.")
    ] = None,
    actions: Annotated[
        Path | None,
        typer.Option(
            "--actions",
            metavar="FILE",
            help="Write what the client did, one action a line: python TASKSET run TASK --actions FILE grades it.",
        ),
    ] = None,
) -> None:
    """Serve a task's tools and user to any MCP client; the client never sees a reward or an answer.

    Example: tracegym mcp my_tasks --actions done.jsonl
    """
    # mcp: 1.3 s
    from environments.mcp_server import serve_stdio  # noqa: PLC0415
    from environments.runtime.play.play import Play  # noqa: PLC0415
    from environments.runtime.task.task_set import TaskSet  # noqa: PLC0415

    opened = TaskSet.load(task_set)
    if not opened.tasks:
        raise InputError(f"{task_set} holds no task: export one with tracegym export taskset")
    play = Play(opened, task or opened.tasks[0].task_id)
    if actions is not None:
        _write(actions, "")

    def record(action: Mapping[str, Json]) -> None:
        if actions is not None:
            _write(actions, json.dumps(action, ensure_ascii=False) + "\n")

    serve_stdio(play, record)


def _write(path: Path, line: str) -> None:
    """Append a line; an empty one starts the file anew."""
    try:
        with path.open("a" if line else "w", encoding="utf-8") as file:
            file.write(line)
    except OSError as fault:
        raise InputError(
            f"{path} cannot be written ({fault.strerror}): name another file"
        ) from fault

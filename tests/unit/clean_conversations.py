"""Short clean conversations for tests: one line a turn. Invented apps; `redact` is not run for them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label

DAY = 86_400_000_000_000
START = 1_794_000_000_000_000_000


def tool(name: str, description: str, **parameters: str) -> str:
    """A tool definition as canonical JSON text."""
    return json.dumps(
        {
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": {
                    "properties": {k: {"description": v} for k, v in parameters.items()}
                },
            },
        }
    )


SHELF = (
    tool("find_loan", "Find a loan by its number.", loan_id="The loan's number"),
    tool("renew_loan", "Renew a loan for another period.", loan_id="The loan's number"),
    tool("cancel_hold", "Cancel a hold on a book.", hold_id="The hold's number"),
    tool("escalate_to_desk", "Hand the conversation to a human librarian representative."),
)
"""The tools of a library's agent."""


def user(text: str) -> CleanStep:
    """What the user says."""
    return CleanStep(role="user", content=text)


def says(text: str) -> CleanStep:
    """What the agent says."""
    return CleanStep(role="assistant", content=text)


def call(call_id: str, name: str, **arguments: Any) -> CleanStep:  # noqa: ANN401 - any JSON value
    """A tool call."""
    asked = CleanToolCall(call_id=call_id, name=name, arguments=json.dumps(arguments))
    return CleanStep(role="assistant", tool_calls=(asked,))


def result(call_id: str, content: str, *, is_error: bool | None = None) -> CleanStep:
    """A tool's answer."""
    return CleanStep(role="tool", call_id=call_id, content=content, is_error=is_error)


def episode(
    *steps: CleanStep,
    episode_id: str = "e1",
    subject: str | None = None,
    day: int = 0,
    app: str = "library",
) -> CleanEpisode:
    """A conversation of the library's app."""
    return CleanEpisode(
        app=app,
        episode_id=episode_id,
        started_at=START + day * DAY,
        subject=subject,
        tools=SHELF,
        steps=steps,
    )


def real_episodes(name: str) -> list[tuple[CleanEpisode, Label]]:
    """Real chat logs with their outcome, not redacted; only what failures need is read. Skips without the data."""
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    path = Path(folder or ".") / "tau" / name
    if not folder or not path.exists():
        pytest.skip("TRACEGYM_REAL_DATA does not name the folder with the real episodes")
    return [_real_episode(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def _real_episode(row: dict[str, Any]) -> tuple[CleanEpisode, Label]:
    found = CleanEpisode(
        app=row["app"],
        episode_id=row["episode_id"],
        started_at=START,
        task_key=row["task_key"],
        tools=tuple(json.dumps(definition) for definition in row["tools"]),
        steps=tuple(_real_step(message) for message in row["messages"]),
    )
    return found, Label(resolved=row["outcome"]["value"] >= 0.5, by="code")


def _real_step(message: dict[str, Any]) -> CleanStep:
    asked = tuple(
        CleanToolCall(
            call_id=c["id"], name=c["function"]["name"], arguments=c["function"]["arguments"]
        )
        for c in message.get("tool_calls") or []
    )
    content = message.get("content")
    return CleanStep(
        role=message["role"],
        content=None if content is None else str(content),
        tool_calls=asked,
        call_id=message.get("tool_call_id"),
    )

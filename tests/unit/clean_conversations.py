"""Short clean conversations for tests: one line a turn. Invented apps; `redact` is not run for them."""

import json
from typing import Any

from redact.clean_episode import CleanEpisode, CleanStep, CleanToolCall

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

"""ATIF trajectories (Harbor's agent trajectory format) to chat-log values.

Comes in: one trajectory. Goes out: one chat-log value, which `ingest.files.chat_log` reads. Reasoning and copied context that an
episode has no room for are named in `completeness`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ingest.formats.chat_lines import read_as_chat
from ingest.formats.format import Decoded, Format
from ingest.otlp.record import Arrival
from ingest.records.text import Json, objects_in

NAME: Final = "atif"
_ROLE: Final = {"system": "system", "user": "user", "agent": "assistant"}


def claims(value: Json) -> bool:
    """Whether a value is an ATIF trajectory."""
    version = value.get("schema_version") if isinstance(value, dict) else None
    return isinstance(version, str) and version.upper().startswith("ATIF") and "steps" in value


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one trajectory."""
    return read_as_chat(_chat(value), arrival, source=NAME)


def _chat(value: dict[str, Any]) -> dict[str, Any]:
    """The trajectory with messages in OpenAI's words."""
    agent = value.get("agent")
    agent = agent if isinstance(agent, dict) else {}
    chat: dict[str, Any] = {
        "episode_id": value.get("trajectory_id") or value.get("session_id"),
        "agent": agent.get("name"),
        "model": agent.get("model_name"),
        "messages": [one for step in objects_in(value["steps"]) for one in _messages(step)],
        "tools": objects_in(agent.get("tool_definitions")),
    }
    return {key: given for key, given in chat.items() if given}


def _messages(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    beside = {key: step[key] for key in ("timestamp", "reasoning_content") if step.get(key)}
    calls = [_call(call) for call in objects_in(step.get("tool_calls"))]
    yield {
        **beside,
        "role": _ROLE.get(str(step.get("source")), "user"),
        "content": step.get("message"),
        "usage": step.get("metrics"),
        **({"tool_calls": calls} if calls else {}),
    }
    observation = step.get("observation")
    asked = [call["id"] for call in calls]
    seen = objects_in(observation.get("results") if isinstance(observation, dict) else None)
    # A terminal does not say whose its screen is: of as many as were asked for, each is the next one's.
    are_pairs = len(seen) == len(asked) and not any(one.get("source_call_id") for one in seen)
    for number, result in enumerate(seen):
        call = asked[number] if are_pairs else str(result.get("source_call_id"))
        answer = {"role": "tool", "tool_call_id": call if call in asked else None}
        yield {**answer, "content": result.get("content"), "timestamp": step.get("timestamp")}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = {"name": str(call.get("function_name")), "arguments": call.get("arguments") or {}}
    return {"id": str(call.get("tool_call_id")), "type": "function", "function": function}


FORMAT: Final = Format(
    name=NAME,
    title="an ATIF trajectory",
    keys=("schema_version", "steps", "agent"),
    claims=claims,
    read=read,
)

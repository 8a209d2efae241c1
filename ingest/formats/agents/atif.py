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
from ingest.records.text import Json, json_text

NAME: Final = "atif"
_ROLE: Final = {"system": "system", "user": "user", "agent": "assistant"}


def claims(value: Json) -> bool:
    """Whether a value is an ATIF trajectory."""
    if not isinstance(value, dict):
        return False
    version = value.get("schema_version")
    return isinstance(version, str) and version.upper().startswith("ATIF") and "steps" in value


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one trajectory."""
    return read_as_chat(_chat(value), arrival, source=NAME)


def _chat(value: dict[str, Any]) -> dict[str, Any]:
    """The trajectory as a chat log has it."""
    agent = value.get("agent")
    agent = agent if isinstance(agent, dict) else {}
    chat: dict[str, Any] = {
        "episode_id": value.get("trajectory_id") or value.get("session_id"),
        "agent": agent.get("name"),
        "model": agent.get("model_name"),
        "messages": list(_messages(value)),
    }
    tools = [tool for tool in _list(agent.get("tool_definitions")) if isinstance(tool, dict)]
    if tools:
        chat["tools"] = tools
    return {key: given for key, given in chat.items() if given is not None}


def _list(value: Json) -> list[Any]:
    return value if isinstance(value, list) else []


def _messages(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for step in _list(value.get("steps")):
        if not isinstance(step, dict):
            continue
        tg = _tg(step)
        content, whole = _content(step.get("message"))
        if not whole:
            tg.setdefault("completeness", []).append("non_text_content")
        message: dict[str, Any] = {
            "role": _ROLE.get(str(step.get("source")), "user"),
            "content": content,
            "tg": tg,
        }
        calls = [call for call in _list(step.get("tool_calls")) if isinstance(call, dict)]
        if calls:
            message["tool_calls"] = [_call(call) for call in calls]
        yield message
        yield from _results(step, {str(call.get("tool_call_id")) for call in calls})


def _tg(step: dict[str, Any]) -> dict[str, Any]:
    tg: dict[str, Any] = {}
    if isinstance(step.get("timestamp"), str):
        tg["time"] = step["timestamp"]
    metrics = step.get("metrics")
    if isinstance(metrics, dict):
        usage = {
            ours: metrics[theirs]
            for ours, theirs in (
                ("input_tokens", "prompt_tokens"),
                ("output_tokens", "completion_tokens"),
            )
            if isinstance(metrics.get(theirs), int)
        }
        if usage:
            tg["usage"] = usage
    if step.get("reasoning_content"):
        tg["completeness"] = ["reasoning_left_out"]
    return tg


def _call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = call.get("arguments")
    text = arguments if isinstance(arguments, str) else json_text(arguments or {})
    function = {"name": str(call.get("function_name")), "arguments": text}
    return {"id": str(call.get("tool_call_id")), "type": "function", "function": function}


def _results(step: dict[str, Any], asked: set[str]) -> Iterator[dict[str, Any]]:
    observation = step.get("observation")
    for result in _list(observation.get("results") if isinstance(observation, dict) else None):
        if not isinstance(result, dict):
            continue
        content, whole = _content(result.get("content"))
        call = result.get("source_call_id")
        tg = {key: value for key, value in _tg(step).items() if key == "time"}
        if not whole:
            tg["completeness"] = ["non_text_content"]
        yield {
            "role": "tool",
            "tool_call_id": str(call) if str(call) in asked else None,
            "content": content,
            "tg": tg,
        }


def _content(value: Json) -> tuple[str | None, bool]:
    """A message's text, and whether text is all there was."""
    if value is None or isinstance(value, str):
        return value, True
    texts = [
        p["text"] for p in _list(value) if isinstance(p, dict) and isinstance(p.get("text"), str)
    ]
    return "\n".join(texts), len(texts) == len(_list(value))


FORMAT: Final = Format(
    name=NAME,
    title="an ATIF trajectory",
    keys=("schema_version", "steps", "agent"),
    claims=claims,
    read=read,
)

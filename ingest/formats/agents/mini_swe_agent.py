"""mini-swe-agent's trajectories: messages in which the agent writes one shell command as a block and is told what it printed.

Comes in: a bare list of messages, or an object with `messages` and `info` that names its `trajectory_format`. Goes out: one
conversation: each block is one call, the message behind it the result. Later versions call tools; their messages are read as
they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from ingest.formats.format import Decoded, Format
from ingest.formats.records.naming import own_fields
from ingest.formats.records.reader import Standing, read_record
from ingest.otlp.record import Arrival
from ingest.records.text import Json

NAME: Final = "mini_swe_agent"
SHELL: Final = "bash"
_BLOCK: Final = re.compile(r"```(?:mswea_bash_command|bash|sh|shell)[ \t]*\n(.*?)\n?```", re.DOTALL)
_OBSERVED: Final = re.compile(r"\s*<returncode>")
_ENDS: Final = "exit"
"""The role of the message behind the last command."""

Message = dict[str, Any]


def claims(value: Json) -> bool:
    """Whether a value is such a trajectory: it says so, or shows what a command printed as only this agent does."""
    if isinstance(value, dict):
        named = str(value.get("trajectory_format"))
        return named.startswith("mini-swe-agent") and isinstance(value.get("messages"), list)
    return isinstance(value, list) and any(
        _command(asked) is not None and _is_observed(told) for asked, told in pairwise(value)
    )


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one trajectory."""
    record = own_fields(value)
    items = record["messages"] if record else value
    messages = list(_messages([one for one in items if isinstance(one, dict)]))
    return read_record({**record, "messages": messages}, arrival, Standing(source=NAME))


def _text(message: Json) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""


def _command(message: Json) -> re.Match[str] | None:
    """The one block of a message of the agent; None where it has none, or several of which none was run."""
    if not isinstance(message, dict) or message.get("role") != "assistant" or message.get("tool_calls"):  # fmt: skip
        return None
    found = list(_BLOCK.finditer(_text(message)))
    return found[0] if len(found) == 1 else None


def _is_observed(message: Json) -> bool:
    by_user = isinstance(message, dict) and message.get("role") == "user"
    return by_user and _OBSERVED.match(_text(message)) is not None


def _messages(items: list[Message]) -> Iterator[Message]:
    asked: str | None = None
    for number, item in enumerate(items):
        block = _command(item)
        if block is not None:
            asked = f"action_{number}"
            text = _text(item)
            around = f"{text[: block.start()].rstrip()}\n{text[block.end() :].lstrip()}".strip()
            function = {"name": SHELL, "arguments": {"command": block[1]}}
            call = {"id": asked, "type": "function", "function": function}
            yield {**item, "content": around or None, "tool_calls": [call]}
        elif asked is not None and item.get("role") in ("user", _ENDS):
            yield {**item, "role": "tool", "tool_call_id": asked}
            asked = None
        elif item.get("role") == _ENDS:
            yield {**item, "role": "tool"}
        else:
            asked = None
            yield item


FORMAT: Final = Format(
    name=NAME,
    title="a trajectory of mini-swe-agent",
    keys=("messages", "info", "trajectory_format"),
    claims=claims,
    read=read,
)

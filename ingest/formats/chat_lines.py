"""Chat-log lines, and values of other formats that are read as if they were such lines.

Comes in: one parsed value in the chat log's words. Goes out: the chat, or its refusal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ingest.files.chat_log import RawChat
from ingest.formats.format import Decoded, Format
from ingest.formats.records.reader import read_record
from ingest.otlp.record import Arrival
from ingest.records.text import Json

NAME: Final = "chat_log"
_FIELDS: Final = frozenset(RawChat.model_fields)


def claims(value: Json) -> bool:
    """Whether a value is a line of a chat log, with nothing but the fields of one."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("messages"), list)
        and bool(value["messages"])
        and set(value) <= _FIELDS
    )


def read_as_chat(value: dict[str, Any], arrival: Arrival, *, source: str) -> Decoded:
    """Read a value of another format in the chat log's words; the episode keeps the format's name."""
    found = read_record(value, replace(arrival, text=None))
    found.chats = [
        replace(chat, episode=replace(chat.episode, source=source)) for chat in found.chats
    ]
    return found


FORMAT: Final = Format(
    name=NAME, title="a chat log", keys=("messages",), claims=claims, read=read_record
)

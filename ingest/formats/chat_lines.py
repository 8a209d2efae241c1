"""Chat-log lines, and values of other formats that are read as if they were such lines.

Comes in: one parsed value in the chat log's words. Goes out: the chat, or its refusal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ingest.chat_log import Chat, parse_value
from ingest.formats.format import Decoded, Format
from ingest.otlp_record import Arrival
from ingest.text import Json, json_bytes

NAME: Final = "chat_log"


def claims(value: Json) -> bool:
    """Whether a value is a line of a chat log."""
    return isinstance(value, dict) and "messages" in value


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one line."""
    read = parse_value(
        value,
        json_bytes(value) if arrival.text is None else arrival.text,
        source=arrival.source,
        position=arrival.position,
        app=arrival.app,
    )
    if isinstance(read, Chat):
        return Decoded(chats=[read], outcomes=list(read.outcomes))
    return Decoded(rejected=[read])


def read_as_chat(value: dict[str, Any], arrival: Arrival, *, source: str) -> Decoded:
    """Read a value of another format in the chat log's words; the episode keeps the format's name."""
    found = read(value, replace(arrival, text=None))
    found.chats = [
        replace(chat, episode=replace(chat.episode, source=source)) for chat in found.chats
    ]
    return found


FORMAT: Final = Format(name=NAME, title="a chat log", keys=("messages",), claims=claims, read=read)

"""One line of a chat log, read as the receiver of files reads it."""

from __future__ import annotations

from ingest.files.chat_log import Chat, parse_value
from ingest.records.quarantine import Rejected
from ingest.records.text import load_json


def parse_line(
    line: str | bytes, *, source: str, position: str, app: str | None = None
) -> Chat | Rejected:
    """The episode of a line, or what is wrong with it."""
    raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    return parse_value(load_json(raw), raw, source=source, position=position, app=app)

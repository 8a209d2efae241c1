"""The table of file formats: the first row that claims a value reads it.

Adding a format is one file in this folder and one row here; docs/dialects.md says how.
"""

from __future__ import annotations

from typing import Final

from ingest.formats import (
    atif,
    chat_lines,
    claude_code_session,
    langfuse_export,
    langsmith_run,
    openai_agents_export,
    otlp_request,
)
from ingest.formats.format import Format
from ingest.text import NOT_JSON, Json, load_json

FORMATS: Final[tuple[Format, ...]] = (
    langfuse_export.FORMAT,
    *langsmith_run.FORMATS,
    openai_agents_export.FORMAT,
    claude_code_session.FORMAT,
    atif.FORMAT,
    *otlp_request.FORMATS,
    chat_lines.FORMAT,
)

WHOLE_FILES: Final = {row.name: row for row in FORMATS if row.is_whole_file}
"""Formats in which a line means nothing without the others of its file."""


def format_of(value: Json) -> Format | None:
    """The format of a parsed value; a list has the format of its first element."""
    if isinstance(value, list):
        return format_of(value[0]) if value and isinstance(value[0], dict) else None
    return next((row for row in FORMATS if row.claims(value)), None)


def format_of_text(text: bytes) -> Format | None:
    """The format of a JSON text; None where it is no JSON or in no known format."""
    value = load_json(text)
    return None if value is NOT_JSON else format_of(value)

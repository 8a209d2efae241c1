"""Which format one JSON value is in, by its keys.

Comes in: JSON text or a parsed value. Goes out: the format's name as the write-ahead log keeps it, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ingest.atif import is_trajectory
from ingest.claude_code_session import is_session_line
from ingest.langsmith_run import is_feedback, is_run
from ingest.openai_agents_export import is_agents_export
from ingest.text import NOT_JSON, Json, load_json

SESSION: Final = "claude_code_session"
"""The one format in which a line means nothing without the others of its file."""

_KIND_OF_KEY: Final = (
    ("resourceSpans", "otlp_traces"),
    ("resourceLogs", "otlp_logs"),
    ("resourceMetrics", "otlp_metrics"),
    ("messages", "chat_log"),
)

_RECOGNISED: Final[tuple[tuple[str, Callable[[dict[str, Any]], bool]], ...]] = (
    ("langsmith_run", is_run),
    ("langsmith_feedback", is_feedback),
    ("openai_agents_export", is_agents_export),
    (SESSION, is_session_line),
    ("atif", is_trajectory),
)


def kind_of_json(text: bytes) -> str | None:
    """The format of a JSON text; None where it is no JSON or no known format."""
    value = load_json(text)
    return None if value is NOT_JSON else kind_of_value(value)


def kind_of_value(value: Json) -> str | None:
    """The format of a parsed value; a list has the format of its first element."""
    if isinstance(value, list):
        return kind_of_value(value[0]) if value and isinstance(value[0], dict) else None
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("trace"), dict) and isinstance(value.get("observations"), list):
        return "langfuse_export"
    for kind, is_one in _RECOGNISED:
        if is_one(value):
            return kind
    return next((kind for key, kind in _KIND_OF_KEY if key in value), None)

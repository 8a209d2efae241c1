"""Which format one JSON value is in, by its keys.

Comes in: JSON text or a parsed value. Goes out: the format's name as the write-ahead log keeps it, or None.
"""

from __future__ import annotations

from typing import Final

from ingest.text import NOT_JSON, Json, load_json

_KIND_OF_KEY: Final = (
    ("resourceSpans", "otlp_traces"),
    ("resourceLogs", "otlp_logs"),
    ("resourceMetrics", "otlp_metrics"),
    ("messages", "chat_log"),
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
    return next((kind for key, kind in _KIND_OF_KEY if key in value), None)

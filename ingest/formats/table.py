"""The table of file formats: the first row that claims a value reads it.

Adding a format is one file in this folder and one row here; docs/files.md says how.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.formats import chat_lines, conversation_record, message_lines, turn_records
from ingest.formats.agents import (
    bedrock_agent_traces,
    claude_code_session,
    event_streams,
    inspect_log,
    n8n_executions,
    openhands,
    swe_agent,
)
from ingest.formats.format import Format
from ingest.formats.records.fields import Fields
from ingest.formats.records.find import is_record, records_of
from ingest.formats.records.words import NAMES
from ingest.formats.spans import (
    langfuse_export,
    langsmith_run,
    model_calls,
    otlp_request,
    span_records,
    trace_records,
    typed_spans,
)
from ingest.formats.verdict_rows import FORMAT as VERDICT_ROWS
from ingest.records.text import NOT_JSON, Json, objects_in

FORMATS: Final[tuple[Format, ...]] = (
    langfuse_export.FORMAT,
    *langsmith_run.FORMATS,
    claude_code_session.FORMAT,
    inspect_log.FORMAT,
    openhands.FORMAT,
    swe_agent.FORMAT,
    trace_records.FORMAT,
    typed_spans.FORMAT,
    n8n_executions.FORMAT,
    bedrock_agent_traces.FORMAT,
    event_streams.FORMAT,
    span_records.FORMAT,
    model_calls.FORMAT,
    *otlp_request.FORMATS,
    chat_lines.FORMAT,
    turn_records.FORMAT,
    conversation_record.FORMAT,
    message_lines.FORMAT,
    VERDICT_ROWS,
)

_SPANS: Final = (typed_spans.FORMAT, span_records.FORMAT, langfuse_export.FORMAT)

WHOLE_FILES: Final = {row.name: row for row in (*FORMATS, turn_records.LINES) if row.is_whole_file}
"""Formats in which a line means nothing without the others of its file."""


_LOOKED_AT: Final = 20
"""Elements of a list that are looked at to tell what it is a list of."""


def format_of(value: Json) -> Format | None:
    """The format of a parsed value; None where no row claims it."""
    return next((row for row in FORMATS if row.claims(value)), None)


def values_of(value: Json) -> list[Any]:
    """The values that are read one by one: the elements of a list in which a format knows one, else the value itself.

    A list of messages is one conversation, and a list of records is read as one, because an id may stand for several.
    """
    if isinstance(value, list) and any(row.claims(value[0]) for row in _SPANS if value):
        return value
    if isinstance(value, list) and not is_record(value) and not openhands.FORMAT.claims(value):
        found = {format_of(item) for item in value[:_LOOKED_AT] if isinstance(item, dict)} - {None}
        # Records in groups, each below what is said of all of them, are read group by group.
        if found - {conversation_record.FORMAT} or (found and records_of(value) is None):
            return value
    if isinstance(value, dict):
        # A page of a service's answer: its spans below one key, and how many more there are.
        below = (one for one in value.values() if isinstance(one, list) and one)
        rows = _SPANS if (known := format_of(value)) else (*_SPANS, VERDICT_ROWS)
        spans = next((one for one in below if any(row.claims(one[0]) for row in rows)), None)
        # Calls that name what they are about are told with what the document says of that.
        about = Fields(own=spans[0]).text(NAMES["about"]) if spans is not None else None
        if (
            spans is not None
            and about is None
            and known in {None, conversation_record.FORMAT}
            and not is_record(value)
        ):
            return spans
    return [value]


def lines_format(row: Format | None, values: list[Any]) -> Format | None:
    """The format of a file of lines whose lines one by one are in a format: a turn each, or what they are alone."""
    if row is None or row is conversation_record.FORMAT:
        if turn_records.claims(values):
            return turn_records.LINES
        return message_lines.FORMAT if message_lines.sampled_runs(objects_in(values)) else row
    return row


def format_within(value: Json) -> Format | None:
    """The first format that knows a value, or one of those that are read out of it."""
    if value is NOT_JSON:
        return None
    found = (format_of(one) for one in values_of(value)[:_LOOKED_AT])
    return next((row for row in found if row is not None), None)

"""Microsoft's Agent Framework: OpenTelemetry's conventions under a scope of its own.

Its chat spans carry no tool definitions (the agent's span does) and it may send each message a second time as a log
event; both are sorted out in assembly.
"""

from __future__ import annotations

from typing import Final

from ingest.dialects.otel_genai import read_as
from ingest.dialects.reading import Dialect, Reading
from ingest.records.span import Span

NAME: Final = "microsoft_agent"


def claims(span: Span) -> bool:
    """Whether the span is one of the framework's."""
    return span.scope == "agent_framework" and "gen_ai.operation.name" in span.attributes


def read(span: Span) -> Reading:
    """Read one span."""
    return read_as(span, NAME)


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)

"""The table of dialects: the first row that claims a span reads it.

Adding a dialect is one file in this folder and one row here; docs/dialects.md says how.
"""

from __future__ import annotations

from typing import Final

from ingest.dialects import (
    claude_code,
    genkit,
    google_adk,
    langfuse,
    langsmith,
    mlflow,
    openinference,
    openllmetry,
    otel_genai,
    own_spans,
    pydantic_ai,
    vercel_ai,
)
from ingest.dialects.identity import identity
from ingest.dialects.reading import OTHER, Dialect, Reading
from ingest.records.span import Span

DIALECTS: Final[tuple[Dialect, ...]] = (
    langfuse.DIALECT,
    openinference.DIALECT,
    vercel_ai.DIALECT,
    mlflow.DIALECT,
    genkit.DIALECT,
    langsmith.DIALECT,
    pydantic_ai.DIALECT,
    google_adk.DIALECT,
    otel_genai.MICROSOFT,
    claude_code.DIALECT,
    openllmetry.DIALECT,
    otel_genai.DIALECT,
    own_spans.DIALECT,
)

PLAIN: Final = "otel"
"""The name for spans that no dialect claims: they still join parents to children and name conversations."""


def dialect_of(span: Span) -> str:
    """The name of the dialect that a span is in."""
    for dialect in DIALECTS:
        if dialect.claims(span):
            return dialect.name
    return PLAIN


def read_span(span: Span) -> Reading:
    """What a span says, whichever dialect it is in."""
    for dialect in DIALECTS:
        if dialect.claims(span):
            return dialect.read(span)
    return Reading(
        kind=OTHER, dialect=PLAIN, said=tuple(otel_genai.statements(span)), **identity(span)
    )

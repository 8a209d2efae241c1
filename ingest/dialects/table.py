"""The table of dialects: the first row that claims a span reads it.

Adding a dialect is one file in this folder and one row here; docs/dialects.md says how.
"""

from __future__ import annotations

from typing import Final

from ingest.dialects import langfuse, openinference, openllmetry, otel_genai
from ingest.dialects.identity import identity
from ingest.dialects.reading import OTHER, Dialect, Reading
from ingest.span import Span

DIALECTS: Final[tuple[Dialect, ...]] = (
    langfuse.DIALECT,
    openinference.DIALECT,
    openllmetry.DIALECT,
    otel_genai.DIALECT,
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

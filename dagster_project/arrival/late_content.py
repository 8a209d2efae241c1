"""Content that a span names and that is not there yet when the span is decoded.

Comes in: decoded batches, and where content may be fetched from. Goes out: the same spans and events once more, with their content, while
their time lasts; tables fold a row that comes again into the one that was there. After that they stay as they are, and their episodes say
`content_elsewhere`. What waits is in memory only.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa

from ingest.assembly.stored_content import ContentPlaces, awaits, bring, is_named
from ingest.otlp.decode_batch import DecodedBatch
from ingest.records.span import SPAN_SCHEMA, LogEvent, Span, span_of_row, span_row

SECONDS: Final = 600.0
_MOST: Final = 10_000
"""Spans and events that wait at one time; more are left as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    record: Span | LogEvent
    until: float


class LateContent:
    """Puts content that is named by URI in its place, and goes on looking for what was not there."""

    def __init__(
        self,
        elsewhere: ContentPlaces,
        *,
        seconds: float = SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._elsewhere = elsewhere
        self._seconds = seconds
        self._now = now
        self._waiting: list[_Waiting] = []

    @property
    def count(self) -> int:
        """How many spans and events wait."""
        return len(self._waiting)

    def fill(self, batch: DecodedBatch) -> None:
        """Content into its place in a batch; what lacks some waits."""
        if not self._elsewhere.is_allowed:
            return
        named = [is_named(text or "") for text in batch.spans.column("attributes").to_pylist()]
        if any(named):
            rows = batch.spans.filter(pa.array(named)).to_pylist()
            spans = [self._span(span_of_row(row)) for row in rows]
            self._wait_for(spans)
            others = batch.spans.filter(pa.array([not one for one in named]))
            filled = pa.Table.from_pylist([span_row(span) for span in spans], batch.spans.schema)
            batch.spans = pa.concat_tables([others, filled])
        batch.events = [
            replace(event, attributes=bring(event.attributes, self._elsewhere))
            for event in batch.events
        ]
        self._wait_for(batch.events)

    def look_again(self) -> DecodedBatch:
        """The spans and events whose content has come since."""
        now = self._now()
        waiting, self._waiting = self._waiting, []
        found: list[Span | LogEvent] = []
        for one in waiting:
            attributes = bring(one.record.attributes, self._elsewhere)
            record = one.record
            if attributes != record.attributes:
                record = replace(record, attributes=attributes)
                found.append(record)
            if now < one.until and awaits(attributes, self._elsewhere):
                self._waiting.append(_Waiting(record=record, until=one.until))
        rows = [span_row(one) for one in found if isinstance(one, Span)]
        return DecodedBatch(
            spans=pa.Table.from_pylist(rows, SPAN_SCHEMA),
            events=[one for one in found if isinstance(one, LogEvent)],
        )

    def _span(self, span: Span) -> Span:
        return replace(span, attributes=bring(span.attributes, self._elsewhere))

    def _wait_for(self, records: Sequence[Span | LogEvent]) -> None:
        until = self._now() + self._seconds
        for record in records:
            if len(self._waiting) < _MOST and awaits(record.attributes, self._elsewhere):
                self._waiting.append(_Waiting(record=record, until=until))

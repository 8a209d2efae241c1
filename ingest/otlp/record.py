"""What OTLP's two encodings share: ids, times, apps, and a refusal for each record that cannot be used.

Comes in: values that `ingest.otlp.protobuf` (protobuf) or `ingest.otlp.json_bodies` took off the wire. Goes out: `LogEvent`s, checked
ids, and `OtlpRecords`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ingest.errors import BodyRefused
from ingest.files.file_facts import NOTHING_KNOWN, FileFacts
from ingest.otlp.limits import DEFAULT_LIMITS, Limits
from ingest.records.app_name import safe_app_name
from ingest.records.moments import from_number
from ingest.records.quarantine import MAX_KEPT_BODY, Rejected
from ingest.records.span import LogEvent, Span, event_id_of
from ingest.records.text import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Where and when a body came in."""

    app: str | None
    source: str
    position: str
    received_at: int
    limits: Limits = DEFAULT_LIMITS
    text: bytes | None = None
    """The value as it was written, where it stands alone; None for one of a list."""
    is_document: bool = False
    """Whether the value is the whole file: its records are then counted from the file's beginning."""
    facts: FileFacts = NOTHING_KNOWN

    def app_for(self, said: str | None) -> str:
        """The app: what the command line or the token says, else the data itself, else the file's name."""
        return self.app or safe_app_name(said or self.facts.named_after)

    def refused(self, code: str, reason: str, body: bytes) -> Rejected:
        """The body, or a part of it, as quarantine keeps it."""
        return Rejected(
            source=self.source,
            position=self.position,
            code=code,
            reason=reason,
            body=body[:MAX_KEPT_BODY],
            app=self.app,
            at=self.received_at,
        )

    def nth(self, number: int) -> Arrival:
        """The same for one of several records of the value."""
        place = f"record {number}" if self.is_document else f"{self.position}, record {number}"
        facts = replace(self.facts, is_alone=False)
        return replace(self, position=place, text=None, is_document=False, facts=facts)


@dataclass(slots=True, kw_only=True)
class OtlpRecords:
    """What one body held."""

    spans: list[Span] = field(default_factory=list)
    events: list[LogEvent] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What the records of one scope share."""

    app: str
    resource: dict[str, Any]
    scope: str
    scope_version: str
    arrival: Arrival


class RecordRefusedError(ValueError):
    """One record that cannot be used."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def too_many(limits: Limits) -> BodyRefused:
    """The refusal of a body with more records than one may hold."""
    return BodyRefused(
        "too_many_records",
        f"The body holds more than {limits.records} records; send smaller batches.",
    )


def too_deep(limits: Limits) -> RecordRefusedError:
    """The refusal of a record with a value that is nested without end."""
    return RecordRefusedError(
        "too_deep", f"An attribute value is nested deeper than {limits.depth} levels; flatten it."
    )


def keep(
    found: OtlpRecords,
    batch: Batch,
    *,
    number: int,
    raw: object,
    read: Callable[[], Span | LogEvent],
) -> None:
    """Read one record into what was found, or refuse it alone."""
    try:
        record = read()
    except RecordRefusedError as error:
        place = f"{batch.arrival.position}, record {number}"
        body = raw if isinstance(raw, bytes) else repr(raw).encode()
        of_record = replace(batch.arrival, position=place, app=batch.app)
        found.rejected.append(of_record.refused(error.code, str(error), body))
        return
    if isinstance(record, Span):
        found.spans.append(record)
    else:
        found.events.append(record)


JUDGES_AS: Final = "tracegym.receiver.judges_as"
"""Beside a resource's attributes: as whom its sender may judge. The receiver's word, whatever the sender writes there."""


def resource_of(arrival: Arrival, sent: dict[str, Any]) -> dict[str, Any]:
    """The resource's attributes with what the receiver knows of the sender."""
    roles = arrival.facts.judges_as
    return {**sent, JUDGES_AS: roles} if roles else sent


def judged_by(said: str, resource: Mapping[str, Any]) -> str:
    """Who judged: what the sender says, `unknown` where its token has not that role."""
    roles = resource.get(JUDGES_AS)
    return said if not isinstance(roles, str) or said in roles.split(",") else "unknown"


def app_of(arrival: Arrival, resource: dict[str, Any]) -> str:
    """The app: from the token or the command line, else the service's name, made safe."""
    return arrival.app or safe_app_name(text_of(resource.get("service.name")))


def text_of(value: Json) -> str:
    """Text, or nothing."""
    return value if isinstance(value, str) else ""


def checked_id(text: str, digits: int, what: str) -> str:
    """A trace or span id; all-zero ids and ids of another length join nothing and are refused."""
    if len(text) != digits or not is_hex(text):
        raise RecordRefusedError(
            f"bad_{what}_id", f"The {what} id is not {digits} hex digits; it cannot be joined."
        )
    if not text.strip("0"):
        raise RecordRefusedError(
            f"zero_{what}_id", f"The {what} id is all zero, which OTLP calls invalid."
        )
    return text


def finite(value: float) -> float | None:
    """The number; None for NaN and infinity, which JSON cannot say."""
    return value if math.isfinite(value) else None


def is_hex(text: str) -> bool:
    """Whether the text is lower-case hex."""
    return all(char in "0123456789abcdef" for char in text)


def parent_of(text: str) -> str | None:
    """The parent's span id, where there is one."""
    return text if len(text) == 16 and is_hex(text) and text.strip("0") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When a span started and ended."""

    started_at: int
    ended_at: int | None


def times_of(started: int, ended: int, arrival: Arrival) -> Times:
    """A start that is missing is taken from the end, then from the arrival; no end lies before its start."""
    end = from_number(ended)
    start = from_number(started) or end or arrival.received_at
    return Times(started_at=start, ended_at=None if end is None else max(start, end))


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEvent:
    """A log record as either encoding has it."""

    name: str
    trace_id: str
    span_id: str
    time: int
    severity: int
    dropped: int
    attributes: dict[str, Any]
    body: Any


def event_of(raw: RawEvent, batch: Batch) -> LogEvent:
    """The log event; ids that are no ids are left out, because the event may still be joined by its attributes."""
    name = raw.name or text_of(raw.attributes.get("event.name"))
    trace = raw.trace_id if parent_of(raw.trace_id[:16]) or parent_of(raw.trace_id[16:]) else ""
    trace_id = trace if len(trace) == 32 and is_hex(trace) else None
    span_id = parent_of(raw.span_id) if trace_id else None
    return LogEvent(
        app=batch.app,
        event_id=event_id_of(
            batch.app, trace_id, span_id, name, raw.time, raw.attributes, raw.body
        ),
        trace_id=trace_id,
        span_id=span_id,
        name=name,
        at=from_number(raw.time) or batch.arrival.received_at,
        severity=raw.severity,
        scope=batch.scope,
        body=raw.body,
        attributes=raw.attributes,
        resource=batch.resource,
        dropped=raw.dropped,
    )

"""OTLP requests as JSON: what the Collector's file exporter writes, one request a line.

Comes in: one parsed request. Goes out: spans and log events; metrics are refused, because they carry no episodes.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ingest.formats.format import Decoded, Format
from ingest.otlp_json import read_json
from ingest.otlp_record import Arrival
from ingest.quarantine import Rejected
from ingest.text import Json

_KEY_OF: Final = {
    "traces": "resourceSpans",
    "logs": "resourceLogs",
    "metrics": "resourceMetrics",
}


def _holds(signal: str, value: Json) -> bool:
    return isinstance(value, dict) and _KEY_OF[signal] in value


def _read(signal: str, value: Json, arrival: Arrival) -> Decoded:
    records = read_json(value, signal, arrival, limits=arrival.limits)
    return Decoded(spans=records.spans, events=records.events, rejected=records.rejected)


def refuse_metrics(_value: object, arrival: Arrival) -> Decoded:
    """The refusal of a body of metrics, which is no fault of anybody's."""
    refused = Rejected(
        source=arrival.source,
        position=arrival.position,
        code="metrics",
        reason="Metrics carry no episodes; they are not kept.",
        body=b"",
        app=arrival.app,
        at=arrival.received_at,
    )
    return Decoded(rejected=[refused])


FORMATS: Final = tuple(
    Format(
        name=f"otlp_{signal}",
        title=f"OTLP {signal}",
        keys=(key,),
        claims=partial(_holds, signal),
        read=refuse_metrics if signal == "metrics" else partial(_read, signal),
        parted_at=key,
        checks_depth=True,
    )
    for signal, key in _KEY_OF.items()
)

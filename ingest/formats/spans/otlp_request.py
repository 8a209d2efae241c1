"""OTLP requests as JSON: what the Collector's file exporter writes, one request a line.

Comes in: one parsed request. Goes out: spans and log events; metrics are refused, because they carry no episodes.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ingest.formats.format import Decoded, Format
from ingest.otlp.json_bodies import read_json
from ingest.otlp.record import Arrival
from ingest.records.text import Json, json_bytes

_KEY_OF: Final = {"traces": "resourceSpans", "logs": "resourceLogs", "metrics": "resourceMetrics"}
_LISTS: Final = {
    "traces": ("resourceSpans", "scopeSpans", "spans"),
    "logs": ("resourceLogs", "scopeLogs", "logRecords"),
}


def _holds(signal: str, value: Json) -> bool:
    return isinstance(value, dict) and _KEY_OF[signal] in value


def _read(signal: str, value: Json, arrival: Arrival) -> Decoded:
    records = read_json(value, signal, arrival, limits=arrival.limits)
    found = Decoded(spans=records.spans, events=records.events, rejected=records.rejected)
    odd = _odd(value, _LISTS[signal])
    if odd is not None:
        reason = f"The field {odd} is no list of objects; what stands beside it was kept."
        found.rejected.append(arrival.refused("bad_field", reason, json_bytes(value)))
    return found


def _odd(value: Json, keys: tuple[str, ...]) -> str | None:
    """The first list of a request that is none, or holds something else than objects."""
    level = [value]
    for key in keys:
        below: list[Any] = []
        for one in level:
            inner = one.get(key)
            if not isinstance(inner, list | None) or not all(
                isinstance(item, dict) for item in inner or ()
            ):
                return key
            below += inner or ()
        level = below
    return None


def refuse_metrics(_value: object, arrival: Arrival) -> Decoded:
    """The refusal of a body of metrics, which is no fault of anybody's."""
    reason = "Metrics carry no episodes; they are not kept."
    return Decoded(rejected=[arrival.refused("metrics", reason, b"")])


FORMATS: Final = tuple(
    Format(
        name=f"otlp_{signal}",
        title=f"OTLP {signal}",
        keys=(key,),
        claims=partial(_holds, signal),
        read=refuse_metrics if signal == "metrics" else partial(_read, signal),
        parted_at=key,
        may_be_empty=True,
        checks_depth=True,
    )
    for signal, key in _KEY_OF.items()
)

"""tracegym's own OpenTelemetry traces, to an endpoint that whoever runs it names; none without one.

Comes in: an OTLP/HTTP endpoint, and what a round of decoding did. Goes out: one span a round that did something, with counts
and no text of any sender. It never reports about itself: an endpoint that is the receiver's own is refused, and a round that
decoded nothing but these spans makes none.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Final
from urllib.parse import urlsplit

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Tracer, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status, StatusCode

from dagster_project.arrival.files import ArrivalCounts
from dagster_project.errors import InputError

SERVICE: Final = "tracegym-receiver"
_EXPORTER: Final = "opentelemetry.exporter.otlp.proto.http.trace_exporter"


class OwnTraces:
    """Where rounds are reported to; nowhere where no endpoint is named."""

    def __init__(self, tracer: Tracer | None) -> None:
        self._tracer = tracer

    def landed(self, arrived: ArrivalCounts, *, started: int) -> None:
        """One round of decoding; `started` is in nanoseconds since the epoch."""
        counts = {
            "tracegym.spans": arrived.spans,
            "tracegym.log_events": arrived.log_events,
            "tracegym.outcomes": arrived.outcomes,
            "tracegym.quarantined": sum(arrived.rejected.values()),
        }
        if self._tracer is not None and any(counts.values()) and arrived.apps != {SERVICE}:
            self._tracer.start_span("land", attributes=counts, start_time=started).end()

    def note_failure(self, error: Exception, *, started: int) -> None:
        """A round that could not be finished, by the kind of its fault."""
        if self._tracer is not None:
            told = {"error.type": type(error).__name__}
            span = self._tracer.start_span("land", attributes=told, start_time=started)
            span.set_status(Status(StatusCode.ERROR))
            span.end()


@contextmanager
def own_traces(endpoint: str | None, *, ports: frozenset[int]) -> Iterator[OwnTraces]:
    """Report to this endpoint for a while; `ports` are the receiver's own."""
    if endpoint is None:
        yield OwnTraces(None)
        return
    parts = urlsplit(endpoint)
    if parts.scheme not in {"http", "https"} or parts.port in ports:
        raise InputError(
            f"{endpoint} cannot take tracegym's own traces; name another OTLP/HTTP receiver than this one"
        )
    try:
        # What production apps export with; tracegym itself does not depend on it.
        exporter = import_module(_EXPORTER).OTLPSpanExporter
    except ImportError as error:
        raise InputError(
            "the exporter is not installed; run: pip install opentelemetry-exporter-otlp-proto-http"
        ) from error
    provider = TracerProvider(resource=Resource.create({"service.name": SERVICE}))
    path = "" if parts.path.endswith("/v1/traces") else "/v1/traces"
    provider.add_span_processor(BatchSpanProcessor(exporter(endpoint=endpoint.rstrip("/") + path)))
    try:
        tracer = provider.get_tracer("tracegym")
        yield OwnTraces(tracer if isinstance(tracer, Tracer) else None)
    finally:
        provider.shutdown()

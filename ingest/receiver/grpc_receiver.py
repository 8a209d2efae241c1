"""The OTLP/gRPC receiver: the same intake behind port 4317.

Comes in: Export calls of stock OTLP exporters. Goes out: an empty response once the body is durable, or a status as
OTLP 1.11 asks: UNAVAILABLE with RetryInfo is to be tried again, all others are permanent. Requests stay bytes: what
gRPC would parse or unpack, it would parse and unpack without a limit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc  # type: ignore[import-untyped]  # grpcio ships no types

from ingest.errors import IngestError
from ingest.otlp import rpc_status
from ingest.receiver.intake import RETRY_AFTER_SECONDS, Intake, Refusal, SentBody
from ingest.receiver.tls import check_tls

DEFAULT_GRPC_PORT: Final = 4317
_WORKERS: Final = 8
"""Calls whose body is in memory at one time; the others wait in HTTP/2's flow control."""
_GRACE_SECONDS: Final = 5.0
_GZIP_MAGIC: Final = b"\x1f\x8b"
_SERVICES: Final = {
    "opentelemetry.proto.collector.trace.v1.TraceService": "traces",
    "opentelemetry.proto.collector.logs.v1.LogsService": "logs",
    "opentelemetry.proto.collector.metrics.v1.MetricsService": "metrics",
}
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcSettings:
    """Where to listen and how."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_GRPC_PORT
    """0 takes any free one."""
    certificate: Path | None = None
    key: Path | None = None


class GrpcServer:
    """One gRPC server over an intake that HTTP shares."""

    def __init__(self, intake: Intake, settings: GrpcSettings) -> None:
        self._server = grpc.server(
            ThreadPoolExecutor(_WORKERS, thread_name_prefix="otlp-grpc"),
            options=[
                # Both ends of the limit are ours: gRPC unpacks gzip without one (195 KB became 200 MB), so it does not.
                ("grpc.per_message_decompression", 0),
                ("grpc.max_receive_message_length", intake.limits.body.body_bytes),
                ("grpc.so_reuseport", 0),
            ],
        )
        self._server.add_generic_rpc_handlers(
            tuple(
                grpc.method_handlers_generic_handler(
                    service,
                    {"Export": grpc.unary_unary_rpc_method_handler(_export(intake, signal))},
                )
                for service, signal in _SERVICES.items()
            )
        )
        self.port = _bind(self._server, settings)

    def start(self) -> int:
        """Serve on threads of its own; returns the port."""
        self._server.start()
        return self.port

    def stop(self) -> None:
        """Finish what is under way and stop."""
        stopped: threading.Event = self._server.stop(_GRACE_SECONDS)
        stopped.wait(_GRACE_SECONDS * 2)


def _bind(server: grpc.Server, settings: GrpcSettings) -> int:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"{host}:{settings.port}"
    credentials = _credentials(settings)
    try:
        if credentials is None:
            return int(server.add_insecure_port(address))
        return int(server.add_secure_port(address, credentials))
    except RuntimeError as error:
        raise IngestError(
            f"The gRPC receiver cannot listen on {address}; choose another port."
        ) from error


def _credentials(settings: GrpcSettings) -> grpc.ServerCredentials | None:
    check_tls(settings.certificate, settings.key)
    if settings.certificate is None or settings.key is None:
        return None
    try:
        pair = (settings.key.read_bytes(), settings.certificate.read_bytes())
    except OSError as error:
        raise IngestError(
            "The certificate or its key cannot be read; check both paths and their owner."
        ) from error
    return grpc.ssl_server_credentials([pair])


def _export(intake: Intake, signal: str) -> Callable[[bytes, grpc.ServicerContext], bytes]:
    def handle(sent: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            _take(intake, signal, sent, context)
        except Refusal as refusal:
            _count(intake, signal, _CODES[refusal.code].name)
            _refuse(context, refusal)
        _count(intake, signal, "OK")
        if signal == "metrics":
            return rpc_status.partial_body(
                0, rpc_status.NO_METRICS, "rejectedDataPoints", rpc_status.PROTOBUF
            )
        return rpc_status.success_body(rpc_status.PROTOBUF)

    return handle


def _take(intake: Intake, signal: str, sent: bytes, context: grpc.ServicerContext) -> None:
    metadata = dict(context.invocation_metadata())
    sender = intake.sender_of(_text(metadata.get("authorization")))
    body = SentBody(
        signal=signal,
        content_type=rpc_status.PROTOBUF,
        sent=sent,
        # No protobuf message starts with gzip's first byte: it would name a wire type that does not exist.
        compression="gzip" if sent[:2] == _GZIP_MAGIC else "",
    )
    with intake.hold() as held:
        held.take(len(sent))
        size = intake.check(body)
        intake.store(body, sender, room=size)


def _text(value: str | bytes | None) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _count(intake: Intake, signal: str, answer: str) -> None:
    intake.counters.add("requests", protocol="grpc", signal=signal, answer=answer)


def _refuse(context: grpc.ServicerContext, refusal: Refusal) -> None:
    if refusal.retry:
        details = rpc_status.retry_status(refusal.code, refusal.message, RETRY_AFTER_SECONDS)
        context.set_trailing_metadata((("grpc-status-details-bin", details),))
    context.abort(_CODES[refusal.code], refusal.message)

"""OTLP/gRPC: the stock exporter, the spec's statuses, limits before anything is unpacked, TLS."""

from __future__ import annotations

import datetime as dt
import ipaddress
import resource
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc  # type: ignore[import-untyped]  # grpcio ships no types
import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from ingest.errors import IngestError
from ingest.otlp.decode import decode
from ingest.otlp.limits import Limits
from ingest.receiver.grpc_receiver import GrpcServer, GrpcSettings
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake, ReceiverLimits
from ingest.receiver.server import Server, ServerSettings
from ingest.receiver.tokens import load_tokens
from ingest.receiver.wal import Wal

TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
Export = Callable[..., bytes]


@contextmanager
def served(intake: Intake) -> Iterator[int]:
    """A running gRPC receiver on a free port."""
    server = GrpcServer(intake, GrpcSettings(port=0))
    port = server.start()
    try:
        yield port
    finally:
        server.stop()


@contextmanager
def calling(port: int, path: str = TRACES, *, gzip: bool = False) -> Iterator[Export]:
    """A bare client that sends bytes and returns bytes."""
    compression = grpc.Compression.Gzip if gzip else None
    options = [("grpc.max_send_message_length", -1)]
    with grpc.insecure_channel(f"127.0.0.1:{port}", options, compression) as channel:
        yield channel.unary_unary(path)


def body(spans: int = 1) -> bytes:
    """A request with spans."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for number in range(spans):
        one = scope.spans.add()
        one.trace_id, one.span_id = b"\1" * 16, (number + 1).to_bytes(8, "big")
    return bytes(request.SerializeToString())


def refusal(call: Export, content: bytes, **options: object) -> grpc.RpcError:
    """The error that a call ends with."""
    with pytest.raises(grpc.RpcError) as caught:
        call(content, timeout=20, **options)
    return caught.value


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_the_stock_grpc_exporter_is_all_an_app_needs(
    tmp_path: Path, compression: grpc.Compression
) -> None:
    """Spans of the plain SDK arrive over gRPC, plain and gzipped, and are read from the log."""
    with Wal(tmp_path) as wal, served(Intake(wal)) as port:
        exporter = OTLPSpanExporter(
            endpoint=f"http://127.0.0.1:{port}", insecure=True, compression=compression
        )
        provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with provider.get_tracer("app").start_as_current_span("chat m") as span:
            span.set_attribute("gen_ai.operation.name", "chat")
        provider.shutdown()
        (record,) = wal.pending()
        (arrived,) = decode(record).spans
    assert (arrived.app, arrived.name) == ("shop", "chat m")
    assert record.encoding == (
        "protobuf+gzip" if compression is grpc.Compression.Gzip else "protobuf"
    )


def test_statuses_are_the_ones_of_the_specification(tmp_path: Path) -> None:
    """What can never succeed is permanent; too large a body is RESOURCE_EXHAUSTED without RetryInfo."""
    limits = ReceiverLimits(body=Limits(body_bytes=100_000, records=50))
    with Wal(tmp_path) as wal, served(Intake(wal, None, limits)) as port:
        with calling(port) as call:
            assert refusal(call, b"\xff\xff").code() is grpc.StatusCode.INVALID_ARGUMENT
            for large in (body(60), bytes(200_000)):
                error = refusal(call, large)
                assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert "grpc-status-details-bin" not in dict(error.trailing_metadata())
            assert call(b"") == b""
            assert call(body()) == b""
        with calling(port, METRICS) as call:
            assert b"Metrics are not kept" in call(b"\x0a\x00")
        with calling(port, "/other.Service/Export") as call:
            assert refusal(call, b"").code() is grpc.StatusCode.UNIMPLEMENTED
        assert len(wal.pending()) == 1


def test_a_gzip_bomb_is_refused_at_constant_memory(tmp_path: Path) -> None:
    """300 MB of zeros, 300 KB on the wire, cost no more than the limit of one body."""
    limits = ReceiverLimits(body=Limits(body_bytes=1 << 20))
    bomb = bytes(300 << 20)
    with (
        Wal(tmp_path) as wal,
        served(Intake(wal, None, limits)) as port,
        calling(port, gzip=True) as call,
    ):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert refusal(call, bomb).code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    # The client, in this process too, holds the plain body at most once more.
    assert grown < 400 << 10


def test_back_pressure_and_a_broken_disk_are_to_be_tried_again(tmp_path: Path) -> None:
    """UNAVAILABLE comes with RetryInfo, the same process takes the body once the disk is back."""
    blocked = tmp_path / "wal"
    blocked.write_text("in the way")
    with Wal(blocked) as wal, served(Intake(wal)) as port, calling(port) as call:
        error = refusal(call, body())
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert b"google.rpc.RetryInfo" in dict(error.trailing_metadata())["grpc-status-details-bin"]
        blocked.unlink()
        assert call(body(), timeout=20) == b""
    with Wal(tmp_path / "busy") as wal:
        intake = Intake(wal, None, ReceiverLimits(waiting_bytes=10))
        with served(intake) as port, calling(port) as call:
            assert refusal(call, body()).code() is grpc.StatusCode.UNAVAILABLE


def test_the_app_comes_from_the_token_over_grpc_too(tmp_path: Path) -> None:
    """Without a known token the answer is UNAUTHENTICATED; with one it names the app."""
    file = tmp_path / "tokens"
    file.write_text("secret-one shop\n")
    with Wal(tmp_path) as wal, served(Intake(wal, load_tokens(file))) as port:
        with calling(port) as call:
            assert refusal(call, body()).code() is grpc.StatusCode.UNAUTHENTICATED
            metadata = (("authorization", "Bearer secret-one"),)
            assert call(body(), timeout=20, metadata=metadata) == b""
        assert [record.app for record in wal.pending()] == ["shop"]


def certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "cert.pem").write_bytes(signed.public_bytes(pem))
    (folder / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "cert.pem", folder / "key.pem"


def test_tls_by_certificate_files_on_both_protocols(tmp_path: Path) -> None:
    """The same two files open HTTPS and gRPC over TLS; a client without them gets nowhere."""
    cert, key = certificate(tmp_path)
    with Wal(tmp_path / "wal") as wal:
        intake = Intake(wal)
        web = Server(http_app(intake), ServerSettings(port=0, certificate=cert, key=key))
        port = web.start()
        rpc = GrpcServer(intake, GrpcSettings(port=0, certificate=cert, key=key))
        grpc_port = rpc.start()
        headers = {"content-type": "application/x-protobuf"}
        with httpx.Client(verify=_trusting(cert)) as client:
            url = f"https://127.0.0.1:{port}/v1/traces"
            assert client.post(url, content=body(1), headers=headers).status_code == 200
        trusted = grpc.ssl_channel_credentials(cert.read_bytes())
        with grpc.secure_channel(f"localhost:{grpc_port}", trusted) as channel:
            assert channel.unary_unary(TRACES)(body(2), timeout=20) == b""
        with calling(grpc_port) as call:
            assert refusal(call, body(3)).code() is grpc.StatusCode.UNAVAILABLE
        web.stop()
        rpc.stop()
        assert len(wal.pending()) == 2


def _trusting(cert: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(cert))


def test_a_taken_grpc_port_is_one_clear_error(tmp_path: Path) -> None:
    """A second server on the same port, or a key that is not there, says what is wrong."""
    with Wal(tmp_path) as wal, served(Intake(wal)) as port:
        with pytest.raises(IngestError, match=f"{port}"):
            GrpcServer(Intake(wal), GrpcSettings(port=port))
        missing = GrpcSettings(port=0, certificate=tmp_path / "no", key=tmp_path / "none")
        with pytest.raises(IngestError, match="certificate"):
            GrpcServer(Intake(wal), missing)


def test_metrics_count_what_both_protocols_did(tmp_path: Path) -> None:
    """GET /metrics counts requests by protocol and answer, in Prometheus' format."""
    with Wal(tmp_path) as wal:
        intake = Intake(wal)
        web = Server(http_app(intake), ServerSettings(port=0))
        url = f"http://127.0.0.1:{web.start()}"
        with served(intake) as port, calling(port) as call:
            call(body(), timeout=20)
            refusal(call, b"\xff")
        httpx.post(f"{url}/v1/traces", content=b"x", headers={"content-type": "text/plain"})
        answer = httpx.get(f"{url}/metrics")
        web.stop()
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = set(answer.text.splitlines())
    prefix = 'tracegym_receiver_requests_total{protocol="grpc",signal="traces",answer='
    assert {
        f'{prefix}"OK"}} 1',
        f'{prefix}"INVALID_ARGUMENT"}} 1',
        'tracegym_receiver_requests_total{protocol="http",signal="traces",answer="415"} 1',
        'tracegym_receiver_bodies_stored_total{signal="traces"} 1',
        "tracegym_receiver_waiting_bytes 0",
    } <= lines

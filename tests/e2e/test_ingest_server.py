"""A real server, the stock exporter, and a process that is killed."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from ingest.assembly.assemble import assemble
from ingest.errors import IngestError
from ingest.otlp.decode import decode
from ingest.receiver.grpc_receiver import GrpcServer, GrpcSettings
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.server import Server, ServerSettings
from ingest.receiver.tokens import Tokens
from ingest.receiver.wal import Wal

SERVE = """
import sys
from pathlib import Path
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.server import Server, ServerSettings
from ingest.receiver.wal import Wal
server = Server(http_app(Intake(Wal(Path(sys.argv[1])))), ServerSettings(port=0))
print(server.start(), flush=True)
sys.stdin.read()
"""


def test_the_stock_exporter_is_all_an_app_needs(tmp_path: Path) -> None:
    """Spans of the plain SDK, exported with nothing but an endpoint, become an episode."""
    with Wal(tmp_path) as wal:
        server = Server(http_app(Intake(wal, Tokens())), ServerSettings(port=0))
        port = server.start()
        exporter = OTLPSpanExporter(endpoint=f"http://127.0.0.1:{port}/v1/traces")
        provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
        provider.add_span_processor(BatchSpanProcessor(exporter))
        tracer = provider.get_tracer("app")
        with tracer.start_as_current_span("invoke_agent desk") as agent:
            agent.set_attribute("gen_ai.operation.name", "invoke_agent")
            agent.set_attribute("gen_ai.conversation.id", "c1")
            with tracer.start_as_current_span("chat m") as chat:
                chat.set_attribute("gen_ai.operation.name", "chat")
                parts = '[{"role":"%s","parts":[{"type":"text","content":"%s"}]}]'
                chat.set_attribute("gen_ai.input.messages", parts % ("user", "hi"))
                chat.set_attribute("gen_ai.output.messages", parts % ("assistant", "hello"))
        provider.shutdown()
        server.stop()
        spans = [span for record in wal.pending() for span in decode(record).spans]
    (episode,) = assemble(spans, app="shop").episodes
    assert [step.content for step in episode.steps] == ["hi", "hello"]
    assert (episode.conversation_id, episode.agent) == ("c1", "desk")


def test_a_taken_port_is_one_clear_error(tmp_path: Path) -> None:
    """A second server on the same port says what is wrong."""
    with Wal(tmp_path) as wal:
        first = Server(http_app(Intake(wal)), ServerSettings(port=0))
        port = first.start()
        with pytest.raises(IngestError, match=f"{port}"):
            Server(http_app(Intake(wal)), ServerSettings(port=port))
        first.stop()


@pytest.mark.parametrize("given", ["certificate", "key", "neither file is there", "no PEM"])
def test_tls_that_cannot_work_is_one_clear_error(tmp_path: Path, given: str) -> None:
    """Half a pair or a file that is none never leaves a port open without TLS, over HTTP or gRPC."""
    here = tmp_path / "file.pem"
    here.write_text("no PEM", encoding="utf-8")
    pair = {
        "certificate": (here, None),
        "key": (None, here),
        "neither file is there": (tmp_path / "cert.pem", tmp_path / "key.pem"),
        "no PEM": (here, here),
    }
    certificate, key = pair[given]
    with Wal(tmp_path / "wal") as wal:
        with pytest.raises(IngestError, match="certificate"):
            Server(http_app(Intake(wal)), ServerSettings(port=0, certificate=certificate, key=key))
        with pytest.raises(IngestError, match="certificate"):
            GrpcServer(Intake(wal, None), GrpcSettings(port=0, certificate=certificate, key=key))


def _body(number: int) -> bytes:
    request = ExportTraceServiceRequest()
    one = request.resource_spans.add().scope_spans.add().spans.add()
    one.trace_id, one.span_id = b"\1" * 16, (number + 1).to_bytes(8, "big")
    return bytes(request.SerializeToString())


def _post(port: int, content: bytes) -> bool:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/traces",
        data=content,
        headers={"content-type": "application/x-protobuf"},
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


@pytest.mark.parametrize("rounds", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path, rounds: int) -> None:
    """A process killed in the middle of requests has every acknowledged body, each once, round after round."""
    acknowledged: set[str] = set()
    number = 0
    for round_number in range(rounds):
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        port = int(server.stdout.readline())
        until = time.monotonic() + 0.4 + 0.1 * (round_number % 5)
        while time.monotonic() < until:
            if _post(port, _body(number)):
                acknowledged.add(f"{number + 1:016x}")
            number += 1
        server.send_signal(signal.SIGKILL)
        server.wait(timeout=10)
        server.communicate()
    with Wal(tmp_path) as wal:
        stored = [span.span_id for record in wal.pending(100_000) for span in decode(record).spans]
    assert acknowledged
    assert acknowledged <= set(stored)
    assert len(stored) == len(set(stored))


@pytest.mark.slow
def test_a_thousand_clients_at_once(tmp_path: Path) -> None:
    """A thousand parallel senders are all answered, what is answered with 200 is stored once, and memory is given back."""
    with Wal(tmp_path) as wal:
        intake = Intake(wal)
        server = Server(http_app(intake), ServerSettings(port=0))
        port = server.start()
        answers = asyncio.run(_crowd(port, 1000))
        server.stop()
        stored = {span.span_id for record in wal.pending(10_000) for span in decode(record).spans}
    taken = {f"{number + 1:016x}" for number, status in answers.items() if status == 200}
    assert len(answers) == 1000
    assert set(answers.values()) <= {200, 429, 503}
    assert taken == stored
    assert "tracegym_receiver_waiting_bytes 0" in intake.metrics().splitlines()


async def _crowd(port: int, count: int) -> dict[int, int]:
    async def send(client: httpx.AsyncClient, number: int) -> tuple[int, int]:
        answer = await client.post("/v1/traces", content=_body(number))
        return number, answer.status_code

    limits = httpx.Limits(max_connections=count)
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}",
        headers={"content-type": "application/x-protobuf"},
        limits=limits,
        timeout=120,
    ) as client:
        return dict(await asyncio.gather(*(send(client, number) for number in range(count))))


def test_a_sender_that_hangs_up_or_crawls_holds_nothing(tmp_path: Path) -> None:
    """Bodies that are announced and never come keep no memory reserved and nobody else waiting."""
    with Wal(tmp_path) as wal:
        intake = Intake(wal)
        server = Server(http_app(intake), ServerSettings(port=0))
        port = server.start()
        head = (
            b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\n"
            b"content-length: 50000000\r\n\r\n"
        )
        crawling = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
        for one in crawling:
            one.sendall(head + b"\x0a" * 1000)
        assert _post(port, _body(1))
        for one in crawling:
            one.close()
        deadline = time.monotonic() + 10
        while "tracegym_receiver_waiting_bytes 0" not in intake.metrics().splitlines():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        server.stop()
        assert len(wal.pending()) == 1

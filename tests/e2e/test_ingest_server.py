"""A real server, the stock exporter, and a process that is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from ingest.assemble import assemble
from ingest.decode import decode
from ingest.errors import IngestError
from ingest.receiver import receiver_app
from ingest.server import Server, ServerSettings
from ingest.tokens import Tokens
from ingest.wal import Wal

SERVE = """
import sys
from pathlib import Path
from ingest.receiver import receiver_app
from ingest.server import Server, ServerSettings
from ingest.wal import Wal
server = Server(receiver_app(Wal(Path(sys.argv[1]))), ServerSettings(port=0))
print(server.start(), flush=True)
sys.stdin.read()
"""


def test_the_stock_exporter_is_all_an_app_needs(tmp_path: Path) -> None:
    """Spans of the plain SDK, exported with nothing but an endpoint, become an episode."""
    with Wal(tmp_path) as wal:
        server = Server(receiver_app(wal, Tokens()), ServerSettings(port=0))
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
        first = Server(receiver_app(wal), ServerSettings(port=0))
        port = first.start()
        with pytest.raises(IngestError, match=f"{port}"):
            Server(receiver_app(wal), ServerSettings(port=port))
        first.stop()


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


def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """A process killed in the middle of requests has every acknowledged body, each once, in three rounds."""
    acknowledged: set[str] = set()
    number = 0
    for round_number in range(3):
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        port = int(server.stdout.readline())
        until = time.monotonic() + 0.4 + 0.1 * round_number
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

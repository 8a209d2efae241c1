"""The receiver's memory while more arrives than it may hold, in a process of its own."""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ingest.receiver.intake import Intake, SentBody
from ingest.receiver.tokens import Sender
from ingest.receiver.wal import Wal

SERVE = """
import sys
from pathlib import Path
from ingest.receiver.intake import ReceiverLimits
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.server import Server, ServerSettings
from ingest.receiver.wal import Wal
limits = ReceiverLimits(waiting_bytes=32 << 20)
server = Server(http_app(Intake(Wal(Path(sys.argv[1])), limits=limits)), ServerSettings(port=0))
print(server.start(), flush=True)
sys.stdin.read()
"""
MIB = 1 << 20
BODY = 4 * MIB
SENDERS = 80
# The budget, a few bodies being checked, packed and written at once, and what the allocator keeps of them.
ROOM = 32 * MIB + 16 * BODY + 32 * MIB


def body(number: int) -> bytes:
    """A request of four megabytes that packs badly enough to be written whole."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    span = scope.spans.add(trace_id=b"t" * 16, span_id=(number + 1).to_bytes(8, "big"), name="n")
    text = "".join(f"{number * 7919 + n:x} " for n in range(BODY // 7))[:BODY]
    span.attributes.add(key="text").value.string_value = text
    return bytes(request.SerializeToString())


def peak(pid: int) -> int:
    """The most memory that a process has had, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("VmHWM")]
    return int(line.split()[1]) << 10


async def crowd(port: int) -> list[int]:
    """What the senders were answered, all at once and over and over."""
    bodies = [body(number) for number in range(8)]
    headers = {"content-type": "application/x-protobuf"}
    limits = httpx.Limits(max_connections=SENDERS)
    async with httpx.AsyncClient(headers=headers, limits=limits, timeout=120) as client:

        async def send(number: int) -> int:
            content = bodies[number % len(bodies)] + b"\x0a\x00" * number
            answer = await client.post(f"http://127.0.0.1:{port}/v1/traces", content=content)
            return answer.status_code

        return list(await asyncio.gather(*(send(number) for number in range(2 * SENDERS))))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_memory_stays_under_the_limit_whatever_arrives(tmp_path: Path) -> None:
    """640 MiB from 80 senders at once: what does not fit the budget of 32 MiB is told to come back."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        before = peak(server.pid)
        answers = asyncio.run(crowd(port))
        grown = peak(server.pid) - before
    finally:
        server.kill()
        server.communicate()
    assert set(answers) <= {200, 429, 503}
    assert 200 in answers
    assert grown < ROOM, f"{grown >> 20} MiB"


LAND = """
import sys
from pathlib import Path
from dagster_project.arrival.files import land
from dagster_project.home.layout import open_home
from ingest.receiver.wal import Wal
home = open_home(Path(sys.argv[1]), create=True)
with Wal(home.wal) as wal:
    land(home, wal)
(line,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(line.split()[1]) << 10)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_bodies_that_pack_well_are_landed_one_by_one(tmp_path: Path) -> None:
    """Eight bodies of 60 KiB that hold one text of 60 MiB each: 3.9 GB while they were decoded together and copied into statistics."""
    intake_of = Intake(Wal(tmp_path / "private" / "wal"))
    for number in range(8):
        request = ExportTraceServiceRequest()
        name = bytes([number + 1])
        span = request.resource_spans.add().scope_spans.add().spans.add()
        span.trace_id, span.span_id, span.name = name * 16, name * 8, "n"
        span.attributes.add(key="text").value.string_value = "a" * (60 * MIB)
        packed = gzip.compress(bytes(request.SerializeToString()))
        sent = SentBody(
            signal="traces",
            content_type="application/x-protobuf",
            sent=packed,
            compression="gzip",
        )
        intake_of.store(sent, Sender(), room=intake_of.check(sent))
    command = [sys.executable, "-c", LAND, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1300 * MIB

"""`/ready` where the disk is full: 503 with the reason, and 200 again once there is room."""

from __future__ import annotations

import asyncio
import json
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.wal import Wal, WalRecord

FULL = """
import asyncio, json, resource, sys
from pathlib import Path
import httpx
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.wal import Wal, WalRecord

async def ready(app):
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        answer = await client.get("/ready")
        return answer.status_code, answer.json()

app = http_app(Intake(Wal(Path(sys.argv[1]))))
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
said = [asyncio.run(ready(app))]
resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
said.append(asyncio.run(ready(app)))
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
said.append(asyncio.run(ready(app)))
print(json.dumps(said))
"""


def test_a_full_disk_under_its_own_messages_does_not_end_the_server(tmp_path: Path) -> None:
    """What `serve` tells goes to a file on the same disk; it goes on, and takes bodies once there is room."""
    home, told = tmp_path / "home", tmp_path / "told.txt"
    command = [
        *(sys.executable, "-m", "dagster_project.cli.main", "serve", "--home", str(home)),
        *("--port", "0", "--grpc-port", "-1", "--every", "0.1"),
    ]
    with told.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file) as server:
        try:
            until = time.monotonic() + 60
            while not (port := re.search(r"127\.0\.0\.1:(\d+)", told.read_text())):
                assert time.monotonic() < until
                time.sleep(0.1)
            where = f"http://127.0.0.1:{port[1]}/v1/traces"
            body = {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "0" * 15 + "1"}]}]}]}
            assert httpx.post(where, json=body).status_code == 200
            _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, hard))
            assert httpx.post(where, json={**body, "more": 1}).status_code == 503
            time.sleep(1)
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (hard, hard))
            assert server.poll() is None
            assert httpx.post(where, json={**body, "more": 2}).status_code == 200
        finally:
            server.kill()


class Usage(NamedTuple):
    """As `shutil.disk_usage` has it."""

    total: int
    used: int
    free: int


def ready(folder: Path) -> httpx.Response:
    """What `/ready` says of a log in a folder."""

    async def go(wal: Wal) -> httpx.Response:
        transport = httpx.ASGITransport(app=http_app(Intake(wal)))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.get("/ready")

    with Wal(folder) as wal:
        return asyncio.run(go(wal))


def test_not_ready_while_writes_fail(tmp_path: Path) -> None:
    """A disk that takes no byte more is told, and forgotten once it takes them again."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    before, full, after = json.loads(done.stdout)
    assert before == [200, {"status": "ready"}]
    assert full[0] == 503
    assert "disk" in full[1]["reason"]
    assert after == [200, {"status": "ready"}]


def test_not_ready_while_a_body_would_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal may have a page to spare where the disk has none for a body."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 1 << 40, 5 << 20))
    said = ready(tmp_path)
    assert said.status_code == 503
    assert "5 MiB free" in said.json()["reason"]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 0, 1 << 40))
    assert ready(tmp_path).status_code == 200


def test_a_receiver_under_load_ends_when_it_is_told_to(tmp_path: Path) -> None:
    """However much waits to be decoded: the rest is pending, and nothing of it is lost."""
    home = tmp_path / "home"
    with Wal(home / "private" / "wal") as wal:
        wal.append(
            [
                WalRecord(
                    kind="otlp_traces",
                    app="a",
                    source="s",
                    received_at=1,
                    body=b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + b"{}," * 300 + b'{"name":"%d"}]}]}]}' % n,
                )
                for n in range(4_000)
            ]
        )  # fmt: skip
    command = [
        *(sys.executable, "-m", "dagster_project.cli.main", "serve", "--home", str(home)),
        *("--port", "0", "--grpc-port", "-1", "--every", "0.1"),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as server:
        assert server.stderr is not None
        server.stderr.readline()
        time.sleep(1)
        server.terminate()
        server.communicate(timeout=60)
        assert server.returncode == 0
    with Wal(home / "private" / "wal") as wal:
        assert wal.counts().records == 4_000
        assert wal.counts().pending > 0

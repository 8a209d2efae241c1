"""`/ready` where the disk is full: 503 with the reason, and 200 again once there is room."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from ingest.receiver.http import receiver_app
from ingest.receiver.wal import Wal

FULL = """
import asyncio, json, resource, sys
from pathlib import Path
import httpx
from ingest.receiver.http import receiver_app
from ingest.receiver.wal import Wal

async def ready(app):
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        answer = await client.get("/ready")
        return answer.status_code, answer.json()

app = receiver_app(Wal(Path(sys.argv[1])))
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
said = [asyncio.run(ready(app))]
resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
said.append(asyncio.run(ready(app)))
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
said.append(asyncio.run(ready(app)))
print(json.dumps(said))
"""


class Usage(NamedTuple):
    """As `shutil.disk_usage` has it."""

    total: int
    used: int
    free: int


def ready(folder: Path) -> httpx.Response:
    """What `/ready` says of a log in a folder."""

    async def go(wal: Wal) -> httpx.Response:
        transport = httpx.ASGITransport(app=receiver_app(wal))
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

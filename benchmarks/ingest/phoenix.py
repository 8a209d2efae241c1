"""The same client and the same spans into `tracegym serve` and into Arize Phoenix (SQLite), one after the other.

    python -m benchmarks phoenix PHOENIX

PHOENIX is the `phoenix` program of a virtual environment with `arize-phoenix`. Prints the seconds from the first byte sent
until the last answer, and until every span can be queried: in the lake, and in Phoenix' own database.
"""

from __future__ import annotations

import gzip
import os
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx

from benchmarks.ingest.speed import GZIP, TOTAL, Maker
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import SPANS

ROUNDS = 3
WAIT_SECONDS = 900.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def wait_for(url: str) -> None:
    """Until a server answers."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with suppress(OSError), urllib.request.urlopen(url, timeout=2):  # noqa: S310 - our own server
            return
        time.sleep(0.2)
    raise SystemExit(f"{url} does not answer")


def measure(what: str, port: int, bodies: list[bytes], stored: Callable[[], int]) -> float:
    """Send, then look until everything is there; returns the seconds that took."""
    before = stored()
    headers = {"content-type": "application/x-protobuf", **GZIP}
    started = time.perf_counter()
    with httpx.Client(timeout=120) as client:
        for body in bodies:
            url = f"http://127.0.0.1:{port}/v1/traces"
            client.post(url, content=body, headers=headers).raise_for_status()
    answered = time.perf_counter() - started
    while (found := stored() - before) < TOTAL:
        if time.perf_counter() - started > WAIT_SECONDS:
            print(f"{what}: {found:,} of {TOTAL:,} spans after {WAIT_SECONDS:.0f} s")
            break
        time.sleep(0.05)
    seconds = time.perf_counter() - started
    print(f"{what:<10} answered after {answered:6.2f} s, queryable after {seconds:7.2f} s")
    return seconds


def tracegym(folder: Path, rounds: list[list[bytes]]) -> list[float]:
    """Our server, and the lake behind it."""
    home, port = folder / "home", free_port()
    program = Path(sys.executable).parent / "tracegym"
    options = ["--port", str(port), "--grpc-port", "-1", "--every", "0.1", "--home", str(home)]
    server = subprocess.Popen([program, "serve", *options], stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/health")
        lake = Lake(home / "private" / "lake")
        return [measure("tracegym", port, sent, lambda: _rows(lake)) for sent in rounds]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)


def _rows(lake: Lake) -> int:
    return sum(lake.counts(SPANS).values())


def phoenix(program: str, folder: Path, rounds: list[list[bytes]]) -> list[float]:
    """Phoenix as it comes, with its own folder."""
    port, rpc = free_port(), free_port()
    told = {
        "PHOENIX_WORKING_DIR": str(folder / "phoenix"),
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(rpc),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    (folder / "phoenix").mkdir()
    server = subprocess.Popen(
        [program, "serve"],
        env={**os.environ, **told},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/healthz")
        database = folder / "phoenix" / "phoenix.db"
        return [measure("phoenix", port, sent, lambda: _spans(database)) for sent in rounds]
    finally:
        server.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            server.wait(30)
        server.kill()


def _spans(database: Path) -> int:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=60) as connection:
        return int(connection.execute("select count(*) from spans").fetchone()[0])


def main() -> None:
    """Both, and the ratio of the medians."""
    rounds = [[gzip.compress(b, 6) for b in Maker(seed).requests(TOTAL)] for seed in range(ROUNDS)]
    with tempfile.TemporaryDirectory() as folder:
        ours = statistics.median(tracegym(Path(folder), rounds))
        theirs = statistics.median(phoenix(sys.argv[1], Path(folder), rounds))
    print(f"{TOTAL:,} spans: {theirs / ours:.0f} times as fast")


if __name__ == "__main__":
    main()

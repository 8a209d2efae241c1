"""A receiver under everything at once: is anything lost that it had acknowledged, is anything twice, how much memory, how fast.

`tracegym serve` runs in a process of its own while honest
clients send spans in four forms and others crawl, hang up, send damage and bombs; meanwhile it is killed with SIGKILL, ended, its disk is full,
its clock jumps. In the end everything is landed and folded as a build does it, and compared with what was acknowledged. A client that got no
answer sends its spans again in another batch, as exporters do, so that rows do come twice. Memory is bounded by RLIMIT_DATA.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import zstandard
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from benchmarks.figures import Figure, Row
from dagster_project.arrival.files import land
from dagster_project.arrival.repetitions import arrived_keys, fold
from dagster_project.home.layout import open_home
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import SPANS
from ingest.receiver.wal import Wal

PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"
HONEST: Final = ("protobuf", "gzip", "zstd", "json")
HOSTILE: Final = ("crawl", "hang up", "damage", "bomb", "head", "slow reader")
_BOMB: Final = gzip.compress(b'{"resourceSpans":[' + b"{}," * 4_000_000 + b"{}]}", 6)


@dataclass(slots=True, kw_only=True)
class Report:
    """What came of it."""

    seconds: float = 0.0
    acknowledged: int = 0
    """Spans whose body was answered with 200."""
    lost: int = 0
    repeated_rows: int = 0
    """Rows that came again, before they were folded."""
    twice: int = 0
    """Spans that are there more than once after folding."""
    faults: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    peak_mib: int = 0
    starts: int = 0
    died: int = 0
    """Times that the server ended by itself."""
    tracebacks: int = 0
    """In what the server wrote: faults that nobody answered for."""


class Soak:
    """One run."""

    def __init__(self, folder: Path, *, seed: int, memory: int) -> None:
        self.home = folder / "home"
        open_home(self.home, create=True)
        self.offset = folder / "offset"
        self.offset.write_text("0")
        self.log = folder / "server.txt"
        self.memory = memory
        self.chance = random.Random(seed)  # noqa: S311 - a repeatable run, not a secret
        self.port = _free_port()
        self.report = Report()
        self.took: list[float] = []
        self.acknowledged: set[str] = set()
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._numbers = 0
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.report.starts += 1
        command = [
            *(sys.executable, "-m", "benchmarks.ingest.jumping_server", str(self.offset)),
            *("serve", "--home", str(self.home), "--port", str(self.port), "--grpc-port", "-1"),
            *("--every", "0.5"),
        ]
        limit = self.memory << 20

        def bound() -> None:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

        with self.log.open("ab") as log:
            self._server = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                preexec_fn=bound,  # noqa: PLW1509 - nothing but a system call
            )
        until = time.monotonic() + 60
        while time.monotonic() < until and not self.over.is_set():
            if self._server.poll() is not None:
                raise RuntimeError(f"the server ended by itself with {self._server.returncode}")
            if self._is_up():
                return
            time.sleep(0.1)

    def _is_up(self) -> bool:
        try:
            line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2)
            line.request("GET", "/health")
            return line.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False

    def end(self, how: signal.Signals) -> None:
        """End the server, and remember how much memory it had at most."""
        server = self._server
        if server is None:
            return
        self._remember_peak()
        server.send_signal(how)
        server.wait(timeout=120)

    def _remember_peak(self) -> None:
        if self._server is not None and self._server.poll() is None:
            lines = Path(f"/proc/{self._server.pid}/status").read_text().splitlines()
            peak = next(int(one.split()[1]) >> 10 for one in lines if one.startswith("VmHWM"))
            self.report.peak_mib = max(self.report.peak_mib, peak)

    def fault(self) -> None:
        """Do one thing to the server; one that has ended by itself is counted and started again."""
        if self._server is not None and self._server.poll() is not None:
            self.report.died += 1
            self.start()
        name = self.chance.choices(
            ("kill", "restart", "full disk", "clock back", "clock on"), (5, 1, 2, 1, 1)
        )[0]
        self.report.faults[name] += 1
        if name in {"kill", "restart"}:
            self.end(signal.SIGKILL if name == "kill" else signal.SIGTERM)
            self.start()
        elif name == "full disk" and self._server is not None:
            _, hard = resource.prlimit(self._server.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(self._server.pid, resource.RLIMIT_FSIZE, (0, hard))
            time.sleep(1)
            resource.prlimit(self._server.pid, resource.RLIMIT_FSIZE, (hard, hard))
        else:
            days = self.chance.choice((1, 40, 400)) * (-1 if name == "clock back" else 1)
            self.offset.write_text(str(days * 86_400))

    def numbers(self, count: int) -> list[int]:
        """Fresh numbers of spans."""
        with self._lock:
            first, self._numbers = self._numbers, self._numbers + count
        return list(range(first + 1, first + count + 1))

    def honest(self, form: str, chance: random.Random) -> None:
        """Send until it is over; what got no answer is sent again beside new spans."""
        waiting: list[int] = []
        while not self.over.is_set():
            fresh = self.numbers(chance.randint(1, 40))
            waiting += fresh
            some = chance.sample(waiting, min(len(waiting), chance.randint(1, 200)))
            body, headers = _body(form, some)
            began = time.monotonic()
            status = self._post(body, headers)
            with self._lock:
                self.report.answers[f"honest {status}"] += 1
                if status == 200:
                    self.took.append(time.monotonic() - began)
                    self.acknowledged.update(f"{n:016x}" for n in some)
            if status == 200:
                sent = set(some)
                waiting = [n for n in waiting if n not in sent]
            else:
                time.sleep(0.1)

    def _post(self, body: bytes, headers: dict[str, str]) -> int:
        try:
            line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            line.request("POST", "/v1/traces", body, headers)
            return line.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0

    def hostile(self, how: str, chance: random.Random) -> None:
        """Do one bad thing after the other."""
        while not self.over.is_set():
            status = self._bad(how, chance)
            with self._lock:
                self.report.answers[f"{how} {status}"] += 1
            time.sleep(chance.uniform(0.05, 0.5))

    def _bad(self, how: str, chance: random.Random) -> int:
        if how == "damage":
            body, headers = _body(chance.choice(HONEST), self.numbers(20))
            torn = bytearray(body)
            for _ in range(chance.randint(1, 20)):
                torn[chance.randrange(len(torn))] = chance.randrange(256)
            return self._post(bytes(torn[: chance.randint(1, len(torn))]), headers)
        if how == "bomb":
            return self._post(_BOMB, {"content-type": JSON, "content-encoding": "gzip"})
        return self._raw(how, chance)

    def _raw(self, how: str, chance: random.Random) -> int:
        head = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as line:
                if how == "head":
                    for _ in range(64):
                        line.sendall(
                            b"x-%d: " % chance.randrange(10**6) + b"a" * (1 << 14) + b"\r\n"
                        )
                    return int(line.recv(100).split(b" ")[1])
                if how == "slow reader":
                    line.sendall(head + b"content-length: 2\r\n\r\n{}")
                    while line.recv(1) and not self.over.is_set():
                        time.sleep(0.05)
                    return 200
                line.sendall(head + b"content-length: 5000000\r\n\r\n{")
                for _ in range(chance.randint(1, 20) if how == "crawl" else 1):
                    line.sendall(b" " * 1000)
                    time.sleep(0.1)
        except (OSError, IndexError, ValueError):
            return 0
        return -1

    def run(self, seconds: float) -> Report:
        """Everything, for so long; then the reckoning."""
        began = time.monotonic()
        self.start()
        work: list[Callable[[], None]] = [
            *(_bound(self.honest, form, n) for n, form in enumerate(HONEST * 2)),
            *(_bound(self.hostile, how, n) for n, how in enumerate(HOSTILE, start=100)),
        ]
        threads = [threading.Thread(target=one, daemon=True) for one in work]
        for one in threads:
            one.start()
        while time.monotonic() - began < seconds:
            time.sleep(self.chance.uniform(1, 5))
            self.fault()
            self._remember_peak()
        self.over.set()
        for one in threads:
            one.join(timeout=60)
        self.end(signal.SIGTERM)
        said = self.log.read_text(encoding="utf-8", errors="replace")
        self.report.tracebacks = said.count("Traceback")
        return self._reckon(time.monotonic() - began)

    def _reckon(self, seconds: float) -> Report:
        found = self.report
        home = open_home(self.home)
        with Wal(home.wal) as wal:
            land(home, wal)
        lake = Lake(home.private / "lake")
        rows = sum(lake.counts(SPANS).values())
        fold(lake, arrived_keys(lake))
        names = lake.read(SPANS, columns=("trace_id", "span_id")).to_pylist()
        there = Counter(row["span_id"] for row in names)
        found.seconds = round(seconds, 1)
        found.acknowledged = len(self.acknowledged)
        found.lost = len(self.acknowledged - there.keys())
        found.repeated_rows = rows - len(names)
        found.twice = sum(there[one] > 1 for one in self.acknowledged)
        took = sorted(self.took) or [0.0]
        found.p50_ms = round(1000 * took[len(took) // 2], 1)
        found.p99_ms = round(1000 * took[min(len(took) - 1, len(took) * 99 // 100)], 1)
        return found


def _bound(call: Callable[[str, random.Random], None], name: str, seed: int) -> Callable[[], None]:
    return lambda: call(name, random.Random(seed))  # noqa: S311 - a repeatable run, not a secret


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _body(form: str, numbers: list[int]) -> tuple[bytes, dict[str, str]]:
    if form == "json":
        spans = [
            {
                "traceId": f"{n:032x}",
                "spanId": f"{n:016x}",
                "name": "chat m",
                "startTimeUnixNano": str(1_760_000_000_000_000_000 + n),
                "endTimeUnixNano": str(1_760_000_001_000_000_000 + n),
            }
            for n in numbers
        ]
        held = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
        return json.dumps(held).encode(), {"content-type": JSON}
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for n in numbers:
        one = scope.spans.add(trace_id=n.to_bytes(16, "big"), span_id=n.to_bytes(8, "big"))
        one.name = "chat m"
        one.start_time_unix_nano = 1_760_000_000_000_000_000 + n
        one.end_time_unix_nano = 1_760_000_001_000_000_000 + n
        one.attributes.add(key="text").value.string_value = f"what was said {n} " * 20
    plain = bytes(request.SerializeToString())
    packed = {
        "gzip": lambda: gzip.compress(plain, 1),
        "zstd": lambda: zstandard.ZstdCompressor().compress(plain),
    }.get(form)
    if packed is None:
        return plain, {"content-type": PROTOBUF}
    return packed(), {"content-type": PROTOBUF, "content-encoding": form}


def soak(*, minutes: float, seed: int = 1, memory: int = 4096) -> Report:
    """One run in a folder of its own, which is removed."""
    folder = Path(tempfile.mkdtemp(prefix="endurance-"))
    try:
        return Soak(folder, seed=seed, memory=memory).run(60 * minutes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def options(parser: argparse.ArgumentParser) -> None:
    """How long and how hard."""
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--memory",
        type=int,
        default=4096,
        help="RLIMIT_DATA of the server in MiB; it counts the room of every thread's stack",
    )


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """One row."""
    os.environ.setdefault("PYTHONPATH", str(Path(__file__).parents[2]))
    found = soak(minutes=options.minutes, seed=options.seed, memory=options.memory)
    figures: dict[str, Figure] = {}
    for name in Report.__slots__:
        value = getattr(found, name)
        figures[name] = json.dumps(value) if isinstance(value, Counter) else value
    yield Row(case="soak", figures=figures)


def faults(before: Sequence[Row], after: Sequence[Row]) -> Iterator[str]:
    """What is lost or there twice, whatever was before."""
    del before
    for row in after:
        for name in ("lost", "twice", "died", "tracebacks"):
            if row.figures[name]:
                yield f"{name}: {row.figures[name]}"

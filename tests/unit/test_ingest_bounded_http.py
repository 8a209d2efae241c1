"""What a connection may send beside a body: heads, trailers and marks of chunks are bounded, honest requests are not touched."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ingest.receiver.http_bounds
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake, ReceiverLimits
from ingest.receiver.server import Server, ServerSettings
from ingest.receiver.wal import Wal

HEAD = b"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
KIB, MIB = 1 << 10, 1 << 20


@contextmanager
def receiver(folder: Path, limits: ReceiverLimits | None = None) -> Iterator[int]:
    """A receiver's port."""
    with Wal(folder) as wal:
        server = Server(http_app(Intake(wal, None, limits)), ServerSettings(port=0))
        yield server.start()
        server.stop()


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A receiver that listens."""
    with receiver(tmp_path_factory.mktemp("bounded")) as port:
        yield port


def answer(port: int, parts: Iterator[bytes] | list[bytes]) -> tuple[bytes, int]:
    """The first line that comes back, and how many bytes went out before the server would take no more."""
    sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        try:
            for part in parts:
                line.sendall(part)
                sent += len(part)
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            return line.recv(KIB).split(b"\r\n", 1)[0], sent
        except ConnectionResetError:
            return b"", sent


def chunk(text: bytes) -> bytes:
    """One chunk of a body."""
    return b"%x\r\n%s\r\n" % (len(text), text)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([HEAD + b"x: ", *[b"a" * 16 * KIB] * 1280], id="one header"),
        pytest.param([HEAD, *[b"x-%05d: y\r\n" % n for n in range(400_000)]], id="many headers"),
        pytest.param([b"POST /", *[b"a" * 16 * KIB] * 1280], id="path"),
        pytest.param(
            [CHUNKED + chunk(b"{}") + b"0\r\nx: ", *[b"a" * 16 * KIB] * 1280], id="trailer"
        ),
        pytest.param([CHUNKED, *[chunk(b" ") * 1000] * 3000], id="chunks of one byte"),
    ],
)
def test_twenty_mebibytes_that_are_no_body_are_refused_early(port: int, parts: list[bytes]) -> None:
    """The connection ends after a few hundred KiB, with 431 where the sender still listens."""
    line, sent = answer(port, parts)
    assert line in {b"HTTP/1.1 431 Request Header Fields Too Large", b""}
    assert sent < 8 * MIB  # what the sockets of both ends hold, too


def test_honest_requests_pass_as_before(port: int) -> None:
    """Long headers, a large body in chunks, and several requests on one connection."""
    long = HEAD + b"baggage: " + b"a" * 32 * KIB + b"\r\n"
    assert answer(port, [long + b"content-length: 2\r\n\r\n{}"])[0] == b"HTTP/1.1 200 OK"
    text = b'{"resourceSpans": []' + b" " * 8 * MIB + b"}"
    chunks = [chunk(text[at : at + 8 * KIB]) for at in range(0, len(text), 8 * KIB)]
    assert answer(port, [CHUNKED, *chunks, b"0\r\n\r\n"])[0] == b"HTTP/1.1 200 OK"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as one:
        for _ in range(50):
            one.sendall(HEAD + b"content-length: 40002\r\n\r\n{" + b" " * 40_000 + b"}")
            assert one.recv(KIB).startswith(b"HTTP/1.1 200 OK")


def test_a_head_that_never_ends_is_hung_up_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that says nothing, and one that begins and stops, are closed."""
    monkeypatch.setattr(ingest.receiver.http_bounds, "HEAD_SECONDS", 0.2)
    with receiver(tmp_path) as port:
        for begun in (b"", HEAD):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
                line.sendall(begun)
                assert line.recv(KIB) == b""


def test_a_body_that_crawls_is_given_up(tmp_path: Path) -> None:
    """What it holds of the memory is given back, and the sender is told."""
    with receiver(tmp_path, ReceiverLimits(seconds=0.3)) as port:
        began = time.monotonic()
        line, _ = answer(port, [HEAD + b"content-length: 1000000\r\n\r\n", b"{" * 1000])
    assert line == b"HTTP/1.1 408 Request Timeout"
    assert time.monotonic() - began < 5

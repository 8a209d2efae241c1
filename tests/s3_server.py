"""A server of the S3 protocol on loopback (moto's), in a process of its own, that can be told to misbehave. Not a test module.

`python tests/s3_server.py` prints its port. It is a process because Delta Lake's native code may hold the interpreter while it waits.
"""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

MODES = ("well", "hanging", "failing", "flaky", "stale", "full")
"""`hanging` answers nobody, `failing` says 500, `flaky` says 503 to every third request, `stale` lists what was there when it began,
`full` refuses what is written."""


class Server:
    """A running server."""

    def __init__(self, port: int) -> None:
        self.endpoint = f"http://127.0.0.1:{port}"
        self.environment = {
            "AWS_ACCESS_KEY_ID": "a test",
            "AWS_SECRET_ACCESS_KEY": "a test",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.endpoint,
        }

    def bucket(self, name: str) -> str:
        """Make a bucket; its URL."""
        self._put(f"/{name}")
        return f"s3://{name}"

    def behave(self, mode: str) -> None:
        """Be in a mode from now on."""
        assert mode in MODES
        self._put(f"/_mode/{mode}")

    @contextmanager
    def being(self, mode: str) -> Iterator[None]:
        """Be in a mode for a while."""
        self.behave(mode)
        try:
            yield
        finally:
            self.behave("well")

    def _put(self, path: str) -> None:
        request = urllib.request.Request(f"{self.endpoint}{path}", method="PUT")
        with urllib.request.urlopen(request, timeout=30):
            pass


@contextmanager
def serving() -> Iterator[Server]:
    """A server until the end of the context."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(Path(__file__))],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield Server(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class _Misbehaving:
    """moto behind a switch."""

    def __init__(self, inner: Callable[..., Iterable[bytes]]) -> None:
        self._inner = inner
        self._mode = "well"
        self._since = 0.0
        self._asked = 0
        self._put_at: dict[str, float] = {}
        self._guard = threading.Lock()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        if path.startswith("/_mode/"):
            self._mode, self._since = path.removeprefix("/_mode/"), time.monotonic()
            return _answer(start, "200 OK")
        refused = self._refused(method)
        if refused is not None:
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            return _answer(start, refused)
        if method in {"PUT", "POST"}:
            with self._guard:
                self._put_at.setdefault(path.lstrip("/"), time.monotonic())
        if self._mode == "stale" and method == "GET" and "list-type=2" in environ["QUERY_STRING"]:
            return self._old_listing(environ, start)
        return self._inner(environ, start)

    def _refused(self, method: str) -> str | None:
        with self._guard:
            self._asked += 1
            third = self._asked % 3 == 0
        if self._mode == "hanging":
            began = time.monotonic()
            while self._mode == "hanging" and time.monotonic() - began < 60:
                time.sleep(0.05)
            return "503 Service Unavailable"
        if self._mode == "failing":
            return "500 Internal Server Error"
        if self._mode == "full" and method in {"PUT", "POST"}:
            return "507 Insufficient Storage"
        return "503 Slow Down" if self._mode == "flaky" and third else None

    def _old_listing(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        told: list[Any] = []

        def hear(status: str, headers: list[tuple[str, str]], *_: object) -> None:
            told.extend((status, headers))

        body = b"".join(self._inner(environ, hear))
        bucket = environ["PATH_INFO"].strip("/")
        new = {path for path, at in self._put_at.items() if at >= self._since}

        def kept(found: re.Match[str]) -> str:
            return "" if f"{bucket}/{found[1]}" in new else found[0]

        text = re.sub(
            r"<Contents>\s*<Key>(.*?)</Key>.*?</Contents>", kept, body.decode(), flags=re.DOTALL
        )
        text = re.sub(
            r"<KeyCount>\d+</KeyCount>", f"<KeyCount>{text.count('<Contents>')}</KeyCount>", text
        )
        status, headers = told
        headers = [(k, v) for k, v in headers if k.lower() != "content-length"]
        start(status, [*headers, ("Content-Length", str(len(text.encode())))])
        return [text.encode()]


def _answer(start: Callable[..., Any], status: str) -> Iterable[bytes]:
    start(status, [("Content-Length", "0")])
    return [b""]


def _main() -> None:
    app = _Misbehaving(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, app, threaded=True)
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    _main()

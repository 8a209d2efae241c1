"""Serves the receiver: uvicorn on one address, loopback unless told otherwise.

Comes in: settings. Goes out: a running server, on its own thread or on the caller's. Not here: what is received.
"""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from ingest.errors import IngestError
from ingest.receiver.http_bounds import BoundedHttp
from ingest.receiver.tls import check_tls

DEFAULT_PORT: Final = 4318
_START_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where to listen and how."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    """0 takes any free one."""
    certificate: Path | None = None
    key: Path | None = None
    log_level: str = "error"
    """Warnings are about what strangers send: a line for each would fill a disk."""


class Server:
    """One server; `run` serves on this thread until it is told to stop, `start` on a thread of its own."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        check_tls(settings.certificate, settings.key)
        config = uvicorn.Config(
            app,
            http=BoundedHttp,
            log_level=settings.log_level,
            access_log=False,
            lifespan="off",
            timeout_keep_alive=60,
            ssl_certfile=settings.certificate,
            ssl_keyfile=settings.key,
            server_header=False,
        )
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None
        # Bound here and not by uvicorn, which ends the process when a port is taken.
        self._socket = _listen(settings)

    def run(self) -> None:
        """Serve until a signal or `stop`."""
        self._server.run(sockets=[self._socket])

    def start(self) -> int:
        """Serve on a thread; returns the port once requests are taken."""
        self._thread = threading.Thread(target=self.run, name="receiver", daemon=True)
        self._thread.start()
        deadline = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise IngestError("The receiver did not start; look at its log.")
            time.sleep(0.01)
        return self.port

    @property
    def port(self) -> int:
        """The port in use."""
        return int(self._socket.getsockname()[1])

    def stop(self) -> None:
        """Finish what is under way and stop."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(timeout=_START_SECONDS)
        self._socket.close()


def _listen(settings: ServerSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        raise IngestError(
            f"The receiver cannot listen on {settings.host}:{settings.port} ({error.strerror}); choose another port."
        ) from error

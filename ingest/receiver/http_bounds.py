"""HTTP whose head is bounded: uvicorn's quick parser keeps request lines, headers and trailers of any size.

Comes in: what a connection sends. Goes out: what uvicorn makes of it, or 431 and the end of the connection where what is no
body is larger than `MOST_BYTES` and the body, and the end of a connection that does not finish a head in time.
"""

from __future__ import annotations

from asyncio import BaseTransport, TimerHandle, Transport
from typing import Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_BYTES: Final = 64 << 10
HEAD_SECONDS: Final = 60.0
_SENTENCE: Final = b"The head of the request is larger than 64 KiB."
_ANSWER: Final = b"\r\n".join(
    (
        b"HTTP/1.1 431 Request Header Fields Too Large",
        b"content-type: text/plain; charset=utf-8",
        b"content-length: %d" % len(_SENTENCE),
        b"connection: close",
        b"",
        _SENTENCE,
    )
)


class BoundedHttp(HttpToolsProtocol):
    """One connection."""

    _sent = 0
    """Bytes since the message began; those of the read in which it began are not counted."""
    _body = 0
    _waits: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """Give the first head its time."""
        super().connection_made(cast("Transport", transport))
        self._waits = self.loop.call_later(HEAD_SECONDS, transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the clock."""
        self._stop_waiting()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Count anew."""
        self._sent = self._body = 0
        if self._waits is None:
            self._waits = self.loop.call_later(HEAD_SECONDS, self.transport.close)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._stop_waiting()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Count what is no head."""
        self._body += len(body)
        super().on_body(body)

    def data_received(self, data: bytes) -> None:
        """Read on, as long as head, trailers and marks of chunks are no more than the body and the bound."""
        self._sent += len(data)
        super().data_received(data)
        if self._sent > MOST_BYTES + 2 * self._body and not self.transport.is_closing():
            self.transport.write(_ANSWER)
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None

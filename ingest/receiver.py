"""The OTLP/HTTP receiver: bodies in, 200 out once they are durable.

Comes in: requests of stock OTLP exporters. Goes out: records in the write-ahead log. Limits and authentication come
before anything is kept; decoding is not done here. Answers follow OTLP 1.11: 4xx is permanent, 429 and 503 are to be
tried again.
"""

from __future__ import annotations

import asyncio
import itertools
import time
import uuid
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import orjson
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ingest import rpc_status
from ingest.errors import BodyRefused, StorageError
from ingest.limits import DEFAULT_LIMITS, Limits
from ingest.tokens import Tokens
from ingest.wal import Wal, WalRecord
from ingest.wire import BrokenWireError, count_records, signal_of

RETRY_AFTER_SECONDS: Final = 5
_CHECKS_AT_ONCE: Final = 4
"""Bodies unpacked at one time: each may take the whole limit of one body while it is checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverLimits:
    """What the receiver takes on at once."""

    body: Limits = DEFAULT_LIMITS
    waiting_bytes: int = 256 << 20
    """Bodies being received or written; beyond it the answer is 429, so that memory stays bounded."""


class _Refusal(Exception):  # noqa: N818 - an answer on its way, not a fault
    """An answer other than 200."""

    def __init__(self, http: int, code: int, message: str, *, retry: bool = False) -> None:
        super().__init__(message)
        self.http = http
        self.code = code
        self.message = message
        self.retry = retry


class _Budget:
    """How many bytes of bodies are in memory; the event loop is its lock."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0

    def take(self, size: int) -> None:
        """Reserve bytes or refuse."""
        if self._held + size > self._limit:
            raise _Refusal(
                429, rpc_status.UNAVAILABLE, "The receiver is busy; send again later.", retry=True
            )
        self._held += size

    def give_back(self, size: int) -> None:
        """Free what was taken."""
        self._held -= size


class _Held:
    """What one request holds of the budget: it grows with what has arrived, so an idle sender costs nothing."""

    def __init__(self, budget: _Budget) -> None:
        self._budget = budget
        self._size = 0

    def take(self, size: int) -> None:
        """Reserve bytes that have arrived, or refuse."""
        self._budget.take(size)
        self._size += size

    def give_back(self) -> None:
        """Free everything."""
        self._budget.give_back(self._size)
        self._size = 0


def receiver_app(
    wal: Wal, tokens: Tokens | None = None, limits: ReceiverLimits | None = None
) -> Starlette:
    """The ASGI application over one write-ahead log."""
    receiver = _Receiver(wal, tokens or Tokens(), limits or ReceiverLimits())
    return Starlette(
        routes=[
            Route("/v1/traces", receiver.export("traces"), methods=["POST"]),
            Route("/v1/logs", receiver.export("logs"), methods=["POST"]),
            Route("/v1/metrics", receiver.export("metrics"), methods=["POST"]),
            Route("/health", receiver.health, methods=["GET"]),
            Route("/ready", receiver.ready, methods=["GET"]),
        ]
    )


@dataclass(slots=True, kw_only=True)
class _Body:
    """A received body: as sent, and how large it is unpacked."""

    sent: bytes
    is_gzip: bool


class _Receiver:
    """One receiver's state: the log, the tokens, the memory budget."""

    def __init__(self, wal: Wal, tokens: Tokens, limits: ReceiverLimits) -> None:
        self._wal = wal
        self._tokens = tokens
        self._limits = limits
        self._budget = _Budget(limits.waiting_bytes)
        self._checks = asyncio.Semaphore(_CHECKS_AT_ONCE)
        self._numbers = itertools.count(1)
        self._run = uuid.uuid4().hex[:8]

    async def health(self, _request: Request) -> Response:
        """The process is alive."""
        return JSONResponse({"status": "ok"})

    async def ready(self, _request: Request) -> Response:
        """The log can be written."""
        try:
            await run_in_threadpool(self._wal.check_writable)
        except StorageError as error:
            return JSONResponse({"status": "unavailable", "reason": str(error)}, status_code=503)
        return JSONResponse({"status": "ready"})

    def export(self, signal: str) -> Callable[[Request], Awaitable[Response]]:
        """The handler of one signal's path."""

        async def handle(request: Request) -> Response:
            content_type = _content_type(request)
            try:
                return await self._take(request, signal, content_type)
            except _Refusal as refusal:
                return _answer(refusal, content_type or rpc_status.JSON)
            except ClientDisconnect:
                return Response(status_code=499)

        return handle

    async def _take(self, request: Request, signal: str, content_type: str | None) -> Response:
        app = self._app(request)
        if content_type is None:
            raise _Refusal(
                415,
                rpc_status.INVALID_ARGUMENT,
                "Send application/x-protobuf or application/json.",
            )
        held = _Held(self._budget)
        try:
            body = await self._receive(request, held)
            async with self._checks:
                await run_in_threadpool(self._check, body, signal, content_type)
            if signal != "metrics" and body.sent:
                await self._store(body, signal, content_type, app)
        finally:
            held.give_back()
        return _success(signal, content_type)

    def _app(self, request: Request) -> str | None:
        if not self._tokens.required:
            return None
        app = self._tokens.app_of(request.headers.get("authorization"))
        if app is None:
            raise _Refusal(
                401,
                rpc_status.UNAUTHENTICATED,
                "Send `Authorization: Bearer TOKEN` with a known token.",
            )
        return app

    async def _receive(self, request: Request, held: _Held) -> _Body:
        encoding = request.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in {"identity", "none", "", "gzip"}:
            raise _Refusal(
                415, rpc_status.UNIMPLEMENTED, "Send the body plain or with Content-Encoding gzip."
            )
        limit = self._limits.body.body_bytes
        parts: list[bytes] = []
        size = 0
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise _too_large(limit)
            held.take(len(part))
            parts.append(part)
        return _Body(sent=b"".join(parts), is_gzip=encoding == "gzip")

    def _check(self, body: _Body, signal: str, content_type: str) -> None:
        """Refuse what could not be decoded later: nothing of it would ever be more than quarantine."""
        limits = self._limits.body
        try:
            plain = _unpack(body, limits.body_bytes)
            if content_type == rpc_status.JSON:
                _check_json(plain)
            else:
                _check_protobuf(plain, signal, limits)
        except BodyRefused as error:
            if error.code in {"body_too_large", "too_many_records"}:
                raise _Refusal(413, rpc_status.RESOURCE_EXHAUSTED, error.reason) from error
            raise _Refusal(400, rpc_status.INVALID_ARGUMENT, error.reason) from error

    async def _store(self, body: _Body, signal: str, content_type: str, app: str | None) -> None:
        encoding = "json" if content_type == rpc_status.JSON else "protobuf"
        record = WalRecord(
            kind=f"otlp_{signal}",
            app=app,
            source=f"receiver {self._run}, request {next(self._numbers)}",
            body=body.sent,
            received_at=time.time_ns(),
            encoding=f"{encoding}+gzip" if body.is_gzip else encoding,
        )
        try:
            await run_in_threadpool(self._wal.append, [record])
        except StorageError as error:
            raise _Refusal(503, rpc_status.UNAVAILABLE, str(error), retry=True) from error


def _check_json(plain: bytes) -> None:
    try:
        value = orjson.loads(plain) if plain else {}
    except orjson.JSONDecodeError as error:
        raise BodyRefused("not_json", "The body is not JSON.") from error
    if not isinstance(value, dict):
        raise BodyRefused("not_otlp", "The body is no OTLP request.")


def _check_protobuf(plain: bytes, signal: str, limits: Limits) -> None:
    try:
        count = count_records(plain, limit=limits.records)
        found = signal_of(plain) if count else None
    except BrokenWireError as error:
        raise BodyRefused("not_protobuf", "The body cannot be decoded as OTLP protobuf.") from error
    if count > limits.records:
        raise BodyRefused(
            "too_many_records",
            f"The body holds more than {limits.records} records; send smaller batches.",
        )
    if found not in {None, signal} and signal != "metrics":
        raise BodyRefused("wrong_path", f"The body holds {found}; send it to /v1/{found}.")


def _content_type(request: Request) -> str | None:
    given = request.headers.get("content-type", "").split(";", 1)[0].strip().lower()
    return given if given in {rpc_status.PROTOBUF, rpc_status.JSON} else None


def _unpack(body: _Body, limit: int) -> bytes:
    """The plain body; gunzip stops at the limit, so a bomb costs no more than an honest body."""
    if not body.is_gzip:
        return body.sent
    engine = zlib.decompressobj(wbits=31)
    try:
        plain = engine.decompress(body.sent, limit + 1)
    except zlib.error as error:
        raise BodyRefused("bad_gzip", "The body is not valid gzip.") from error
    if len(plain) > limit:
        raise BodyRefused("body_too_large", _too_large(limit).message)
    if not engine.eof and body.sent:
        raise BodyRefused("truncated_gzip", "The gzip body ends too early.")
    return plain


def _too_large(limit: int) -> _Refusal:
    return _Refusal(
        413,
        rpc_status.RESOURCE_EXHAUSTED,
        f"The body is larger than {limit} bytes after decompression; send smaller batches.",
    )


def _answer(refusal: _Refusal, content_type: str) -> Response:
    headers = {"Retry-After": str(RETRY_AFTER_SECONDS)} if refusal.retry else {}
    return Response(
        rpc_status.status_body(refusal.code, refusal.message, content_type),
        status_code=refusal.http,
        media_type=content_type,
        headers=headers,
    )


def _success(signal: str, content_type: str) -> Response:
    body = rpc_status.success_body(content_type)
    if signal == "metrics":
        # A warning: nothing was refused that the sender should send again.
        body = rpc_status.partial_body(
            0,
            "Metrics are not kept: tracegym reads traces and logs.",
            "rejectedDataPoints",
            content_type,
        )
    return Response(body, media_type=content_type)

"""The OTLP/HTTP receiver: bodies in, 200 out once they are durable.

Comes in: requests of stock OTLP exporters. Goes out: answers in the request's encoding, as OTLP 1.11 asks: 4xx is
permanent, 429 and 503 are to be tried again. What may be kept and how is `ingest.receiver.intake`'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ingest.errors import StorageError
from ingest.otlp import rpc_status
from ingest.receiver import counters
from ingest.receiver.intake import (
    CHECKS_AT_ONCE,
    PATIENCE_SECONDS,
    RETRY_AFTER_SECONDS,
    BudgetShare,
    Intake,
    Refusal,
    SentBody,
    busy,
    compression_of,
    too_large,
    too_slow,
)

_GONE: Final = 499
"""The sender hung up: nobody reads the answer."""


def http_app(intake: Intake) -> Starlette:
    """The ASGI application over an intake that other protocols share."""
    receiver = _Receiver(intake)
    return Starlette(
        routes=[
            Route("/v1/traces", receiver.export("traces"), methods=["POST"]),
            Route("/v1/logs", receiver.export("logs"), methods=["POST"]),
            Route("/v1/metrics", receiver.export("metrics"), methods=["POST"]),
            Route("/health", receiver.health, methods=["GET"]),
            Route("/ready", receiver.ready, methods=["GET"]),
            Route("/metrics", receiver.metrics, methods=["GET"]),
        ]
    )


class _Receiver:
    """The HTTP side of one intake."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        # Beside the intake's own bound: waiting here takes no thread.
        self._checks = asyncio.Semaphore(CHECKS_AT_ONCE)
        self._large = asyncio.Semaphore(1)

    async def health(self, _request: Request) -> Response:
        """The process is alive."""
        return JSONResponse({"status": "ok"})

    async def ready(self, _request: Request) -> Response:
        """The log can be written and has room."""
        try:
            await run_in_threadpool(self._intake.check_ready)
        except StorageError as error:
            return JSONResponse({"status": "unavailable", "reason": str(error)}, status_code=503)
        return JSONResponse({"status": "ready"})

    async def metrics(self, _request: Request) -> Response:
        """Counts for Prometheus; no text of any sender is among them."""
        return Response(self._intake.metrics(), headers={"content-type": counters.CONTENT_TYPE})

    def export(self, signal: str) -> Callable[[Request], Awaitable[Response]]:
        """The handler of one signal's path."""

        async def handle(request: Request) -> Response:
            answer = await self._answer(request, signal)
            self._intake.counters.add(
                "requests", protocol="http", signal=signal, answer=str(answer.status_code)
            )
            return answer

        return handle

    async def _answer(self, request: Request, signal: str) -> Response:
        given = request.headers.get("content-type", "").split(";", 1)[0].strip().lower()
        content_type = given if given in {rpc_status.PROTOBUF, rpc_status.JSON} else None
        try:
            return await self._take(request, signal, content_type)
        except Refusal as refusal:
            return _refused(refusal, content_type or rpc_status.JSON)
        except ClientDisconnect:
            return Response(status_code=_GONE)

    async def _take(self, request: Request, signal: str, content_type: str | None) -> Response:
        sender = self._intake.sender_of(request.headers.get("authorization"))
        if content_type is None:
            raise Refusal(
                415, rpc_status.INVALID_ARGUMENT, "Send application/x-protobuf or application/json."
            )
        compression = compression_of(request.headers.get("content-encoding", ""))
        with self._intake.hold() as held:
            body = SentBody(
                signal=signal,
                content_type=content_type,
                compression=compression,
                sent=await self._receive(request, held),
            )
            async with self._checks:
                size = await run_in_threadpool(self._intake.check_small, body)
            if size is None:
                size = await self._check_alone(body)
            await run_in_threadpool(self._intake.store, body, sender, room=size)
        return _success(signal, content_type)

    async def _check_alone(self, body: SentBody) -> int:
        """Check a large body when those before it are done; its bytes do not wait for ever."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._large.acquire()
        except TimeoutError:
            raise busy() from None
        try:
            return await run_in_threadpool(self._intake.check_large, body)
        finally:
            self._large.release()

    async def _receive(self, request: Request, held: BudgetShare) -> bytes:
        limits = self._intake.limits
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(limits.seconds):
                async for part in request.stream():
                    size += len(part)
                    if size > limits.body.body_bytes:
                        raise too_large(limits.body.body_bytes)
                    held.take(len(part))
                    parts.append(part)
        except TimeoutError:
            raise too_slow(limits.seconds) from None
        return b"".join(parts)


def _refused(refusal: Refusal, content_type: str) -> Response:
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
        body = rpc_status.partial_body(0, rpc_status.NO_METRICS, "rejectedDataPoints", content_type)
    return Response(body, media_type=content_type)

"""A stand-in for an OpenAI-compatible server, speaking the real protocol over a socket. Not a test module.

It runs in a thread with its own loop, so that code under test and programs in other processes can both talk to it. What
it says comes from a function of the request; faults are scripted per request.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Brain = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""From a request body to an assistant message."""


@dataclass
class ModelServer:
    """What the server is told, and what it saw."""

    brain: Brain
    faults: list[str] = field(default_factory=list)
    """One per request, in order: a status, or the name of a fault below; empty text answers well."""
    always: str = ""
    """The fault of every request once `faults` is used up."""
    delay: float = 0.0
    """Seconds before each answer."""
    pieces: int = 7
    """Characters in one streamed piece."""
    retry_after: str = "0.01"
    """What a 429 asks for."""
    usage: dict[str, Any] = field(
        default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    )
    infos: list[dict[str, Any]] = field(default_factory=list)
    """SGLang's `meta_info`: of a whole reply the last, of a stream one with each part while they last."""
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One chat completion, or the fault that is due."""
        body = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        fault = self.faults.pop(0) if self.faults else self.always
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.delay)
            return await self._answer(request, body, fault)
        finally:
            self.in_flight -= 1

    async def _answer(
        self, request: web.Request, body: dict[str, Any], fault: str
    ) -> web.StreamResponse:
        if fault.isdigit():
            headers = {"Retry-After": self.retry_after} if fault == "429" else {}
            return web.json_response({"error": {}}, status=int(fault), headers=headers)
        if fault == "slow":
            await asyncio.sleep(5)
        if fault == "drop" and request.transport is not None:
            request.transport.close()
        if fault == "not_json":
            return web.Response(text="<html>busy</html>")
        if fault in {"no_choices", "odd"}:
            return web.json_response([] if fault == "odd" else {"choices": []})
        if fault == "endless":
            return await self._endless(request)
        reply = self._completion(body)
        if body.get("stream"):
            return await self._stream(request, reply, fault)
        return web.json_response(reply)

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        message = {"role": "assistant", "content": None, **self.brain(body)}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        if self.infos:
            choice["meta_info"] = self.infos[-1]
        return {
            "id": f"chatcmpl-{len(self.requests)}",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [choice],
            "usage": self.usage,
        }

    async def _endless(self, request: web.Request) -> web.StreamResponse:
        """Words without an end, until the other side has had enough."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        part = {"index": 0, "delta": {"content": "word " * 20_000}, "finish_reason": None}
        event = f"data: {json.dumps({'choices': [part]})}\n\n".encode()
        while True:
            await response.write(event)

    async def _stream(
        self, request: web.Request, reply: dict[str, Any], fault: str
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        events = list(self._events(reply))
        if fault == "cut":
            events = events[: len(events) // 2]
        if fault == "bad_event":
            events[1] = "data: {"
        for event in events:
            await response.write(f"{event}\n\n".encode())
        await response.write_eof()
        return response

    def _events(self, reply: dict[str, Any]) -> Iterator[str]:
        """The reply in pieces, as a server streams it."""
        choice = reply["choices"][0]
        message = choice["message"]
        top = {k: reply[k] for k in ("id", "created", "model")} | {
            "object": "chat.completion.chunk"
        }

        infos = iter(self.infos)

        def chunk(delta: dict[str, Any], reason: str | None = None) -> str:
            part = {"index": 0, "delta": delta, "finish_reason": reason}
            info = next(infos, None)
            if info is not None:
                part["meta_info"] = info
            return "data: " + json.dumps({**top, "choices": [part]})

        yield chunk({"role": "assistant", "content": ""})
        text = message.get("content") or ""
        for at in range(0, len(text), self.pieces):
            yield chunk({"content": text[at : at + self.pieces]})
        for index, call in enumerate(message.get("tool_calls") or ()):
            function = call["function"]
            first = {
                **call,
                "index": index,
                "function": {"name": function["name"], "arguments": ""},
            }
            yield chunk({"tool_calls": [first]})
            arguments = function["arguments"]
            for at in range(0, len(arguments), self.pieces):
                piece = {"arguments": arguments[at : at + self.pieces]}
                yield chunk({"tool_calls": [{"index": index, "function": piece}]})
        yield chunk({}, choice["finish_reason"])
        yield "data: " + json.dumps({**top, "choices": [], "usage": reply["usage"]})
        yield "data: [DONE]"


@contextmanager
def serving(brain: Brain, **told: Any) -> Iterator[ModelServer]:  # noqa: ANN401 - fields of ModelServer
    """The server on a free port, while the context lasts."""
    server = ModelServer(brain, **told)
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    stop = asyncio.Event()

    async def serve() -> None:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", server.answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        server.url = f"http://{host}:{port}/v1"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    def run() -> None:
        loop.run_until_complete(serve())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)


def shop_clerk(body: Mapping[str, Any]) -> dict[str, Any]:
    """A model that does the small shop's tasks: asks for the order, cancels it, says so."""
    messages = body["messages"]
    last = messages[-1]
    if last["role"] == "user" and str(last["content"]).startswith("It is "):
        order = str(last["content"]).removeprefix("It is ").rstrip(".")
        function = {"name": "cancel_order", "arguments": json.dumps({"order_id": order})}
        return {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    if last["role"] == "tool":
        return {"content": "It is cancelled. Anything else?"}
    return {"content": "Which order is it?"}

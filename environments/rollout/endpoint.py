"""A policy behind any OpenAI-compatible endpoint (vLLM, SGLang, hosted), spoken to directly.

In: the conversation. Out: the model's message. Retries only faults of the infrastructure (no connection, time-outs,
429, 5xx, replies that are not the protocol), never what a model says. Streams on request. Not here: other providers
(`environments.llm`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from math import inf
from random import Random
from typing import Any, Final, Self

import aiohttp
import orjson

from environments.rollout.errors import EndpointError, RefusedError
from environments.rollout.policy import Message, Run, Turn, Usage
from environments.rollout.sglang import token_fields
from environments.rollout.sse import Assembly
from environments.runtime.play.message import requests_of
from environments.runtime.play.play import renamed_call
from environments.runtime.play.tool_names import ToolNames
from environments.runtime.task.attempt import Json

AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that say "not now" rather than "no"."""
LONGEST_WAIT: Final = 60.0
"""Seconds; a server that asks for a longer pause gets this one."""
LARGEST: Final = 64 * 2**20
"""Bytes of one reply."""
MOST_TOKENS: Final = 2**40
NO_TOOLS: Final = ToolNames(())


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """Where the model is and how it is asked."""

    base_url: str
    """Up to and including `/v1`."""
    model: str
    api_key: str = field(default="", repr=False)
    name: str = ""
    """The policy's name in rollouts; the model's if left out."""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int = 4096
    stream: bool = False
    seeded: bool = True
    """Send the run's seed, so that a deterministic server repeats itself."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Further fields of the request body (`logprobs`, `return_token_ids`, `chat_template_kwargs`)."""
    timeout: float = 600.0
    """Seconds for one call, its answer included."""
    retries: int = 5
    backoff: float = 0.5
    """Seconds before the first retry; doubled each time, with jitter."""
    connections: int = 1024


class EndpointPolicy:
    """A model behind an endpoint; an asynchronous context, because it holds connections."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._session: aiohttp.ClientSession | None = None
        self._names: dict[int, tuple[Sequence[Message], ToolNames, bytes]] = {}
        self._jitter = Random(0)  # noqa: S311 - spreads retries, keeps no secret
        self._url = settings.base_url.rstrip("/") + "/chat/completions"

    @property
    def name(self) -> str:
        """The policy's name in rollouts."""
        return self._settings.name or self._settings.model

    async def __aenter__(self) -> Self:
        key = self._settings.api_key
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._settings.connections),
            timeout=aiohttp.ClientTimeout(total=self._settings.timeout, connect=30),
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """The model's next message."""
        names, tools_text = self._tools(tools)
        body = self._body(messages, names, tools_text, seed=run.seed)
        last = ""
        for attempt in range(self._settings.retries + 1):
            try:
                reply = await self._post(body)
            except _NotNow as fault:
                last = fault.why
                if attempt < self._settings.retries:
                    await asyncio.sleep(self._pause(attempt, fault.wait))
            else:
                return _turn(reply, names)
        raise EndpointError(f"the endpoint failed {self._settings.retries + 1} times: {last}")

    def _pause(self, attempt: int, asked: float | None) -> float:
        if asked is not None:
            return min(asked, LONGEST_WAIT)
        longest = min(self._settings.backoff * 2**attempt, LONGEST_WAIT)
        return float(longest * (0.5 + self._jitter.random() / 2))

    def _tools(self, tools: Sequence[Message]) -> tuple[ToolNames, bytes]:
        """Names that endpoints take, and the definitions as bytes: once per task, not per call."""
        known = self._names.get(id(tools))
        if known is None or known[0] is not tools:
            names = ToolNames(tools)
            known = (tools, names, orjson.dumps(names.tools, default=dict))
            self._names[id(tools)] = known
        return known[1], known[2]

    def _body(
        self, messages: Sequence[Message], names: ToolNames, tools_text: bytes, *, seed: int
    ) -> bytes:
        settings = self._settings
        body: dict[str, Any] = {"model": settings.model, "max_tokens": settings.max_tokens}
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.top_p is not None:
            body["top_p"] = settings.top_p
        if settings.seeded:
            body["seed"] = seed
        if settings.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if names.tools:
            body["tools"] = orjson.Fragment(tools_text)
        body |= settings.extra
        body["messages"] = [_outward(message, names) for message in messages]
        return orjson.dumps(body, default=dict)

    async def _post(self, body: bytes) -> dict[str, Any]:
        if self._session is None:
            raise EndpointError("the endpoint policy must be entered first (async with)")
        headers = {"Content-Type": "application/json"}
        try:
            async with self._session.post(self._url, data=body, headers=headers) as response:
                if response.status != 200:
                    raise await _refusal(response)
                parts = _bounded(response.content.iter_any())
                if self._settings.stream:
                    return await _streamed(parts)
                return _parse_reply(b"".join([part async for part in parts]))
        except TimeoutError as fault:
            raise _NotNow(f"no answer within {self._settings.timeout:g} s") from fault
        except aiohttp.ClientError as fault:
            raise _NotNow(f"no connection ({type(fault).__name__})") from fault


class _NotNow(Exception):  # noqa: N818 - a state of the endpoint that may pass
    """A fault of the infrastructure: worth another try."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.wait = wait


async def _refusal(response: aiohttp.ClientResponse) -> Exception:
    """The fault that a status means; the body may quote the conversation and is not repeated."""
    if response.status not in AGAIN:
        return RefusedError(
            f"the endpoint refused the request with status {response.status}",
            status=response.status,
        )
    return _NotNow(f"status {response.status}", pause_asked(response.headers))


def pause_asked(headers: Mapping[str, str]) -> float | None:
    """Seconds that `Retry-After` asks for; a date counts from the server's own. None if it asks for nothing that can be."""
    asked = headers.get("Retry-After", "")
    try:
        wait = float(asked)
    except ValueError:
        try:
            begun = parsedate_to_datetime(headers.get("Date", ""))
            wait = max(0.0, (parsedate_to_datetime(asked) - begun).total_seconds())
        except (ValueError, TypeError):
            return None
    return wait if 0 <= wait < inf else None


async def _bounded(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The parts of a reply; a server that never stops must not fill the memory."""
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > LARGEST:
            raise _NotNow(f"its reply was longer than {LARGEST} bytes")
        yield chunk


def _parse_reply(data: bytes) -> dict[str, Any]:
    try:
        reply = orjson.loads(data)
    except orjson.JSONDecodeError as fault:
        raise _NotNow("its reply was not JSON") from fault
    choices = reply.get("choices") if isinstance(reply, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise _NotNow("its reply had no choices")
    if not isinstance(choices[0].get("message"), dict):
        raise _NotNow("its reply had no message")
    return reply  # type: ignore[no-any-return]  # checked above


async def _streamed(chunks: AsyncIterator[bytes]) -> dict[str, Any]:
    assembly = Assembly()
    async for chunk in chunks:
        assembly.feed(chunk)
    reply = assembly.reply()
    if reply is None:
        raise _NotNow("its stream ended before the message did")
    return reply


def _turn(reply: dict[str, Any], names: ToolNames) -> Turn:
    choice = reply["choices"][0]
    message = choice["message"]
    used = reply.get("usage")
    used = used if isinstance(used, dict) else {}
    tokens = {
        "prompt_token_ids": reply.get("prompt_token_ids") or choice.get("prompt_token_ids"),
        "token_ids": choice.get("token_ids"),
        "logprobs": choice.get("logprobs"),
    }
    known = {name: value for name, value in tokens.items() if value is not None}
    known |= token_fields(choice.get("meta_info") or reply.get("meta_info"))
    return Turn(
        message=_inward(message, names),
        usage=Usage(
            prompt_tokens=_count(used.get("prompt_tokens")),
            completion_tokens=_count(used.get("completion_tokens")),
            cost=_price(used.get("cost")),
        ),
        tokens=known or None,
    )


def _count(value: object) -> int | None:
    """A count of tokens; what cannot be one is unknown, so that it neither refunds a budget nor spoils a table."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def _price(value: object) -> float | None:
    """What some endpoints say that a call cost; None where it is not said, or cannot be."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < inf else None


def _inward(message: dict[str, Any], names: ToolNames) -> Message:
    """The message with production's tool names; whatever else it holds is the environment's to judge."""
    kept: dict[str, Json] = {"role": "assistant", "content": message.get("content")}
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        kept["tool_calls"] = [renamed_call(call, names.inward) for call in calls]
    return kept


def _outward(message: Message, names: ToolNames) -> Mapping[str, Json]:
    """A message of the conversation as endpoints take it.

    Arguments that are no JSON object are wrapped: chat templates parse them, and one malformed call would otherwise make
    every later request of the run fail.
    """
    if message.get("role") == "tool":
        return {key: value for key, value in message.items() if key != "name"}
    if not message.get("tool_calls"):
        return message
    calls: list[Json] = []
    for request in requests_of(message, first=0):
        text = request.text if not request.fault else json.dumps({"invalid": request.text})
        calls.append(
            {
                "id": request.call_id,
                "type": "function",
                "function": {
                    "name": names.outward(request.name) or "none",
                    "arguments": text or "{}",
                },
            }
        )
    return {**message, "tool_calls": calls}

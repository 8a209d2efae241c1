"""Puts a streamed chat completion together: server-sent events in, one reply out.

In: bytes as they arrive, cut anywhere. Out: the reply in the shape of an unstreamed one, or None when the stream broke
off. Not here: the connection (`endpoint`).
"""

from __future__ import annotations

from typing import Any

import orjson

from environments.rollout.sglang import join_infos


class Assembly:
    """One streamed reply being put together."""

    def __init__(self) -> None:
        self._rest = b""
        self._texts: list[str] = []
        self._calls: dict[int, dict[str, Any]] = {}
        self._logprobs: list[Any] = []
        self._token_ids: list[int] = []
        self._infos: list[dict[str, Any]] = []
        """SGLang's `meta_info` of every part that has one."""
        self._top: dict[str, Any] = {}
        self._finished = False
        self._broken = False

    def feed(self, data: bytes) -> None:
        """Take bytes as they come."""
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            if line.startswith(b"data:"):
                self._event(line[5:].strip())

    def reply(self) -> dict[str, Any] | None:
        """The whole reply; None if the stream ended before the message did."""
        if self._rest.startswith(b"data:"):
            self._event(self._rest[5:].strip())
        if not self._finished or self._broken:
            return None
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self._texts) or None}
        if self._calls:
            message["tool_calls"] = [self._calls[index] for index in sorted(self._calls)]
        choice: dict[str, Any] = {"index": 0, "message": message}
        if self._logprobs:
            choice["logprobs"] = {"content": self._logprobs}
        if self._token_ids:
            choice["token_ids"] = self._token_ids
        info = join_infos(self._infos, self._top.get("usage"))
        if info is not None:
            choice["meta_info"] = info
        return {"choices": [choice], **self._top}

    def _event(self, data: bytes) -> None:
        if data == b"[DONE]":
            return
        try:
            chunk = orjson.loads(data)
        except orjson.JSONDecodeError:
            self._broken = True
            return
        if not isinstance(chunk, dict) or chunk.get("error"):
            self._broken = True
            return
        for name in ("usage", "prompt_token_ids"):
            if chunk.get(name):
                self._top[name] = chunk[name]
        self._inform(chunk.get("meta_info"))
        try:
            for choice in chunk.get("choices") or ():
                self._choice(choice)
        except (AttributeError, TypeError):  # a part that is not what the protocol says
            self._broken = True

    def _choice(self, choice: dict[str, Any]) -> None:
        delta = choice.get("delta") or {}
        if isinstance(delta.get("content"), str):
            self._texts.append(delta["content"])
        for part in delta.get("tool_calls") or ():
            self._call(part)
        logprobs = choice.get("logprobs")
        if isinstance(logprobs, dict):
            self._logprobs += logprobs.get("content") or []
        self._token_ids += choice.get("token_ids") or []
        if choice.get("prompt_token_ids"):
            self._top["prompt_token_ids"] = choice["prompt_token_ids"]
        self._inform(choice.get("meta_info"))
        self._finished = self._finished or bool(choice.get("finish_reason"))

    def _inform(self, info: object) -> None:
        if isinstance(info, dict):
            self._infos.append(info)

    def _call(self, part: dict[str, Any]) -> None:
        """Calls come in pieces: the id and name once, the arguments in many."""
        index = part.get("index", len(self._calls))
        call = self._calls.setdefault(
            index, {"id": None, "type": "function", "function": {"name": "", "arguments": ""}}
        )
        call["id"] = part.get("id") or call["id"]
        function = part.get("function") or {}
        call["function"]["name"] += function.get("name") or ""
        call["function"]["arguments"] += function.get("arguments") or ""

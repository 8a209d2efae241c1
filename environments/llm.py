"""Models behind any provider that litellm knows: policies, and judges. The only file that imports litellm.

In: the conversation, or a judge's instructions and request. Out: the model's message, with its cost where litellm knows
the price; or the judge's text. For OpenAI-compatible endpoints `environments.rollout.endpoint` is a policy's direct way:
per call litellm takes 7 to 8 ms of CPU.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Final

from environments.judges.spent import Spent
from environments.rollout.errors import EndpointError, RefusedError, RolloutError
from environments.rollout.policy import Message, Run, Turn, Usage
from environments.runtime.play.tool_names import ToolNames
from environments.runtime.task.attempt import Json

FINAL: Final = frozenset({400, 401, 403, 404, 422})
"""Statuses that would be the same however often the call is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmPolicy:
    """A model by its litellm name (`anthropic/...`, `bedrock/...`)."""

    model: str
    max_tokens: int = 4096
    temperature: float | None = None
    timeout: float = 600.0
    retries: int = 5
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Further arguments of `litellm.acompletion` (`api_base`, `api_key`, ...)."""

    @property
    def name(self) -> str:
        """The policy's name in rollouts."""
        return self.model

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """The model's next message."""
        litellm = _litellm()
        names = ToolNames(tools)
        if names.tools and find_spec("mcp") is None:
            raise RolloutError(
                "litellm makes tool calls only with the package mcp beside it: install mcp, or use an "
                "OpenAI-compatible endpoint"
            )
        arguments: dict[str, Any] = {
            "model": self.model,
            "messages": [dict(message) for message in messages],
            "max_tokens": self.max_tokens,
            "timeout": self.timeout,
            "num_retries": self.retries,
            "seed": run.seed,
            "drop_params": True,  # providers without seeds still answer
            **self.extra,
        }
        if names.tools:
            arguments["tools"] = list(names.tools)
        if self.temperature is not None:
            arguments["temperature"] = self.temperature
        try:
            reply: Any = await litellm.acompletion(**arguments)
        except Exception as fault:  # a boundary: litellm raises every provider's own types
            raise _fault(fault) from fault
        return _turn(reply.model_dump(), names, _cost(reply))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """Which model judges, answers for tools, or plays users."""

    model: str
    """As litellm names it; any name where `url` is given."""
    url: str = ""
    """An OpenAI-compatible endpoint."""
    api_key: str = field(default="", repr=False)

    def complete(self, spent: Spent | None = None) -> LlmJudge:
        """The model, ready to be asked; `spent` counts what its calls take."""
        spent = Spent() if spent is None else spent
        return LlmJudge(model=self.model, base_url=self.url, api_key=self.api_key, spent=spent)


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmJudge:
    """A judge's model, as `environments.judges.client.Complete`: one request in, the reply's text out."""

    model: str
    """As litellm names it; any name where `base_url` is an OpenAI-compatible endpoint."""
    base_url: str = ""
    provider: str = "openai/"
    """Before the name where `base_url` is given; empty where the name says it."""
    api_key: str = ""
    timeout: float = 120.0
    retries: int = 1
    stream: bool = False
    spent: Spent = field(default_factory=Spent)
    """What its calls took so far."""

    async def __call__(self, instructions: str, request: str) -> str:
        """The model's text, at temperature 0."""
        litellm = _litellm()
        arguments: dict[str, Any] = {
            "model": f"{self.provider}{self.model}" if self.base_url else self.model,
            "messages": [
                {"role": role, "content": text}
                for role, text in (("system", instructions), ("user", request))
                if text
            ],
            "temperature": 0,
            "seed": 0,
            "timeout": self.timeout,
            "num_retries": self.retries,
            "stream": self.stream,
            "drop_params": True,  # providers without seeds or temperatures still answer
        }
        if self.base_url:
            # An endpoint of one's own may have no keys, but the client of the protocol wants one.
            arguments |= {"api_base": self.base_url, "api_key": self.api_key or "none"}
        elif self.api_key:
            arguments["api_key"] = self.api_key
        try:
            reply: Any = await litellm.acompletion(**arguments)
            if self.stream:
                text = "".join([part.choices[0].delta.content or "" async for part in reply])
            else:
                text = str(reply.choices[0].message.content or "")
            used = getattr(getattr(reply, "usage", None), "total_tokens", None)
            asked = len(instructions) + len(request)
            self.spent.add(asked + len(text), used if isinstance(used, int) else None, _cost(reply))
        except Exception as fault:  # noqa: BLE001 - a boundary: litellm raises every provider's own types
            raise _fault(fault) from None
        return text


def _litellm() -> Any:  # noqa: ANN401 - a module
    # litellm downloads a price list at import unless this is set (2.5 s and a retry when offline)
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # noqa: TID251 - read by litellm only
    import litellm  # noqa: PLC0415 - 4.8 s, paid only by who uses it

    # It prints an advertisement to stdout with every fault otherwise, in the middle of a command's JSON.
    litellm.suppress_debug_info = True
    return litellm


def _fault(fault: Exception) -> EndpointError:
    """By status only: messages may quote the conversation."""
    status = getattr(fault, "status_code", None)
    kind = type(fault).__name__
    if status in FINAL:
        return RefusedError(f"the provider refused the request ({kind})", status=int(status))
    return EndpointError(f"the provider failed ({kind})")


def _turn(reply: Mapping[str, Any], names: ToolNames, cost: float | None) -> Turn:
    message = reply["choices"][0]["message"]
    kept: dict[str, Json] = {"role": "assistant", "content": message.get("content")}
    calls: list[Json] = []
    for call in message.get("tool_calls") or ():
        function = {**call["function"], "name": names.inward(call["function"].get("name") or "")}
        calls.append({"id": call.get("id"), "type": "function", "function": function})
    if calls:
        kept["tool_calls"] = calls
    used = reply.get("usage") or {}
    return Turn(
        message=kept,
        usage=Usage(
            prompt_tokens=used.get("prompt_tokens"),
            completion_tokens=used.get("completion_tokens"),
            cost=cost,
        ),
    )


def _cost(reply: Any) -> float | None:  # noqa: ANN401 - litellm's response type
    hidden = getattr(reply, "_hidden_params", None) or {}
    cost = hidden.get("response_cost")
    return float(cost) if cost is not None else None

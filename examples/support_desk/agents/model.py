"""A real model as the agent, behind any endpoint that litellm can talk to: the same loop as the scripted ones.

Needs an endpoint and a model's name; a key, if any, comes from the model client's own environment variables.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from examples.support_desk.agents.agent import Agent, AgentError, Message, Reply, ToolCall
from examples.support_desk.variant import Json, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAgent:
    """Asks a model for every message."""

    endpoint: str
    model: str
    stream: bool = False
    timeout: float = 120.0
    name: str = "model"

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Reply:
        """One completion."""
        try:
            return _reply(self._complete(messages, tools))
        except Exception as error:  # the boundary to litellm: whatever fails there, the app says so
            kind = type(error).__name__
            raise AgentError(
                f"the model {self.model!r} at {self.endpoint} did not answer ({kind}); check --endpoint and --model"
            ) from error

    def _complete(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Any:  # noqa: ANN401 - litellm's response object
        complete, rebuild = _litellm()
        response = complete(
            model=f"openai/{self.model}",
            api_base=self.endpoint,
            # Local servers ask for no key, but the client refuses to start without one.
            api_key=os.environ.get("OPENAI_API_KEY", "unused"),
            messages=list(messages),
            tools=list(tools),
            stream=self.stream,
            timeout=self.timeout,
            max_retries=1,
            # Our tools are functions; without this litellm imports its MCP gateway, and with it a package of its own.
            _skip_mcp_handler=True,
            **({"stream_options": {"include_usage": True}} if self.stream else {}),
        )
        if self.stream:
            return rebuild(list(cast("Iterable[Any]", response)), messages=list(messages))
        return response


def model_agents(
    endpoint: str, model: str, *, stream: bool
) -> Callable[[str, Variant, str], Agent]:
    """Makes the same model serve every conversation, whatever policy is on duty."""

    def make(_policy: str, _variant: Variant, _seed: str) -> Agent:
        return ModelAgent(endpoint=endpoint, model=model, stream=stream)

    return make


def _reply(response: Any) -> Reply:  # noqa: ANN401 - litellm's response object
    message = response.choices[0].message
    usage = getattr(response, "usage", None)
    return Reply(
        content=message.content,
        tool_calls=tuple(
            ToolCall(
                call_id=call.id or "",
                name=call.function.name or "",
                arguments=call.function.arguments or "{}",
            )
            for call in message.tool_calls or ()
        ),
        input_tokens=getattr(usage, "prompt_tokens", 0) or 0,
        output_tokens=getattr(usage, "completion_tokens", 0) or 0,
        response_id=response.id or "",
    )


def _litellm() -> tuple[Callable[..., Any], Callable[..., Any]]:
    # Without this litellm fetches a price list over the network when imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm  # noqa: PLC0415 - takes 4.8 s, and scripted agents do not need it

    # Its hints for its own developers go to stdout otherwise.
    litellm.suppress_debug_info = True
    return litellm.completion, litellm.stream_chunk_builder

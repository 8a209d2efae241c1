"""An LLM behind one call, for what is optional: a prompt in, a strictly parsed reply out, remembered by content.

Any endpoint that speaks OpenAI's chat completions, through litellm (`environments.llm`). Only clean text may be sent.
Not here: prompts, and what a reply is used for.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from environments.llm import LlmJudge
from environments.rollout.errors import EndpointError

Reply = TypeVar("Reply", bound=BaseModel)


class LlmError(Exception):
    """The model did not answer, or not in the shape that was asked for. Never holds the prompt or the reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """Where the model is."""

    model: str
    """As litellm names it; `openai/NAME` with `base_url` for any OpenAI-compatible endpoint."""
    base_url: str | None = None
    api_key: str | None = None
    timeout_s: float = 60.0
    attempts: int = 2
    """Replies that do not parse are asked for again."""
    cache: Path | None = None
    """Folder of earlier replies; a reply is found again by model, prompt and shape."""


Complete = Callable[[LlmSettings, str], str]
"""Sends one prompt and gives the reply's text; replaced in tests."""


def ask(
    prompt: str, shape: type[Reply], *, settings: LlmSettings, complete: Complete | None = None
) -> Reply:
    """The model's reply to the prompt, parsed strictly; the same question is asked only once."""
    key = _key(prompt, shape, settings)
    remembered = _recall(key, shape, settings.cache)
    if remembered is not None:
        return remembered
    send = complete or complete_with_litellm
    for _ in range(settings.attempts):
        reply = _parse(send(settings, prompt), shape)
        if reply is not None:
            _remember(key, reply, settings.cache)
            return reply
    raise LlmError(
        f"the model {settings.model} did not answer in the shape of {shape.__name__} "
        f"in {settings.attempts} attempts; try another model or turn LLM names off"
    )


def _key(prompt: str, shape: type[BaseModel], settings: LlmSettings) -> str:
    schema = repr(sorted(shape.model_json_schema().items()))
    text = "\x1f".join((settings.model, settings.base_url or "", schema, prompt))
    return hashlib.sha256(text.encode()).hexdigest()


def _parse(text: str, shape: type[Reply]) -> Reply | None:
    """Strict but for the code fence that many models put around JSON."""
    body = text.strip()
    if body.startswith("```"):
        body = body.strip("`").removeprefix("json").strip()
    try:
        return shape.model_validate_json(body, strict=True, extra="forbid")
    except ValidationError:
        return None


def _recall(key: str, shape: type[Reply], cache: Path | None) -> Reply | None:
    if cache is None:
        return None
    path = cache / f"{key}.json"
    return _parse(path.read_text(encoding="utf-8"), shape) if path.is_file() else None


def _remember(key: str, reply: BaseModel, cache: Path | None) -> None:
    if cache is None:
        return
    cache.mkdir(parents=True, exist_ok=True)
    half = cache / f"{key}.{os.getpid()}.part"
    half.write_text(reply.model_dump_json(), encoding="utf-8")
    half.replace(cache / f"{key}.json")


def complete_with_litellm(settings: LlmSettings, prompt: str) -> str:
    """One chat completion at temperature 0."""
    model = LlmJudge(
        model=settings.model,
        base_url=settings.base_url or "",
        provider="",
        api_key=settings.api_key or "",
        timeout=settings.timeout_s,
    )
    return reply_of(model, "", prompt)


def reply_of(model: LlmJudge, instructions: str, prompt: str) -> str:
    """What a model says, waited for."""
    try:
        return asyncio.run(model(instructions, prompt))
    except EndpointError as fault:
        raise LlmError(
            f"the model {model.model} did not answer: {fault}; check its address and key, or turn LLM names off"
        ) from None

"""An LLM behind one call, for what is optional: a prompt in, a strictly parsed reply out, remembered by content.

Any endpoint that speaks OpenAI's chat completions, through litellm. Only clean text may be sent. The only file that
imports litellm, and only when a call is really made. Not here: prompts, and what a reply is used for.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

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
    # litellm downloads a price list at import unless this is set (2.5 s and a retry when offline)
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # noqa: TID251 - read by litellm only
    import litellm  # noqa: PLC0415 - 4.8 s, and only needed where an endpoint is configured

    # It prints an advertisement to stdout with every fault otherwise, in the middle of a command's JSON.
    litellm.suppress_debug_info = True
    try:
        response = litellm.completion(
            model=settings.model,
            messages=[{"role": "user", "content": prompt}],
            api_base=settings.base_url,
            api_key=settings.api_key,
            timeout=settings.timeout_s,
            temperature=0,
            num_retries=1,
        )
        content = _content(response)
    except Exception as error:  # noqa: BLE001 - the boundary: litellm passes on every provider's own errors
        raise LlmError(
            f"the model {settings.model} did not answer ({type(error).__name__}); "
            "check its address and key, or turn LLM names off"
        ) from None
    return content or ""


def _content(response: object) -> str | None:
    """The reply's text; litellm types a response as one of several, of which only a whole one has choices."""
    choices = getattr(response, "choices", None)
    return choices[0].message.content if choices else None
